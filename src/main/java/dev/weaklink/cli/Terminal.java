package dev.weaklink.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

interface Terminal {
    int DEFAULT_COLUMNS = 80;

    boolean isTerminal(int fd);

    int columns();

    static Terminal ofProcess(Map<String, String> environment) {
        return new OfProcess(environment);
    }

    /**
     * The terminal of the process, detected by the name behind a descriptor, because Java 17 has no isatty(3).
     * {@code System.console()} requires stdin to be a terminal too, and behaves differently from Java 22 on.
     */
    final class OfProcess implements Terminal {
        private final Map<String, String> environment;

        private OfProcess(Map<String, String> environment) {
            this.environment = environment;
        }

        @Override
        public boolean isTerminal(int fd) {
            try {
                String name =
                        Files.readSymbolicLink(Path.of("/proc/self/fd/" + fd)).toString();
                return name.startsWith("/dev/pts/") || name.startsWith("/dev/tty") || name.equals("/dev/console");
            } catch (IOException e) {
                return false;
            }
        }

        @Override
        public int columns() {
            String exported = environment.get("COLUMNS");
            if (exported != null) {
                return atLeastOne(exported);
            }
            try {
                return atLeastOne(askStty());
            } catch (IOException e) {
                return DEFAULT_COLUMNS;
            }
        }

        private static String askStty() throws IOException {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return size.substring(size.indexOf(' ') + 1).strip();
        }

        private static int atLeastOne(String number) {
            try {
                int value = Integer.parseInt(number.strip());
                return value > 0 ? value : DEFAULT_COLUMNS;
            } catch (NumberFormatException e) {
                return DEFAULT_COLUMNS;
            }
        }
    }
}
