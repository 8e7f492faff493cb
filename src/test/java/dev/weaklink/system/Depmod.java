package dev.weaklink.system;

import dev.weaklink.testing.ExternalTool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the machine's own depmod(8) to find the files that it would choose. */
final class Depmod {
    private Depmod() {}

    /** Returns the chosen files, sorted; each path is absolute or relative to the kernel's directory. */
    static List<String> choices(Path image, String release) throws IOException {
        Process depmod = new ProcessBuilder(
                        ExternalTool.find("depmod").orElseThrow().path().toString(),
                        "-n",
                        "-b",
                        image.toString(),
                        "-C",
                        image.resolve("etc/depmod.d").toString(),
                        release)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<String> files = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(depmod.getInputStream(), StandardCharsets.UTF_8))) {
            // modules.dep comes first; each of the other files starts with a comment.
            boolean dependencies = true;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                dependencies &= !line.startsWith("#");
                if (dependencies) {
                    files.add(line.substring(0, line.indexOf(':')));
                }
            }
        }
        files.sort(null);
        return files;
    }
}
