package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The number of modules of one Debian kernel that load on another. The numbers were counted once by comparing all
 * exports and imports, and confirmed by booted kernels. If the package index no longer has a kernel, the pair is
 * reported and skipped; {@link AnyKernelIT} works with any kernel.
 */
class GoldenCountsIT {
    private final RealKernels kernels = RealKernels.atDefault();

    @ParameterizedTest(name = "{0} -> {1}, each alone: {2} load, {3} do not")
    @CsvSource({
        "6.1.0-53-amd64, 6.1.0-54-amd64, 972, 3051",
        "6.1.0-50-amd64, 6.1.0-53-amd64, 645, 3377",
        "6.1.0-54-amd64, 6.1.0-50-amd64, 401, 3622",
        "6.1.0-55-amd64, 6.1.0-56-amd64, 4023, 0",
        "6.1.0-47-amd64, 6.1.0-56-amd64, 0, 4022",
        "6.12.115+deb12-amd64, 6.12.117+deb12-amd64, 236, 3994",
    })
    void modulesThatLoadAlone(String from, String to, int load, int refused) {
        List<VerdictLine> verdicts = Check.alone(target(from, to), List.of(source(from, to)));
        assertCounts(verdicts, load, refused);
    }

    @ParameterizedTest(name = "{0} -> {1}, all together: {2} load, {3} do not")
    @CsvSource({
        "6.1.0-53-amd64, 6.1.0-54-amd64, 445, 3578",
        "6.1.0-54-amd64, 6.1.0-53-amd64, 445, 3578",
        "6.1.0-50-amd64, 6.1.0-54-amd64, 179, 3843",
        "6.1.0-55-amd64, 6.1.0-56-amd64, 4023, 0",
        "6.1.0-50-amd64, 6.1.0-51-amd64, 4022, 0",
        "6.12.115+deb12-amd64, 6.12.117+deb12-amd64, 92, 4138",
    })
    void modulesThatLoadTogether(String from, String to, int load, int refused) {
        List<VerdictLine> verdicts = Check.together(target(from, to), List.of(source(from, to)));
        assertCounts(verdicts, load, refused);
    }

    @Test
    void exactlyThreeModulesOf50DoNotLoadAloneOn51() {
        String from = "6.1.0-50-amd64";
        String to = "6.1.0-51-amd64";
        List<VerdictLine> verdicts = Check.alone(target(from, to), List.of(source(from, to)));
        assertThat(verdicts.stream().filter(v -> !v.loads()).map(VerdictLine::fileName))
                .containsExactlyInAnyOrder("kvm-amd.ko", "kvm-intel.ko", "nft_objref.ko");
        assertCounts(verdicts, 4019, 3);
    }

    @Test
    void everyModuleOf47IsRefusedBy56ForItsModuleLayoutFirst() {
        String from = "6.1.0-47-amd64";
        String to = "6.1.0-56-amd64";
        List<VerdictLine> verdicts = Check.together(target(from, to), List.of(source(from, to)));
        assertThat(verdicts).hasSize(4022).allSatisfy(verdict -> {
            assertThat(verdict.errno()).isEqualTo("ENOEXEC");
            assertThat(verdict.refusals().get(0).layer()).isEqualTo("module-layout");
        });
    }

    /** Uses kernels without headers packages; the target's image provides the same facts. */
    @Test
    void everythingOf6_12_100IsDecidedOn6_12_101WithoutHeaders() {
        String from = "6.12.100+deb12-amd64";
        String to = "6.12.101+deb12-amd64";
        Kernel target = target(from, to);
        List<Path> modules = List.of(source(from, to));
        assertCounts(Check.alone(target, modules), 3615, 612);
        assertCounts(Check.together(target, modules), 2397, 1830);
    }

    private static void assertCounts(List<VerdictLine> verdicts, int load, int refused) {
        String counts = verdicts.stream()
                .collect(Collectors.groupingBy(VerdictLine::verdict, Collectors.counting()))
                .toString();
        assertThat(verdicts.stream().filter(VerdictLine::loads))
                .as("load: " + counts)
                .hasSize(load);
        assertThat(verdicts.stream().filter(VerdictLine::incompatible))
                .as("do not load: " + counts)
                .hasSize(refused);
        assertThat(verdicts).hasSize(load + refused);
    }

    private Path source(String from, String to) {
        return present(from, from, to).modules();
    }

    private Kernel target(String from, String to) {
        present(from, from, to);
        return present(to, from, to);
    }

    private Kernel present(String release, String from, String to) {
        Optional<Kernel> kernel = kernels.find(release);
        if (kernel.isEmpty()) {
            Report.say("GOLDEN PAIR GONE: " + from + " -> " + to + ": no " + release + " any more");
        }
        assumeThat(kernel).as("golden pair %s -> %s is gone", from, to).isPresent();
        return kernel.orElseThrow();
    }
}
