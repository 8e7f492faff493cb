package dev.weaklink.rebuild;

import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The record of one rebuild.
 *
 * @param state the progress or the end of the run
 * @param version the version of weaklink
 * @param kernel the release to build for
 * @param backend the id of the backend
 * @param reason the reason for choosing the backend
 * @param inputs the inputs by name, such as {@code bundle}
 * @param digests the SHA-256 digests in hex of input and output files, by path
 * @param steps the commands of the run
 * @param status the exit status of the last program; null until the build ends
 * @param before the out-of-tree modules that were installed when the rebuild began or, if its result was checked again
 *     later, at the last check
 * @param modules the modules that were built; empty until the result is checked
 * @param results the output files
 * @param image the file names of the packages with modules in the installation image of Mellanox; empty if the build
 *     used no image
 * @param packages the results of separately built packages
 * @param diagnosis the reason for a failure, or null
 */
public record Manifest(
        RunState state,
        String version,
        String kernel,
        String backend,
        String reason,
        Map<String, String> inputs,
        Map<String, String> digests,
        List<Step> steps,
        @Nullable Integer status,
        List<BuiltModule> before,
        List<BuiltModule> modules,
        List<String> results,
        List<String> image,
        List<PackageResult> packages,
        @Nullable Diagnosis diagnosis) {
    public Manifest {
        inputs = new TreeMap<>(inputs);
        digests = new TreeMap<>(digests);
        steps = List.copyOf(steps);
        before = List.copyOf(before);
        modules = List.copyOf(modules);
        results = List.copyOf(results);
        image = List.copyOf(image);
        packages = List.copyOf(packages);
    }

    /**
     * Returns the manifest of a run whose result was checked.
     *
     * @param why the reason why the result is unusable, or null
     */
    public Manifest judged(
            RunState how, List<BuiltModule> installed, List<BuiltModule> built, @Nullable Diagnosis why) {
        return new Manifest(
                how, version, kernel, backend, reason, inputs, digests, steps, status, installed, built, results, image,
                packages, why);
    }

    public Manifest without(String directory) {
        List<String> left = results.stream()
                .filter(result -> !result.startsWith(directory + "/"))
                .toList();
        return new Manifest(
                state, version, kernel, backend, reason, inputs, digests, steps, status, before, modules, left, image,
                packages, diagnosis);
    }

    /**
     * Returns the manifest with separately built packages marked as failed, because the kernel would refuse their
     * modules.
     *
     * @param refused the reasons, by the label of the package
     */
    public Manifest refusing(Map<String, String> refused) {
        List<PackageResult> judged = new ArrayList<>();
        for (PackageResult one : packages) {
            String reason = refused.get(one.label());
            judged.add(
                    reason == null ? one : new PackageResult(one.label(), PackageResult.PackageState.FAILED, reason));
        }
        return new Manifest(
                state, version, kernel, backend, reason, inputs, digests, steps, status, before, modules, results,
                image, judged, diagnosis);
    }

    public List<String> builtPackages() {
        return PackageResult.built(packages);
    }

    /** The progress or the end of a run. The ids are part of the machine-readable output. */
    public enum RunState implements StableId {
        RUNNING,
        /** The build succeeded, but its result was not checked yet. */
        UNJUDGED,
        BUILT,
        ALREADY_THERE,
        FAILED,
        CANCELLED,
        ABANDONED
    }

    /**
     * The result of one package of a run that builds or installs packages separately.
     *
     * @param label the package
     * @param state the end of its build or installation
     * @param reason the reason why the package was not built or installed, in one line; empty if there is none
     */
    public record PackageResult(String label, PackageState state, String reason) {
        /** The ends of a package's build or installation. The ids are part of the machine-readable output. */
        public enum PackageState implements StableId {
            BUILT,
            FAILED,
            SKIPPED,
            NOT_FOR_THIS_KERNEL
        }

        public boolean isMissing() {
            return state == PackageState.FAILED || state == PackageState.SKIPPED;
        }

        public static List<String> built(List<PackageResult> packages) {
            return packages.stream()
                    .filter(one -> one.state() == PackageState.BUILT)
                    .map(PackageResult::label)
                    .toList();
        }
    }
}
