package dev.weaklink.cli;

import dev.weaklink.sys.StalledReads;

public final class Main {
    private static final int STALL_SECONDS = 60;

    private Main() {}

    public static void main(String[] args) {
        Weaklink weaklink = new Weaklink(Console.ofProcess());
        StalledReads.report(
                STALL_SECONDS, 1_000, file -> Runtime.getRuntime().halt(weaklink.stalled(file, STALL_SECONDS, args)));
        end(weaklink.run(args), args);
    }

    /**
     * Ends the process. From Java 21 on, {@code System.exit} searches every jar for a logger, which takes about 10 ms.
     * Without it, no shutdown hook runs: builds have hooks, and so has zstd's library unless the launcher names an
     * unpacked one.
     */
    private static void end(int status, String... arguments) {
        if (Weaklink.changes(arguments) || System.getProperty("ZstdNativePath") == null) {
            System.exit(status);
        }
        Runtime.getRuntime().halt(status);
    }
}
