package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Job;
import dev.weaklink.rules.Product.RebuildHint;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The request for a rebuild or a trial build.
 *
 * @param root the root directory of the system to build for, null for the running system
 * @param kernel the release to build for
 * @param product the product to build, null for the product that rules or the system show
 * @param bundle the path of the installation image of Mellanox, null if none
 * @param backend the id of the backend, null for the backend that rules or the system show
 * @param packages the DKMS packages to build, empty for the packages that rules or the system show
 * @param buildTree the kernel's build tree, null for the installed one
 * @param work the parent directory for the work directory, null for the run's own directory
 * @param settings the options of the build
 * @param own the command that the user gave for the backend {@code command}, or an empty command
 * @param allowedMissing the modules and packages that the result may lack
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
