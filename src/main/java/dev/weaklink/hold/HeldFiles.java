package dev.weaklink.hold;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.NotDoneException.FailureState;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files below a root directory that make its package manager skip held kernels, and that show the reasons at login.
 */
final class HeldFiles {
    private static final String LOCK = "/run/weaklink/hold.lock";

    /** The time to wait for the lock, longer than another run may take to download headers. */
    private static final Duration LOCK_WAIT = Duration.ofMinutes(15);

    private static final String MOTD_DIRECTORY = "/etc/motd.d";

    private static final String MOTD = MOTD_DIRECTORY + "/weaklink-hold";
    private static final int MAX_SIZE = 4 << 20;

    private final Root root;

    HeldFiles(Root root) {
        this.root = root;
    }

    /**
     * Acquires the lock for these files. The caller acquires the lock before it reads the package manager's lists, so
     * that a run with older lists never overwrites the decision of a run with newer lists.
     *
     * @param waiting receives the process that holds the lock now
     * @throws NotDoneException if the lock cannot be acquired
     */
    LockFile lock(Consumer<LockFile.Holder> waiting) throws NotDoneException {
        LockFile lock;
        try {
            Path file = root.resolve(LOCK);
            DurableFiles.createDirectories(file.resolveSibling(""));
            lock = LockFile.acquire(file, "weaklink hold", LOCK_WAIT, waiting);
        } catch (IOException e) {
            throw new NotDoneException(FailureState.ROLLED_BACK, "hold: cannot lock " + LOCK + ": " + reason(e));
        }
        if (lock == null) {
            throw new NotDoneException(
                    FailureState.ROLLED_BACK,
                    "hold: kernels stay held as before: another 'weaklink hold' still has the lock " + LOCK + " after "
                            + LOCK_WAIT.toMinutes() + " minutes; try again when it has ended");
        }
        return lock;
    }

    /** Returns the reason for the error, with the next step if only root may write the file. */
    static String reason(IOException e) {
        return IoReason.of(e)
                + (e instanceof AccessDeniedException
                        ? "; repeat the command as root, or with --dry-run to see what it would hold"
                        : "");
    }

    static boolean hasZypper(Root root) {
        return ZypperLocks.isUsed(root);
    }

    boolean exist() throws IOException {
        for (String file : List.of(AptPins.FILE, KeptHold.FILE, MOTD)) {
            if (Files.exists(root.resolve(file))) {
                return true;
            }
        }
        return ZypperLocks.has(root);
    }

    /**
     * Writes the files that make the package manager hold {@code hold.packages()} instead of the packages that weaklink
     * held before. If writing a file fails, restores all files.
     *
     * @param manager the package manager's name
     * @param report the report to keep until the next run
     * @throws IOException if a file cannot be written; with suppressed exceptions if a file could not be restored
     */
    void write(String manager, byte[] report, Hold hold) throws IOException {
        List<HeldFile> files = new ArrayList<>();
        if (manager.equals("apt")) {
            files.add(file(AptPins.FILE, bytes(AptPins.text(hold))));
        } else if (manager.equals("zypper")) {
            HeldFile locks = ZypperLocks.with(root, hold.packages());
            if (!Arrays.equals(locks.before(), locks.after())) {
                files.add(locks);
            }
        }
        StringBuilder motd = new StringBuilder();
        KeptHold.of(report)
                .held()
                .forEach(kernel -> motd.append(kernel.line("")).append('\n'));
        files.add(file(KeptHold.FILE, report));
        files.add(file(MOTD, bytes(motd.toString())));
        replaceAll(files);
    }

    private HeldFile file(String inside, byte @Nullable [] content) throws IOException {
        Path file = root.resolve(inside);
        byte[] before = Files.isRegularFile(file) ? new RootText(root).bytes(inside, MAX_SIZE) : null;
        return new HeldFile(file, before, content);
    }

