package dev.weaklink.links;

import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.Trust;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.Similar;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is to be planned.
 *
 * @param root the image that is meant, null for the running system's own tree
 * @param kernels releases as typed; empty for every installed kernel
 * @param signaturePolicy how modules are judged whose signature the kernels do not trust; null for what the machine
 *     insists on, or the kernels themselves
 * @param certificates files with certificates that are trusted in addition to those the kernels have
 * @param reading how modules are read
 * @param overrides whether depmod is to be made to choose what it would not, by lines of depmod.d
 * @param explain find out why the CRCs of symbols changed
 */
public record PlanRequest(
        @Nullable Path root,
        List<String> kernels,
        @Nullable String signaturePolicy,
        List<String> certificates,
        ReadOptions reading,
        boolean overrides,
        boolean explain) {
    public PlanRequest {
        kernels = List.copyOf(kernels);
        certificates = List.copyOf(certificates);
    }

    /** With the policy and the keys there are. */
    public PlanRequest(@Nullable Path root, List<String> kernels, ReadOptions reading) {
        this(root, kernels, null, List.of(), reading, false, false);
    }

    /**
     * What kernels are to make of signatures.
     *
     * @param problems takes certificate files that have none
     */
    Trust trust(Root tree, List<InputProblem> problems) {
        Map<LoaderRule, String> loader =
                signaturePolicy == null ? Map.of() : Map.of(LoaderRule.SIGNATURE_POLICY, signaturePolicy);
        return Trust.in(tree, loader, certificates, problems);
    }

    /**
     * Those of these kernels that are meant.
     *
     * @param directories releases that have a directory of modules
     * @param problems takes kernels that are not there
     */
    List<String> among(List<String> installed, Root tree, List<String> directories, List<InputProblem> problems) {
        if (kernels.isEmpty()) {
            if (installed.isEmpty()) {
                problems.add(new InputProblem(tree.top().toString(), "no kernel is installed below its lib/modules"));
            }
            return installed;
        }
        List<String> meant = new ArrayList<>(installed);
        meant.retainAll(kernels);
        String there = directories.isEmpty() ? "none" : String.join(", ", directories);
        for (String kernel : kernels) {
            if (!meant.contains(kernel)) {
                String question = Similar.question(kernel, directories);
                problems.add(new InputProblem(kernel, "no such kernel is installed; installed: " + there + question));
            }
        }
        return meant;
    }
}
