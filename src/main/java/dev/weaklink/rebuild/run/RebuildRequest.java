package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Job;
import dev.weaklink.rules.Product.RebuildHint;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What {@code weaklink rebuild} was asked.
 *
 * @param root the image that is meant, null for the running system
 * @param kernel the release to build for
 * @param product what to build, null for what is installed
 * @param bundle the installation image as typed, null if none
 * @param backend the id of the backend, null to choose by evidence
 * @param packages DKMS packages given by hand
 * @param buildTree the kernel's build tree given by hand, null for the installed one
 * @param work where to work, null for the run's own directory
 * @param settings how to build
 * @param own a command line given by hand
 * @param allowedMissing modules, and packages of them, that the result need not have
 * @param environment the environment's variables
 * @param jobs number of threads for checks, at least 1
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
        RebuildHint.Command own,
        List<String> allowedMissing,
        Map<String, String> environment,
        int jobs) {
    public RebuildRequest {
        packages = List.copyOf(packages);
        allowedMissing = List.copyOf(allowedMissing);
        environment = Map.copyOf(environment);
    }
}
