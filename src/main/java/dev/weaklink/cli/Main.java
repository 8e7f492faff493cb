package dev.weaklink.cli;

import dev.weaklink.sys.StalledReads;

public final class Main {
    private static final int STALL_SECONDS = 60;

    private Main() {}

    public static void main(String[] args) {
        Weaklink weaklink = new Weaklink(Console.ofProcess());
        StalledReads.report(
                STALL_SECONDS, 1_000, file -> Runtime.getRuntime().halt(weaklink.stalled(file, STALL_SECONDS, args)));
        System.exit(weaklink.run(args));
    }
}
