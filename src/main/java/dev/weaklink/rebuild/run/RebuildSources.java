package dev.weaklink.rebuild.run;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.Gate;
import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateAnswer.MissingModule;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.rebuild.SourceChooser;
import dev.weaklink.sys.Root;
import dev.weaklink.system.InstalledKernels;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the refused modules that nothing on a machine can rebuild. */
public final class RebuildSources {
    private RebuildSources() {}

    /**
     * Returns the file of each refused module that nothing can rebuild, with the kernel to stay with. This is the other
     * kernel that the file was built for, if that kernel can be booted and is known to load the file. Otherwise, the
     * kernel is an empty string.
     *
     * @param request the request of the report
     * @param labels the name of the product, package or directory, by file; a file outside of the kernels' own
     *     directories has none
     */
    public static Map<String, String> unknown(
            GateReport report, CheckRequest request, Map<String, String> labels, Root root) throws IOException {
        Map<String, String> refused = new HashMap<>();
        for (GateAnswer answer : report.asked()) {
            for (Verdict verdict : answer.verdicts()) {
                if (verdict.outcome() == Outcome.INCOMPATIBLE) {
                    refused.put(
                            verdict.module().origin().toString(),
                            older(verdict.module().name(), answer));
                }
            }
        }
        if (refused.isEmpty()) {
            return refused;
        }
        SourceChooser chooser = new SourceChooser(EvidenceReader.read(root, null));
        refused.keySet().removeIf(file -> {
            String label = labels.get(file);
            return label != null
                    && !chooser.ofUnit(label, label, List.of(file)).backend().isEmpty();
        });
        keepLoading(refused, report, request, root);
        return refused;
    }

    /**
     * Replaces the kernel to stay with by an empty string if that kernel cannot be booted, or is not known to load the
     * file.
     *
     * @param refused the kernel to stay with, by file
     */
    private static void keepLoading(Map<String, String> refused, GateReport report, CheckRequest request, Root root) {
        Set<String> bootable = InstalledKernels.bootable(root);
        Map<String, Set<String>> loading = new HashMap<>();
        report.answers()
                .forEach(answer -> loading.put(String.valueOf(answer.target().release()), loaded(answer)));
        refused.replaceAll((file, older) -> {
            if (!bootable.contains(older)) {
                return "";
            }
            Set<String> files = loading.computeIfAbsent(older, kernel -> {
                GateReport judged = Gate.judge(request.with(List.of(), List.of(kernel)), List.of());
                return judged.asked().isEmpty()
                        ? Set.of()
                        : loaded(judged.asked().get(0));
            });
            return files.contains(file) ? older : "";
        });
    }

    private static Set<String> loaded(GateAnswer answer) {
        Set<String> files = new HashSet<>();
        for (Verdict verdict : answer.verdicts()) {
            String file = verdict.module().origin().toString();
            if (verdict.outcome() == Outcome.COMPATIBLE && answer.inPlace().contains(file)) {
                files.add(file);
            }
        }
        return files;
    }

    /**
     * Returns the other kernel that the refused build of a module was built for; empty if that build is in the
     * directory of the kernel that refuses it.
     */
    private static String older(String module, GateAnswer answer) {
        for (MissingModule missing : answer.missing()) {
            boolean isOfAnother = missing.cause() == MissingModule.AbsenceCause.NOT_INSTALLED
                    || missing.cause() == MissingModule.AbsenceCause.NOT_LINKABLE;
            if (isOfAnother && missing.name().equals(module)) {
                return missing.judged();
            }
        }
        return "";
    }
}
