package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.Program.Function;
import dev.weaklink.module.Program.Op;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Code;
import dev.weaklink.testing.ModuleSpec.Table;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/** What code does, by its bytes. */
class CodeProperties {
    private static Function function(ModuleBuilder module) {
        byte[] bytes = module.build();
        List<Function> functions = ProgramReader.read(bytes, bytes.length).functions();
        return functions.get(functions.size() - 1);
    }

    private static String steps(String hex) {
        return steps(Machine.X86_64, hex);
    }

    private static String arm64(String hex) {
        return steps(Machine.AARCH64, hex);
    }

    private static String steps(Machine machine, String hex) {
        return steps(ModuleBuilder.minimal(machine, "m").function(new Code("one", List.of(hex))));
    }

    private static String steps(ModuleBuilder module) {
        Function function = function(module);
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
        Code code = new Code("one", List.of(HexFormat.of().formatHex(bytes)));
        isBounded(function(ModuleBuilder.minimal(Machine.X86_64, "m").function(code)), bytes.length);
    }

    @Property
    void anyInstructionsGiveBoundedSteps(@ForAll @Size(min = 1, max = 100) int[] instructions) {
        List<String> words = Arrays.stream(instructions)
                .mapToObj(HexFormat.of()::toHexDigits)
                .toList();
        ModuleBuilder module = ModuleBuilder.minimal(Machine.AARCH64, "m");
        isBounded(function(module.function(new Code("one", words))), 4 * instructions.length);
    }

    private static void isBounded(Function function, int bytes) {
        assertThat(function.size()).isLessThanOrEqualTo(6 * bytes + 1);
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
        assertThat(steps("b808070000")).isEqualTo("CONSTANT 0 63 1800");
        assertThat(steps("488d44cf08")).isEqualTo("ADD 0 7 193 indexed; MOVE 0 0 8");
    }

    @Example
    void whatIsNotFollowedIsForgotten() {
        assertThat(steps("8b0425c0000000")).isEqualTo("OTHER 0 63 0");
        assertThat(steps("65488b042500000000")).isEqualTo("OTHER 0 63 0");
        assertThat(steps("89fb")).isEqualTo("OTHER 3 63 0");
        assertThat(steps("b700")).isEqualTo("CONSTANT 3 63 0 indexed");
        assertThat(steps("4801d8")).isEqualTo("OTHER 0 63 0");
        assertThat(steps("0f31")).contains("OTHER 0").contains("OTHER 2");
        assertThat(steps("c4e2f1f7c3")).contains("OTHER 0").contains("OTHER 3");
    }

    @Example
    void addressesAreFollowedOnArm64() {
        assertThat(arm64("aa0003f3")).isEqualTo("MOVE 19 0 0");
        assertThat(arm64("91004000")).isEqualTo("MOVE 0 0 16");
        assertThat(arm64("d10103ff")).isEqualTo("MOVE 31 31 -64");
        assertThat(arm64("910003fd")).isEqualTo("MOVE 29 31 0");
        assertThat(arm64("f9400661")).isEqualTo("LOAD 1 19 8 *8");
        assertThat(arm64("39400a60")).isEqualTo("LOAD 0 19 2 *1");
        assertThat(arm64("b8846c20")).isEqualTo("MOVE 1 1 70; LOAD 0 1 0 *4");
        assertThat(arm64("f8008423")).isEqualTo("STORE 3 1 0 *8 written; MOVE 1 1 8");
        assertThat(arm64("b900181f")).isEqualTo("STORE 63 0 24 *4 written");
        assertThat(arm64("f8627820")).isEqualTo("ADD 62 1 194 indexed; LOAD 0 62 0 *8");
        assertThat(arm64("8b020020")).isEqualTo("ADD 0 1 2");
        assertThat(arm64("8b22cc20")).isEqualTo("ADD 0 1 194 indexed");
        assertThat(arm64("528246a1")).isEqualTo("CONSTANT 1 63 4661");
        assertThat(arm64("92800001")).isEqualTo("CONSTANT 1 63 -1");
        assertThat(arm64("f2a00021")).isEqualTo("CONSTANT 1 63 65536 indexed");
        assertThat(arm64("a9438801")).isEqualTo("LOAD 1 0 56 *8; LOAD 2 0 64 *8");
        assertThat(arm64("a9400001")).isEqualTo("LOAD 1 0 0 *8; LOAD 0 0 8 *8");
        assertThat(arm64("a9400400")).isEqualTo("LOAD 1 0 8 *8; LOAD 0 0 0 *8");
        assertThat(arm64("a9be7bfd")).isEqualTo("MOVE 31 31 -32; STORE 29 31 0 *8 written; STORE 30 31 8 *8 written");
        assertThat(arm64("c85f7c61")).isEqualTo("LOAD 1 3 0 *8");
        assertThat(arm64("c8027c61")).isEqualTo("STORE 1 3 0 *8 written; OTHER 2 63 0");
        assertThat(arm64("b8e10062")).isEqualTo("TOUCH 63 3 0 *4 written; OTHER 2 63 0");
        assertThat(arm64("9a810060")).isEqualTo("MOVE 0 3 0; SELECT 0 1 0");
        assertThat(arm64("9a8003e0")).isEmpty();
        assertThat(arm64("d2800000")).isEqualTo("CONSTANT 0 63 0");
        assertThat(arm64("aa1f03e0")).isEqualTo("CONSTANT 0 63 0");
        assertThat(arm64("d63f0020")).isEqualTo("CALL_POINTER 63 1 0");
        assertThat(arm64("d65f03c0")).isEqualTo("RETURN 63 63 0");
        assertThat(arm64("d503233f")).isEqualTo("OTHER 30 63 0");
        assertThat(arm64("d503201f")).isEmpty();
    }

    /** A table of four bytes, all of them zero, leads to the instruction behind the jump. */
    @Example
    void tablesLeadToTheirPlacesOnArm64() {
        List<String> bounded = List.of("71000c3f", "54000128", "=table", "38614802", "10000063");
        List<String> jump = List.of("8b228862", "d61f0040", "f9400401", "d65f03c0", "f9400802");
        List<String> words = Stream.concat(bounded.stream(), jump.stream()).toList();
        ModuleBuilder module = ModuleBuilder.minimal(Machine.AARCH64, "m");
        module.table(new Table("table", 4, Map.of())).function(new Code("one", words));

        String steps = steps(module);
        int load = 12;
        String branch = "BRANCH 63 63 " + load;
        assertThat(steps).contains(String.join("; ", Collections.nCopies(4, branch)) + "; JUMP 63 63 -1; LOAD 1 0 8");
    }

    @Example
    void whatIsNotFollowedIsForgottenOnArm64() {
        assertThat(arm64("2a0003f3")).isEqualTo("OTHER 19 63 0");
        assertThat(arm64("d5384101")).isEqualTo("OTHER 1 63 0");
        assertThat(arm64("9ac20820")).isEqualTo("OTHER 0 63 0");
        assertThat(arm64("58000040")).isEqualTo("OTHER 0 63 0");
        assertThat(arm64("9e660001")).isEqualTo("OTHER 1 63 0");
        assertThat(arm64("d4000003")).contains("OTHER 0 ").contains("OTHER 17 ");
        assertThat(arm64("eb02003f")).isEmpty();
        assertThat(arm64("fa421820")).isEmpty();
    }
}
