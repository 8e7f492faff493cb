package dev.weaklink.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Terminal detection and width. */
interface Terminal {
    /** Width assumed where none can be asked for. */
    int DEFAULT_COLUMNS = 80;

    /** Whether file descriptor {@code fd} of this process is a terminal. */
    boolean isTerminal(int fd);

    /** Width of the terminal in characters. */
    int columns();

    /** The process's own terminal, if it has one. */
    static Terminal ofProcess(Map<String, String> environment) {
        return new OfProcess(environment);
    }

    /**
     * Java 17 has no isatty(3): the name behind the descriptor says it. {@code System.console()} would want stdin to be
     * a terminal too, and answers differently from 22 on.
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

        /** The second of stty's two numbers, rows and columns; empty if it has none to give. */
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
