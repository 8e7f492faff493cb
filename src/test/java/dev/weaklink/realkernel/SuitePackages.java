package dev.weaklink.realkernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Packages of another Debian suite, unpacked below a separate directory. */
final class SuitePackages {
    private static final Path SCRIPT = Path.of("src/test/scripts/suite-root.sh").toAbsolutePath();

    private SuitePackages() {}

    /**
     * Returns the root directory with the packages. Returns empty, and reports this, if the suite or a package is not
     * available.
     *
     * @param purpose the purpose of the packages, in a word that is also the directory's name
     */
    static Optional<Path> unpacked(String purpose, String suite, List<String> packages)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", SCRIPT.toString()));
        command.addAll(List.of(Report.FETCHED.resolve(purpose).toString(), suite));
        command.addAll(packages);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String root = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() == 0) {
            return Optional.of(Path.of(root));
        }
        Report.say("NOT TO BE HAD: packages of " + suite + " for " + purpose);
        return Optional.empty();
    }
}
