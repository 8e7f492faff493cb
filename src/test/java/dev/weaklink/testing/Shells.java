package dev.weaklink.testing;

import java.util.ArrayList;
import java.util.List;

/** The shells in which what is installed on nodes has to work, whichever sh is. */
public final class Shells {
    private static final List<String> ALL = List.of("dash", "bash", "busybox", "mksh", "ksh93");

    private Shells() {}

    /** For parameters of tests; one that is missing skips its test in {@link #command}. */
    public static List<String> all() {
        return ALL;
    }

    public static List<String> installed() {
        return ALL.stream()
                .filter(shell -> ExternalTool.find(shell).isPresent())
                .toList();
    }

    /** What starts it, to be followed by a script; skips the test if it is missing. */
    public static List<String> command(String shell) {
        List<String> command =
                new ArrayList<>(List.of(ExternalTool.orSkip(shell).path().toString()));
        if (shell.equals("busybox")) {
            command.add("ash");
        }
        return command;
    }
}
