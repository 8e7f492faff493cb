package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.LoaderBehaviorReader;
import dev.weaklink.kernel.LoaderBehaviorReader.LoaderEvidence;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.SymversReader;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.links.selection.Candidate;
import dev.weaklink.links.selection.MaximalSubset;
import dev.weaklink.links.selection.MaximalSubset.SubsetQuestion;
import dev.weaklink.links.selection.Selection;
import dev.weaklink.links.selection.Selection.TrialOutcome;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.Outcome;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.testing.Records;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The number of modules of one Debian kernel that can be linked into another without breaking a module. The numbers
 * were counted once by comparing all exports and imports. More modules would load alone; but the target's own modules
 * that use them need the target's own builds.
 */
class MaximalSubsetIT {
    private final RealKernels kernels = RealKernels.atDefault();

    @ParameterizedTest(name = "{0} -> {1}: {3} can be linked, {2} would load alone")
    @CsvSource({
        "6.1.0-53-amd64, 6.1.0-54-amd64, 972, 966",
        "6.1.0-54-amd64, 6.1.0-53-amd64, 966, 961",
        "6.1.0-50-amd64, 6.1.0-53-amd64, 645, 641",
        "6.1.0-54-amd64, 6.1.0-50-amd64, 401, 398",
        "6.1.0-55-amd64, 6.1.0-56-amd64, 4023, 4023",
    })
    void modulesThatCanBeLinked(String from, String to, int alone, int linked) {
        List<KernelModule> own = modules(to);
        TargetKernel target = target(to, own.get(0));
        List<Candidate> candidates = new ArrayList<>();
        for (KernelModule module : modules(from)) {
            candidates.add(Candidate.of(module));
        }

        Selection selection = MaximalSubset.choose(
                new SubsetQuestion(target, candidates, own, Set.of(), Set.of()),
                new ExportRowCache(target.exports()),
                2);

        assertThat(selection.chosen()).hasSize(linked);
        assertThat(selection.decisions())
                .filteredOn(decision -> decision.verdict().outcome() == Outcome.COMPATIBLE)
                .hasSize(alone);
        assertThat(selection.decisions())
                .filteredOn(decision -> decision.status() instanceof TrialOutcome.Refused)
                .hasSize(candidates.size() - alone);
    }

    private List<KernelModule> modules(String release) {
        List<KernelModule> modules = new ArrayList<>();
        for (Path file : present(release).files()) {
            byte[] bytes = bytes(file);
            modules.add(ModuleReader.read(Origin.file(file.toString()), bytes, bytes.length));
        }
        return modules;
    }

    private TargetKernel target(String release, KernelModule sample) {
        byte[] text = bytes(present(release).symvers());
        Symvers symvers = SymversReader.read(text, text.length);
        return Records.of(
                TargetKernel.class,
                "image",
                ImageFacts.NONE,
                "label",
                release,
                "release",
                release,
                "machine",
                sample.elf(),
                "vermagic",
                sample.modInfo().first("vermagic"),
                "structModuleSize",
                sample.structSize(),
                "exports",
                symvers.exports(),
                "exportsComplete",
                true,
                "ownModulesKnown",
                true,
                "rules",
                LoaderBehaviorReader.read(new LoaderEvidence(release, null, symvers, sample, Map.of())));
    }

    private static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Kernel present(String release) {
        Optional<Kernel> kernel = kernels.find(release);
        if (kernel.isEmpty()) {
            Report.say("GOLDEN PAIR GONE: no " + release + " any more");
        }
        assumeThat(kernel).as("%s is gone", release).isPresent();
        return kernel.orElseThrow();
    }
}
