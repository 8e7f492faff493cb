package dev.weaklink.links;

import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.SignaturePolicy;
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
 * The arguments of a plan.
 *
 * @param root the root directory, null for the running system
 * @param kernels the kernel releases as typed; empty for every installed kernel
 * @param signaturePolicy the policy for modules whose signature the kernels do not trust; null for the policy of the
 *     machine or of the kernels
 * @param certificates files of certificates that are trusted in addition to the kernels' own
 * @param reading the options for reading modules
 * @param overrides true to write a depmod.d line for each planned file that depmod would not choose otherwise
 * @param explain true to find the causes of changed CRCs
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

    public PlanRequest(@Nullable Path root, List<String> kernels, ReadOptions reading) {
        this(root, kernels, null, List.of(), reading, false, false);
    }

    SignaturePolicy trust(Root tree, List<InputProblem> problems) {
        Map<LoaderRule, String> loader =
                signaturePolicy == null ? Map.of() : Map.of(LoaderRule.SIGNATURE_POLICY, signaturePolicy);
        return SignaturePolicy.in(tree, loader, certificates, problems);
    }

    /**
     * Returns the requested kernels that are installed; all installed kernels if the request names none.
     *
     * @param directories the releases that have a module directory, for messages
     * @param problems receives a problem for each requested kernel that is not installed; or, if the request names
     *     none, a problem if no kernel is installed at all
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
