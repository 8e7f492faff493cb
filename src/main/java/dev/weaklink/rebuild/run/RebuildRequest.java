package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Job;
import dev.weaklink.rules.Product.RebuildHint;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code weaklink rebuild}.
 *
 * @param root the root directory of the system to build for, null for the running system
 * @param kernel the release to build for
 * @param product the product to build, null for the product that rules or the system show
 * @param bundle the installation image as typed, null if none
 * @param backend the id of the backend, null to choose it by the facts of the system
 * @param packages the DKMS packages that the user named
 * @param buildTree the kernel's build tree that the user named, null for the installed one
 * @param work the parent directory for the work directory, null for the run's own directory
 * @param settings the options of the build
 * @param own the command that the user gave for the backend {@code command}
 * @param allowedMissing the modules and packages that the result may lack
 * @param environment the environment variables
 * @param jobs the number of threads for checks, at least 1
 */
public record RebuildRequest(
        @Nullable Path root,
        String kernel,
        @Nullable String product,
        @Nullable Path bundle,
        @Nullable String backend,
        List<String> packages,
        @Nullable Path buildTree,
        @Nullable Path work,
        Job.Settings settings,
        RebuildHint.SiteCommand own,
        List<String> allowedMissing,
        Map<String, String> environment,
        int jobs) {
    public RebuildRequest {
        packages = List.copyOf(packages);
        allowedMissing = List.copyOf(allowedMissing);
        environment = Map.copyOf(environment);
    }
}
