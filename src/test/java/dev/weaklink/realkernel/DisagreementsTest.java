package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.realkernel.KernelAnswer.Outcome;
import dev.weaklink.realkernel.VerdictLine.FindingLine;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DisagreementsTest {
    private static final KernelAnswer LOADED = answer(Outcome.LOADED, null, Set.of(), Set.of());
    private static final KernelAnswer BAD_CRC = answer(Outcome.REFUSED, "EINVAL", Set.of("a", "b"), Set.of());

    @Test
    void loadedModuleDisagreesWithARefusalOrAnErrno() {
        assertThat(compare(LOADED, verdict("COMPATIBLE", null))).isEmpty();
        assertThat(compare(LOADED, verdict("UNDETERMINED", null))).isEmpty();
        assertThat(compare(LOADED, verdict("INCOMPATIBLE", "EINVAL"))).hasSize(1);
    }

    @Test
    void refusalsAgreeOnlyWithTheSameErrnoAndSymbols() {
        FindingLine a = refusal("symbol-crc", "a");
        FindingLine b = refusal("symbol-crc", "b");
        assertThat(compare(BAD_CRC, verdict("INCOMPATIBLE", "EINVAL", a, b))).isEmpty();
        assertThat(compare(BAD_CRC, verdict("INCOMPATIBLE", "ENOEXEC", a, b))).hasSize(1);
        assertThat(compare(BAD_CRC, verdict("INCOMPATIBLE", "EINVAL", a))).hasSize(1);
        assertThat(compare(BAD_CRC, verdict("INCOMPATIBLE", "EINVAL", a, b, refusal("symbol-crc", "c"))))
                .hasSize(1);
        assertThat(compare(BAD_CRC, verdict("UNDETERMINED", null, a, b))).hasSize(1);
    }

    @Test
    void theReasonMustBeTheSameToo() {
        assertThat(compare(
                        BAD_CRC,
                        verdict("INCOMPATIBLE", "EINVAL", refusal("symbol-crc", "a"), refusal("symbol-missing", "b"))))
                .anyMatch(line -> line.contains("versions missed [b]"))
                .anyMatch(line -> line.contains("unknown missed []; weaklink: invented [b]"));
    }

    @Test
    void reportsALogLineThatTheKernelDidNotWrite() {
        FindingLine a = logged("a", "m: disagrees about version of symbol a");
        FindingLine wrong = logged("b", "m: no symbol version for b");
        assertThat(compare(BAD_CRC, verdict("INCOMPATIBLE", "EINVAL", a, wrong)))
                .containsExactly("m.ko: the kernel did not log; weaklink: m: no symbol version for b");
    }

    @Test
    void unknownSymbolsOfAnUnloadedDependencyMayHideAWrongCrc() {
        KernelAnswer answer = new KernelAnswer(
                "m.ko",
                null,
                Outcome.REFUSED,
                "ENOENT",
                Set.of("dep"),
                Set.of("a"),
                Set.of(),
                Set.of(),
                Set.of("d1", "d2"),
                null,
                null);
        FindingLine a = refusal("symbol-crc", "a");
        assertThat(compare(answer, verdict("INCOMPATIBLE", "EINVAL", a))).isEmpty();
        assertThat(compare(answer, verdict("INCOMPATIBLE", "EINVAL", a, refusal("symbol-crc", "d1"))))
                .isEmpty();
        assertThat(compare(answer, verdict("INCOMPATIBLE", "EINVAL", refusal("symbol-crc", "d1"))))
                .hasSize(1);
        assertThat(compare(answer, verdict("INCOMPATIBLE", "EINVAL", a, refusal("symbol-crc", "x"))))
                .hasSize(1);
        assertThat(compare(answer, verdict("COMPATIBLE", null))).isNotEmpty();
    }

    private static List<String> compare(KernelAnswer answer, VerdictLine verdict) {
        Disagreements disagreements = new Disagreements();
        disagreements.compare(answer, verdict);
        return disagreements.found();
    }

    private static KernelAnswer answer(Outcome outcome, @Nullable String errno, Set<String> crc, Set<String> unknown) {
        return new KernelAnswer("m.ko", null, outcome, errno, Set.of(), crc, Set.of(), Set.of(), unknown, null, null);
    }

    private static VerdictLine verdict(String verdict, @Nullable String errno, FindingLine... findings) {
        return new VerdictLine("m", "m.ko", verdict, errno, Arrays.asList(findings), List.of());
    }

    private static FindingLine refusal(String layer, String symbol) {
        return new FindingLine(layer, "refuses", symbol, null, null);
    }

    private static FindingLine logged(String symbol, String dmesg) {
        return new FindingLine("symbol-crc", "refuses", symbol, dmesg, null);
    }
}
