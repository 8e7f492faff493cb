package dev.weaklink.rebuild.run;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds programs in the absolute directories of PATH, and in sbin, which not every PATH contains. If a program's name
 * contains a slash, the name is a path.
 */
final class ProgramSearch {
    private static final List<String> SYSTEM = List.of("/usr/sbin", "/sbin");

    private ProgramSearch() {}

    static @Nullable Path find(String program, Map<String, String> environment) {
        if (program.indexOf('/') >= 0) {
            Path path = path(program);
            return path != null && isProgram(path) ? path : null;
        }
        List<String> directories = new ArrayList<>(
                List.of(environment.getOrDefault("PATH", "/usr/bin:/bin").split(":", -1)));
        directories.addAll(SYSTEM);
        for (String directory : directories) {
            Path path = path(directory);
            if (path != null && path.isAbsolute() && isProgram(path.resolve(program))) {
                return path.resolve(program);
            }
        }
        return null;
    }

    /** Returns a copy of the environment variables, with the sbin directories added to PATH. */
    static Map<String, String> complete(Map<String, String> environment) {
        Map<String, String> complete = new HashMap<>(environment);
        String path = environment.getOrDefault("PATH", "/usr/bin:/bin");
        for (String directory : SYSTEM) {
            if (!(":" + path + ":").contains(":" + directory + ":")) {
                path += ":" + directory;
            }
        }
        complete.put("PATH", path);
        return complete;
    }

    private static @Nullable Path path(String name) {
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            return null;
        }
    }

    private static boolean isProgram(Path path) {
        return Files.isRegularFile(path) && Files.isExecutable(path);
    }
}
