package dev.weaklink.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export.Table;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** As weak-modules makes groups of the lines of modules.dep. */
class DependencyGroupsTest {
  @Test
  void whatNothingNeedsAndNeedsNothingIsAGroupOfItsOwn() {
    assertThat(groups("a", "b")).containsExactly(List.of("a"), List.of("b"));
  }

  @Test
  void whatAnotherNeedsIsInItsGroupOnlyInWhateverOrderTheyAreMet() {
    assertThat(groups("common", "user:common")).containsExactly(List.of("user", "common"));
    assertThat(groups("user:common", "common")).containsExactly(List.of("user", "common"));
    assertThat(groups("b:a", "c:b", "a")).containsExactly(List.of("c", "b", "a"));
    assertThat(groups("a", "c:b", "b:a")).containsExactly(List.of("c", "a", "b"));
  }

  @Test
  void whatSeveralNeedIsInTheGroupOfEach() {
    assertThat(groups("common", "first:common", "second:common"))
        .containsExactly(List.of("first", "common"), List.of("second", "common"));
  }

  @Test
  void whatNeedsEachOtherIsOneGroup() {
    assertThat(groups("a:b", "b:a")).containsExactly(List.of("a", "b"));
  }

  /** Modules as {@code name:needed}, each exporting its name; the groups in names. */
  private static List<List<String>> groups(String... modules) {
    List<ModuleLink> links = new ArrayList<>();
    for (String module : modules) {
      String[] parts = module.split(":");
      ModuleBuilder builder =
          ModuleBuilder.typical(Machine.X86_64, parts[0]).exporting(parts[0], Table.NORMAL, 1);
      if (parts.length > 1) {
        builder.importing(parts[1], 1);
      }
      byte[] bytes = builder.build();
      links.add(
          new ModuleLink(
              "weak-updates/" + parts[0] + ".ko",
              "/lib/modules/1/extra/" + parts[0] + ".ko",
              "1",
              ModuleReader.read(Origin.file(parts[0] + ".ko"), bytes, bytes.length),
              true));
    }
    return DependencyGroups.of(links).stream()
        .map(group -> group.stream().map(link -> link.module().name()).toList())
        .toList();
  }
}