    private static byte @Nullable [] bytes(String text) {
        return text.isEmpty() ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The change of one file.
     *
     * @param before the present content; null if the file does not exist
     * @param after the new content; null to remove the file
     */
    private record HeldFile(Path file, byte @Nullable [] before, byte @Nullable [] after) {
        Path directory() {
            return file.resolveSibling("");
        }

        @Nullable
        Path draft() throws IOException {
            if (after == null) {
                return null;
            }
            DurableFiles.createDirectories(directory());
            return DurableFiles.draftOf(file, after);
        }

        void restore() throws IOException {
            if (before == null) {
                Files.deleteIfExists(file);
            } else {
                DurableFiles.replace(file, before);
            }
        }
    }

    /**
     * Replaces all files. All new contents are written to temporary files before the first file changes. Temporary
     * files of killed processes are removed, because pam_motd(8) would show them.
     */
    private static void replaceAll(List<HeldFile> files) throws IOException {
        Map<HeldFile, Path> drafts = new LinkedHashMap<>();
        Deque<HeldFile> changed = new ArrayDeque<>();
        try {
            for (HeldFile file : files) {
                String name = String.valueOf(file.file().getFileName());
                DurableFiles.removeDrafts(file.directory(), Pattern.compile(Pattern.quote(name)), Duration.ZERO);
            }
            for (HeldFile file : files) {
                Path draft = file.draft();
                if (draft != null) {
                    drafts.put(file, draft);
                }
            }
            for (HeldFile file : files) {
                Path draft = drafts.get(file);
                if (draft != null) {
                    Files.move(draft, file.file(), StandardCopyOption.ATOMIC_MOVE);
                } else {
                    Files.deleteIfExists(file.file());
                }
                changed.push(file);
            }
            for (HeldFile file : files) {
                if (Files.isDirectory(file.directory())) {
                    DurableFiles.syncDirectory(file.directory());
                }
            }
        } catch (IOException e) {
            for (HeldFile file : changed) {
                try {
                    file.restore();
                } catch (IOException again) {
                    e.addSuppressed(again);
                }
            }
            throw e;
        } finally {
            for (Path draft : drafts.values()) {
                try {
                    Files.deleteIfExists(draft);
                } catch (IOException e) {
                    // The next run removes the draft. An exception here would hide why the files were not replaced.
                }
            }
        }
    }

    /** Returns whether the package manager skips a kernel because of these files. */
    boolean holdKernels() throws IOException {
        return ZypperLocks.has(root)
                || Files.exists(root.resolve(AptPins.FILE))
                || !KeptHold.read(root).held().isEmpty();
    }

    /**
     * Releases all kernels. If a file cannot be changed, restores all files, as {@link #write} does.
     *
     * @return true if a kernel was held
     */
    boolean remove() throws IOException {
        boolean was = holdKernels();
        List<HeldFile> files = new ArrayList<>();
        if (ZypperLocks.has(root)) {
            files.add(ZypperLocks.with(root, List.of()));
        }
        for (String file : List.of(AptPins.FILE, MOTD, KeptHold.FILE)) {
            files.add(file(file, null));
        }
        replaceAll(files);
        return was;
    }

    /** The file of weaklink that makes apt skip packages: apt_preferences(5). */
    private static final class AptPins {
        private static final String DIRECTORY = "/etc/apt/preferences.d";
        static final String FILE = DIRECTORY + "/weaklink-hold.pref";

        /** The form of a package name (Debian policy 5.6.7); apt never treats a name of this form as a pattern. */
        private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9+.-]*");

        private AptPins() {}

        static String text(Hold hold) {
            Map<String, List<String>> byVersion = new TreeMap<>();
            for (OfferedPackage one : hold.packages()) {
                if (NAME.matcher(one.name()).matches()) {
                    List<String> names = byVersion.computeIfAbsent(one.version(), version -> new ArrayList<>());
                    if (!names.contains(one.name())) {
                        names.add(one.name());
                    }
                }
            }
            StringBuilder text = new StringBuilder();
            byVersion.forEach((version, names) -> text.append(text.isEmpty() ? "" : "\n")
                    .append("Explanation: 'weaklink hold' writes this pin at each 'apt update', and prints the reason;")
                    .append(" 'weaklink hold --off' removes the pin\n")
                    .append("Package: " + String.join(" ", names) + "\n")
                    .append("Pin: version " + version + "\n")
                    .append("Pin-Priority: -1\n"));
            return text.toString();
        }
    }

    /**
     * The locks of weaklink that make zypper skip packages. The same file contains locks of other owners. When zypper
     * rewrites the file, it preserves the comment that marks weaklink's locks.
     */
    private static final class ZypperLocks {
        private static final String DIRECTORY = "/etc/zypp";
        private static final String FILE = DIRECTORY + "/locks";
        private static final String OURS = "comment: weaklink hold";
        private static final int MAX_SIZE = 1 << 20;

        private ZypperLocks() {}

        static boolean isUsed(Root root) {
            return new RootText(root).isDirectory(DIRECTORY);
        }

        static HeldFile with(Root root, List<OfferedPackage> held) throws IOException {
            String before = read(root);
            StringBuilder after = new StringBuilder(others(before));
            for (OfferedPackage one : held) {
                after.append(after.isEmpty() || after.toString().endsWith("\n\n") ? "" : "\n");
                after.append("type: package\nversion: == " + one.version() + "\nmatch_type: glob\n")
                        .append("case_sensitive: on\nsolvable_name: " + one.name() + "\n" + OURS + "\n\n");
            }
            Path file = root.resolve(FILE);
            boolean exists = Files.exists(file);
            return new HeldFile(
                    file,
                    exists ? before.getBytes(StandardCharsets.ISO_8859_1) : null,
                    exists || !after.isEmpty() ? after.toString().getBytes(StandardCharsets.ISO_8859_1) : null);
        }

        static boolean has(Root root) throws IOException {
            return isUsed(root) && Arrays.asList(read(root).split("\n", -1)).contains(OURS);
        }

        /**
         * Reads the file as ISO 8859-1, one character for each byte, so that other owners' locks are written back
         * unchanged.
         */
        private static String read(Root root) throws IOException {
            byte[] bytes = new RootText(root).bytes(FILE, MAX_SIZE + 1);
            if (bytes.length > MAX_SIZE) {
                Path file = root.resolve(FILE);
                throw new IOException(file + " is larger than " + MAX_SIZE + " bytes; weaklink leaves it as it is");
            }
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }

        /**
         * Returns the file's text without weaklink's locks; all other bytes stay unchanged. Returns an empty string if
         * only white space is left.
         */
        private static String others(String text) {
            StringBuilder kept = new StringBuilder();
            for (String block : text.split("(?<=\n)(?=\n)", -1)) {
                if (!Arrays.asList(block.split("\n", -1)).contains(OURS)) {
                    kept.append(block);
                }
            }
            return kept.toString().isBlank() ? "" : kept.toString();
        }
    }
}
