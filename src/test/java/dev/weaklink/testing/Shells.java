package dev.weaklink.testing;

import java.util.ArrayList;
import java.util.List;

/** The shells in which the scripts for nodes must work, whichever shell sh is. */
public final class Shells {
    private static final List<String> ALL = List.of("dash", "bash", "busybox", "mksh", "ksh93");

    private Shells() {}

    /** Returns all shells, for parameters of tests; {@link #command} skips the test of a missing shell. */
    public static List<String> all() {
        return ALL;
    }

    public static List<String> installed() {
        return ALL.stream()
                .filter(shell -> ExternalTool.find(shell).isPresent())
                .toList();
    }

    /** Returns the command that starts the shell with a script; skips the test if the shell is missing. */
    public static List<String> command(String shell) {
        List<String> command =
                new ArrayList<>(List.of(ExternalTool.orSkip(shell).path().toString()));
        if (shell.equals("busybox")) {
            command.add("ash");
        }
        return command;
    }
}
