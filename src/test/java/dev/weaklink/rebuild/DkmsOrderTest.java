package dev.weaklink.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.dkms.DkmsBuild;
import dev.weaklink.dkms.DkmsBuild.State;
import dev.weaklink.dkms.DkmsPackage;
import dev.weaklink.dkms.DkmsTree;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What DKMS's packages need comes before them. */
class DkmsOrderTest {
  private static DkmsPackage one(String name, String... needs) {
    return new DkmsPackage(name, "1", true, List.of(needs), List.of(name));
  }

  private static DkmsTree tree(DkmsPackage... packages) {
    return new DkmsTree(List.of(packages), List.of());
  }

  @Test
  void aPackageComesAfterWhatItNeedsElseByName() {
    DkmsTree tree = tree(one("a", "z"), one("b"), one("m", "a"), one("z"));
    assertThat(DkmsOrder.of(tree.labels(), tree, "K").packages())
        .containsExactly("b/1", "z/1", "a/1", "m/1");
  }

  @Test
  void whatIsNeededAndNotInstalledIsBuiltThoughNobodyNamedIt() {
    DkmsTree tree = tree(one("a", "z"), one("b"), one("z"));
    DkmsOrder order = DkmsOrder.of(List.of("a/1"), tree, "K");
    assertThat(order.packages()).containsExactly("z/1", "a/1");
    assertThat(order.needs()).containsEntry("a/1", List.of("z/1"));
  }

  @Test
  void whatIsInstalledForThatKernelIsNotBuiltAgain() {
    DkmsBuild there = new DkmsBuild("z", "1", "K", State.INSTALLED, "", List.of("z"));
    DkmsTree tree = new DkmsTree(List.of(one("a", "z"), one("z")), List.of(there));
    assertThat(DkmsOrder.of(List.of("a/1"), tree, "K").packages()).containsExactly("a/1");
    assertThat(DkmsOrder.of(List.of("a/1"), tree, "L").packages()).containsExactly("z/1", "a/1");
  }

  @Test
  void whatDkmsDoesNotHaveIsNamed() {
    DkmsTree tree = tree(one("a", "gone"));
    DkmsOrder order = DkmsOrder.of(List.of("a/1"), tree, "K");
    assertThat(order.packages()).containsExactly("a/1");
    assertThat(order.needs()).containsEntry("a/1", List.of("gone"));
  }

  @Test
  void aRingEndsAndComesLast() {
    DkmsTree tree = tree(one("a", "b"), one("b", "a"), one("c"));
    assertThat(DkmsOrder.of(tree.labels(), tree, "K").packages())
        .containsExactly("c/1", "a/1", "b/1");
  }
}
