package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.run.HeadersDownload.PackageContents;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Fetches the source of a DKMS package from a package that apt offers.
 *
 * @param environment weaklink's environment variables; apt-get receives the proxies and {@code APT_CONFIG}
 */
record OfferedSource(Map<String, String> environment) {
    /**
     * Fetches and unpacks the package, and copies its source.
     *
     * @param source the offered package
     * @param label the installed DKMS package as {@code NAME/VERSION}
     * @param scratch the directory of the trial
     * @param sources the directory for the copy {@code NAME-VERSION}
     * @return {@code NAME/VERSION} of the offered source
     * @throws NotDoneException if the package cannot be fetched or unpacked, or contains no such source
     */
    String fetch(OfferedPackage source, String label, Path scratch, Path sources) throws IOException, NotDoneException {
        Path file = scratch.resolve(source.name() + ".deb");
        List<InputProblem> problems = new ArrayList<>();
        Path fetched = new HeadersDownload(environment, problems)
                .fetch(List.of(source), PackageContents.SOURCE, files -> {
                    DurableFiles.copy(files.get(0), file);
                    return file;
                });
        if (fetched == null) {
            InputProblem problem = problems.get(0);
            throw new NotDoneException(problem.subject() + ": " + problem.message());
        }
        return unpack(file, label, scratch, sources, Isolation.probe());
    }

    /** Unpacks the package as the user of the trial, and copies its source; returns {@code NAME/VERSION}. */
    static String unpack(Path file, String label, Path scratch, Path sources, Isolation isolation)
            throws IOException, NotDoneException {
        Path unpacked = Files.createDirectory(scratch.resolve("unpacked"));
        isolation.give(unpacked);
        TrialKernel.unpack(file, unpacked, scratch, isolation);
        String product = label.substring(0, label.indexOf('/'));
        for (String name : RootText.names(unpacked.resolve("usr/src"))) {
            Path directory = unpacked.resolve("usr/src").resolve(name);
            if (name.startsWith(product + "-") && TrialKernel.isReal(directory.resolve("dkms.conf"), unpacked)) {
                String newer = DriverSource.copy(directory, sources);
                if (newer.startsWith(product + "/")) {
                    return newer;
                }
            }
        }
        throw new NotDoneException(file.getFileName() + ": contains no source of " + product);
    }
}
