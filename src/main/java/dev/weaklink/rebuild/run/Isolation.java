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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The confinement of foreign build scripts, which may change only one directory.
 *
 * @param hasNamespaces true if the kernel lets this process create mount, process and network namespaces
 * @param user the number of the unprivileged user that builds run as; -1 if this process is not root
 * @param group the number of that user's group
 */
record Isolation(boolean hasNamespaces, int user, int group) {
    private static final Duration PROBE_LIMIT = Duration.ofSeconds(10);
    private static final List<String> UNSHARE =
            List.of("unshare", "--mount", "--net", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc", "--");

    static Isolation probe() throws IOException {
        if (FileStatus.of(Path.of("/proc/self")).owner() != 0) {
            return new Isolation(false, -1, -1);
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
            throw new IOException("/etc/passwd: there is no user nobody, as whom a trial would build");
        }
        return new Isolation(canUnshare(), user, group);
    }

    private static int number(String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static boolean canUnshare() {
        List<String> words = new ArrayList<>(UNSHARE);
        words.add("true");
        try {
            return ExternalCommand.of(words, PROBE_LIMIT).run().succeeded();
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns whether headers can be shown to a build at a path where they are not installed. */
    boolean canOverlay() {
        return hasNamespaces;
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
        if (hasNamespaces) {
            List<String> words = new ArrayList<>(UNSHARE);
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
