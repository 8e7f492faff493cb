package dev.weaklink.compat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the list of modules from standard input: one path a line. */
final class ModulePaths {
    /** The maximum size of the input, enough for the paths of more than a hundred thousand modules. */
    private static final int MAX_BYTES = 32 << 20;

    private ModulePaths() {}

    /**
     * Reads all paths. Blank lines and lines with NUL are skipped; relative paths are resolved against the caller's
     * directory.
     *
     * @throws IOException if the input cannot be read or exceeds the limit
     */
    static List<String> read(InputStream in, Path directory) throws IOException {
        byte[] bytes = in.readNBytes(MAX_BYTES + 1);
        if (bytes.length > MAX_BYTES) {
            throw new IOException("more than " + MAX_BYTES + " bytes");
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        List<String> paths = new ArrayList<>();
        int start = 0;
        while (start < text.length()) {
            int newline = text.indexOf('\n', start);
            int end = newline < 0 ? text.length() : newline;
            String line = text.substring(start, end);
            if (!line.isBlank() && line.indexOf('\0') < 0) {
                paths.add(line.startsWith("/") ? line : directory + "/" + line);
            }
            start = end + 1;
        }
        return paths;
    }
}
