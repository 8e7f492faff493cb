package dev.weaklink.rebuild;

import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a run.
 *
 * @param state how far it has got, or how it ended
 * @param version of this program
 * @param kernel the release it builds for
 * @param backend what builds
 * @param reason why that one
 * @param inputs what went in, by name, such as {@code bundle}
 * @param digests SHA-256 in hex of files that went in or came out, by path
 * @param steps what is run
 * @param status exit status of the last program; null while it runs
 * @param before modules that were installed, as {@code name srcversion file}
 * @param modules modules that were built, in the same form
 * @param results files that came out
 * @param image names of the package files with modules in the image it was built from
 * @param packages results of packages that were built each by itself
 * @param diagnosis why it failed; null if it did not
 */
public record Manifest(
        State state,
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

    /** The same judged: how it ended, what was built, and why that is no result. */
    public Manifest judged(State how, List<BuiltModule> installed, List<BuiltModule> built, @Nullable Diagnosis why) {
        return new Manifest(
                how, version, kernel, backend, reason, inputs, digests, steps, status, installed, built, results, image,
                packages, why);
    }

    /** The same without results below a directory that is gone. */
    public Manifest without(String directory) {
        List<String> left = results.stream()
                .filter(result -> !result.startsWith(directory + "/"))
                .toList();
        return new Manifest(
                state, version, kernel, backend, reason, inputs, digests, steps, status, before, modules, left, image,
                packages, diagnosis);
    }

    /**
     * The same where some of the packages that were built each by itself are of no use.
     *
     * @param refused why, by label
     */
    public Manifest refusing(Map<String, String> refused) {
        List<PackageResult> judged = new ArrayList<>();
        for (PackageResult one : packages) {
            String reason = refused.get(one.label());
            judged.add(reason == null ? one : new PackageResult(one.label(), PackageResult.State.FAILED, reason));
        }
        return new Manifest(
                state, version, kernel, backend, reason, inputs, digests, steps, status, before, modules, results,
                image, judged, diagnosis);
    }

    /** Labels of the packages that were built each by itself, in their order. */
    public List<String> builtPackages() {
        return PackageResult.built(packages);
    }

    /** How far a run has got, or how it ended. The ids are part of the machine-readable contract. */
    public enum State implements StableId {
        RUNNING,
        /** The build has ended well, and what it made was not checked yet. */
        UNJUDGED,
        BUILT,
        ALREADY_THERE,
        FAILED,
        CANCELLED,
        ABANDONED
    }

    /**
     * The result of one of the packages that a run builds each by itself.
     *
     * @param label the package
     * @param state how it ended
     * @param reason why it was not built, one line; empty if it was
     */
    public record PackageResult(String label, State state, String reason) {
        /** What can become of a package. The ids are part of the machine-readable contract. */
        public enum State implements StableId {
            BUILT,
            FAILED,
            /** What it needs was not built. */
            SKIPPED,
            /** Its source says it is not for this kernel. */
            NOT_FOR_THIS_KERNEL
        }

        /** Whether it should have been built and was not. */
        public boolean isMissing() {
            return state == State.FAILED || state == State.SKIPPED;
        }

        /** Labels of those that were built, in their order. */
        public static List<String> built(List<PackageResult> packages) {
            return packages.stream()
                    .filter(one -> one.state() == State.BUILT)
                    .map(PackageResult::label)
                    .toList();
        }
    }
}
