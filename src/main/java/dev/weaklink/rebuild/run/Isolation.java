package dev.weaklink.rebuild.run;

import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.FileStatus;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.ShippedText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The protection of the system from foreign build scripts, as far as this process has the privileges.
 *
 * @param namespaces a program with its arguments that runs a command in its own mount, process and network namespaces;
 *     empty if this process cannot create namespaces
 * @param user the number of the unprivileged user that runs builds; -1 if this process is not root
 * @param group the number of that user's group; -1 if this process is not root
 */
record Isolation(List<String> namespaces, int user, int group) {
    /**
     * The last of the user numbers that systemd assigns to running services (systemd.exec, DynamicUser). The first is
     * {@link #FIRST_USER}.
     */
    private static final int LAST_USER = 65519;

    private static final int FIRST_USER = 61184;
    private static final Duration PROBE_LIMIT = Duration.ofSeconds(10);
    private static final List<String> UNSHARE =
            List.of("unshare", "--mount", "--net", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc", "--");

    /**
     * The program that has the kernel kill a build if weaklink is killed. util-linux before 2.33 does not know the
     * option.
     */
    private static final List<String> ENDING_WITH_WEAKLINK = List.of("setpriv", "--pdeathsig=KILL", "--");

    Isolation {
        namespaces = List.copyOf(namespaces);
    }

    static Isolation probe() throws IOException {
        if (FileStatus.of(Path.of("/proc/self")).owner() != 0) {
            return new Isolation(List.of(), -1, -1);
        }
        List<String> both = new ArrayList<>(ENDING_WITH_WEAKLINK);
        both.addAll(UNSHARE);
        for (List<String> namespaces : List.of(both, UNSHARE)) {
            if (succeeds(namespaces)) {
                int free = freeUser();
                return new Isolation(namespaces, free, free);
            }
        }
        int user = -1;
        int group = -1;
        for (String line : RootText.read(Path.of("/etc/passwd"), 1 << 20).split("\n", -1)) {
            String[] fields = line.split(":", -1);
            if (fields.length > 3 && fields[0].equals("nobody")) {
                user = number(fields[2]);
                group = number(fields[3]);
            }
        }
        if (user <= 0 || group <= 0) {
            throw new IOException("/etc/passwd: there is no user 'nobody', and trial builds run as this user");
        }
        return new Isolation(List.of(), user, group);
    }

    /** Returns the number of a user that has no name and no processes, so that only the trial runs as that user. */
    private static int freeUser() throws IOException {
        Set<Integer> used = new HashSet<>();
        for (String file : List.of("/etc/passwd", "/etc/group")) {
            for (String line : RootText.read(Path.of(file), 1 << 20).split("\n", -1)) {
                String[] fields = line.split(":", -1);
                used.add(fields.length > 2 ? number(fields[2]) : -1);
            }
        }
        for (String process : RootText.names(Path.of("/proc"))) {
            if (number(process) > 0) {
                used.add(owner(process));
            }
        }
        for (int user = LAST_USER; user >= FIRST_USER; user--) {
            if (!used.contains(user)) {
                return user;
            }
        }
        throw new IOException(
                "no free user ID for a trial build: all from " + FIRST_USER + " to " + LAST_USER + " are in use");
    }

    private static int owner(String process) {
        try {
            return FileStatus.of(Path.of("/proc", process)).owner();
        } catch (IOException e) {
            // The process has ended.
            return -1;
        }
    }

    private static int number(String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static boolean succeeds(List<String> program) {
        List<String> words = new ArrayList<>(program);
        words.add("true");
        try {
            return ExternalCommand.of(words, PROBE_LIMIT).run().succeeded();
        } catch (IOException e) {
            return false;
        }
    }

    boolean canOverlay() {
        return !namespaces.isEmpty();
    }

    void give(Path directory) throws IOException {
        if (user >= 0) {
            Files.setAttribute(directory, "unix:uid", user, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(directory, "unix:gid", group, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /**
     * Returns the arguments that run a command isolated.
     *
     * @param work the directory that the command may change
     * @param overlay a directory with usr/src and usr/lib/modules to mount over the machine's; null for none
     */
    List<String> around(Path work, @Nullable Path overlay, List<String> command) {
        List<String> words = new ArrayList<>(prefix(work, overlay));
        words.addAll(command);
        return words;
    }

    List<String> prefix(Path work, @Nullable Path overlay) {
        if (canOverlay()) {
            List<String> words = new ArrayList<>(namespaces);
            words.addAll(List.of("sh", "-c", ShippedText.of("/rebuild/isolated-build.sh"), "weaklink-trial"));
            words.addAll(List.of(
                    work.toString(),
                    overlay == null ? "" : overlay.toString(),
                    Integer.toString(user),
                    Integer.toString(group)));
            return words;
        }
        return user < 0
                ? List.of()
                : List.of(
                        "env",
                        "-C",
                        work.toString(),
                        "setpriv",
                        "--reuid=" + user,
                        "--regid=" + group,
                        "--clear-groups",
                        "--no-new-privs");
    }
}
