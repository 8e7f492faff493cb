package dev.weaklink.system;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the dependencies between a kernel's modules from depmod's {@code modules.dep}. */
public final class Dependants {
    private static final long MAX_SIZE = 64L << 20;

    private Dependants() {}

    /**
     * Returns the names of modules that depend on the given modules, directly or indirectly, sorted. Returns null if
     * {@code modules.dep} is missing, cannot be read or is larger than 64 MiB.
     *
     * @param wanted the names of the given modules, with {@code '_'} for {@code '-'}
     */
    public static @Nullable Set<String> of(ModulesDirectory directory, Set<String> wanted) {
        Path file = directory.host().resolve("modules.dep");
        try {
            if (!Files.isRegularFile(file) || Files.size(file) > MAX_SIZE) {
                return null;
            }
            Set<String> dependants = new TreeSet<>();
            try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    read(line, wanted, dependants);
                }
            }
            return dependants;
        } catch (IOException e) {
            return null;
        }
    }

    /** Parses a line {@code PATH: PATH PATH …}, which lists all dependencies of a module after the colon. */
    private static void read(String line, Set<String> wanted, Set<String> dependants) {
        int colon = line.indexOf(':');
        if (colon < 0 || colon + 1 >= line.length()) {
            return;
        }
        int start = colon + 1;
        while (start < line.length()) {
            int end = line.indexOf(' ', start);
            end = end < 0 ? line.length() : end;
            if (end > start && wanted.contains(name(line.substring(start, end)))) {
                dependants.add(name(line.substring(0, colon)));
                return;
            }
            start = end + 1;
        }
    }

    private static String name(String path) {
        return ModuleNames.ofFile(path.substring(path.lastIndexOf('/') + 1));
    }
}
