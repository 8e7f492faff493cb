package dev.weaklink.realkernel;

import dev.weaklink.realkernel.KernelAnswer.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Collects the differences between verdicts and the kernel's answers. */
final class Disagreements {
    private static final Set<String> VERSION_LAYERS = Set.of("module-layout", "symbol-crc", "symbol-version");
    private static final Set<String> NAMESPACE_LAYERS = Set.of("namespace");
    private static final Set<String> UNKNOWN_LAYERS =
            Set.of("symbol-missing", "symbol-gpl-only", "dependency", "license");

    private final List<String> found = new ArrayList<>();

    /** Returns one line for each difference so far. */
    List<String> found() {
        return found;
    }

    void add(String disagreement) {
        found.add(disagreement);
    }

    /** Compares one verdict with the answer for the same module. */
    void compare(KernelAnswer answer, VerdictLine verdict) {
        if (answer.accepted()) {
            compareAccepted(answer, verdict);
        } else if (answer.outcome() == Outcome.REFUSED && answer.idle().isEmpty()) {
            compareRefused(answer, verdict);
        } else if (answer.outcome() == Outcome.REFUSED) {
            compareWithIdleDependencies(answer, verdict);
        }
    }

    private void compareAccepted(KernelAnswer answer, VerdictLine verdict) {
        if (verdict.errno() != null || verdict.incompatible()) {
            differ(answer, "kernel: " + answer.outcome(), verdict.verdict() + " " + verdict.errno());
        }
    }

    private void compareRefused(KernelAnswer answer, VerdictLine verdict) {
        if (!verdict.incompatible() || !Objects.equals(answer.errno(), verdict.errno())) {
            differ(answer, "kernel: " + answer.errno(), verdict.verdict() + " " + verdict.errno());
        }
        same(answer, "versions", answer.versionRefusals(), verdict.refusedSymbols(VERSION_LAYERS));
        same(answer, "namespaces", answer.namespace(), verdict.refusedSymbols(NAMESPACE_LAYERS));
        same(answer, "unknown", answer.unknown(), verdict.refusedSymbols(UNKNOWN_LAYERS));
        for (VerdictLine.FindingLine finding : verdict.refusals()) {
            String line = finding.dmesg();
            if (line != null && !line.lines().allMatch(answer::logged)) {
                differ(answer, "the kernel did not log", line);
            }
        }
    }

    /**
     * Compares a module that needs a dependency that was not loaded. The kernel did not know the symbols of that
     * dependency, and so did not compare their CRCs; the other symbols must agree. The errno is that of the last
     * symbol, and proves nothing.
     */
    private void compareWithIdleDependencies(KernelAnswer answer, VerdictLine verdict) {
        if (!verdict.incompatible()) {
            differ(answer, "kernel: " + answer.errno(), verdict.verdict());
        }
        Set<String> versions = verdict.refusedSymbols(VERSION_LAYERS);
        Set<String> explained = new TreeSet<>(answer.versionRefusals());
        explained.addAll(answer.unknown());
        if (!versions.containsAll(answer.versionRefusals()) || !explained.containsAll(versions)) {
            differ(answer, "kernel: versions " + answer.versionRefusals(), versions.toString());
        }
        Set<String> unknown = verdict.refusedSymbols(UNKNOWN_LAYERS);
        if (!answer.unknown().containsAll(unknown)) {
            differ(answer, "kernel: unknown " + answer.unknown(), unknown.toString());
        }
    }

    private void same(KernelAnswer answer, String what, Set<String> kernel, Set<String> weaklink) {
        if (!kernel.equals(weaklink)) {
            Set<String> missed = new TreeSet<>(kernel);
            missed.removeAll(weaklink);
            Set<String> invented = new TreeSet<>(weaklink);
            invented.removeAll(kernel);
            differ(answer, what + " missed " + missed, "invented " + invented);
        }
    }

    private void differ(KernelAnswer answer, String kernel, String weaklink) {
        String first = answer.loadedFirst() == null ? "" : " after " + answer.loadedFirst();
        found.add(answer.label() + first + ": " + kernel + "; weaklink: " + weaklink);
    }
}
