package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.Program.Function;
import dev.weaklink.module.Program.Op;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Code;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/** What code does, by its bytes. */
class CodeProperties {
  private static Function function(String hex) {
    byte[] bytes =
        ModuleBuilder.minimal(Machine.X86_64, "m").function(new Code("one", List.of(hex))).build();
    List<Function> functions = ProgramReader.read(bytes, bytes.length).functions();
    return functions.get(functions.size() - 1);
  }

  private static String steps(String hex) {
    Function function = function(hex);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < function.size() - 1; i++) {
      text.append(i == 0 ? "" : "; ").append(function.op(i)).append(' ').append(function.to(i));
      text.append(' ').append(function.from(i)).append(' ').append(function.operand(i));
      text.append(function.width(i) == 0 ? "" : " *" + function.width(i));
      text.append(function.isIndexed(i) ? " indexed" : "");
      text.append(function.isWritten(i) ? " written" : "");
    }
    return text.toString();
  }

  @Property
  void anyBytesGiveBoundedSteps(@ForAll @Size(min = 1, max = 200) byte[] bytes) {
    Function function = function(HexFormat.of().formatHex(bytes));

    assertThat(function.size()).isLessThanOrEqualTo(6 * bytes.length + 1);
    for (int i = 0; i < function.size(); i++) {
      boolean jumps = function.op(i) == Op.JUMP || function.op(i) == Op.BRANCH;
      assertThat(jumps ? function.operand(i) : 0).isBetween(-1, function.size() - 1);
    }
  }

  @Example
  void addressesAreFollowed() {
    assertThat(steps("4889fb")).isEqualTo("MOVE 3 7 0");
    assertThat(steps("488d7b08")).isEqualTo("MOVE 7 3 8");
    assertThat(steps("4883c440")).isEqualTo("MOVE 4 4 64");
    assertThat(steps("4c8b6310")).isEqualTo("LOAD 12 3 16 *8");
    assertThat(steps("0fb64302")).isEqualTo("LOAD 0 3 2 *1");
    assertThat(steps("48894708")).isEqualTo("STORE 0 7 8 *8 written");
    assertThat(steps("c7470807000000")).isEqualTo("STORE 63 7 8 *4 written");
    assertThat(steps("f6470801")).isEqualTo("TOUCH 63 7 8 *1");
    assertThat(steps("f0ff4708")).isEqualTo("TOUCH 63 7 8 *4 written");
    assertThat(steps("488b44cf08")).isEqualTo("LOAD 0 7 8 *8 indexed");
    assertThat(steps("480f44c3")).isEqualTo("SELECT 0 3 0");
    assertThat(steps("31c0")).isEqualTo("CONSTANT 0 63 0");
  }

  @Example
  void whatIsNotFollowedIsForgotten() {
    assertThat(steps("8b0425c0000000")).isEqualTo("OTHER 0 63 0");
    assertThat(steps("65488b042500000000")).isEqualTo("OTHER 0 63 0");
    assertThat(steps("89fb")).isEqualTo("OTHER 3 63 0");
    assertThat(steps("b700")).isEqualTo("CONSTANT 3 63 0");
    assertThat(steps("4801d8")).isEqualTo("OTHER 0 63 0");
    assertThat(steps("0f31")).contains("OTHER 0").contains("OTHER 2");
    assertThat(steps("c4e2f1f7c3")).contains("OTHER 0").contains("OTHER 3");
  }
}
