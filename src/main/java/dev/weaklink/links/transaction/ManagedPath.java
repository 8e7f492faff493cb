package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.PathChange.PathState;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A path that transactions may change. Links are in a kernel's {@code weak-updates}, modules elsewhere in the kernel's
 * directory, and override files in {@code /etc/depmod.d}. The directories on the way to these files are managed paths
 * too.
 *
 * @param text the path as seen inside the root directory
 * @param kernel the kernel's directory that contains the path; {@code /etc} for an override file
 * @param host the path on the host; {@link #checkWay} ensures that the path passes no links below the kernel's
 *     directory
 * @param place the kind of file that may be at the path
 */
record ManagedPath(String text, KernelDirectory kernel, Path host, Place place) {
    private static final String OVERRIDES_DIRECTORY = "/etc/depmod.d";
    private static final String KERNELS_OWN = "kernel";
    private static final int MODE_BITS = 0777;
    private static final PathState FILE = new PathState.File("0".repeat(64), 0, 0);
    private static final int MAX_TEXT = 1 << 20;

    /** The kind of file that may be at a path. A directory that leads to such a file may be there, too. */
    enum Place {
        /** Links below weak-updates, or module files that links replace. */
        LINKS,
        /** Module files, or links that module files replace. */
        MODULES,
        OWN_MODULES,
        OVERRIDES
    }

    /**
     * Parses a path.
     *
     * @throws NoSuchFileException if the kernel's directory does not exist
     * @throws IOException if transactions may not change this path
     */
    static ManagedPath parse(Root root, String text) throws IOException {
        if (text.equals(OVERRIDES_DIRECTORY) || text.startsWith(OVERRIDES_DIRECTORY + "/")) {
            if (!Files.isDirectory(root.resolve("/etc"))) {
                throw new IOException(text + ": there is no directory /etc in " + root.top());
            }
            KernelDirectory etc = new KernelDirectory("", root.resolve("/etc").toRealPath());
            return below(etc, text, text.substring("/etc/".length()).split("/", -1), Place.OVERRIDES);
        }
        for (String parent : ModulesDirectory.PARENTS) {
            if (text.startsWith(parent + "/")) {
                return parse(root, text, parent);
            }
        }
        throw new IOException(text + " is not below a kernel's directory");
    }

    private static ManagedPath parse(Root root, String text, String parent) throws IOException {
        String[] names = text.substring(parent.length() + 1).split("/", -1);
        if (names.length < 2) {
            throw new IOException(text + " is not below a kernel's directory");
        }
        KernelDirectory kernel = KernelDirectory.below(root, parent, names[0]);
        if (kernel == null) {
            String gone = parent + "/" + names[0];
            throw new NoSuchFileException(gone, null, gone + " does not exist");
        }
        Place place = names[1].equals(WeakUpdates.NAME)
                ? Place.LINKS
                : names[1].equals(KERNELS_OWN) ? Place.OWN_MODULES : Place.MODULES;
        return below(kernel, text, Arrays.copyOfRange(names, 1, names.length), place);
    }

    private static ManagedPath below(KernelDirectory kernel, String text, String[] names, Place place)
            throws IOException {
        Path host = kernel.host();
        try {
            for (String name : names) {
                checkName(text, name);
                host = host.resolve(name);
            }
        } catch (InvalidPathException e) {
            throw new IOException(text + " is not a valid path", e);
        }
        return new ManagedPath(text, kernel, host, place);
    }

    private static void checkName(String text, String name) throws IOException {
        if (name.isEmpty() || name.equals(".") || name.equals("..") || name.startsWith(WeakUpdates.TEMPORARY)) {
            throw new IOException(text + " is not a plain path");
        }
    }

    /**
     * Checks that a transaction may bring the path into this state.
     *
     * @throws IOException if the path does not allow the state
     */
    void check(PathState state) throws IOException {
        if (!takes(state)) {
            String what = state instanceof PathState.Link
                    ? "a link"
                    : state instanceof PathState.File ? "a file" : "a directory";
            throw new IOException(text + " is not a place for " + what);
        }
    }

    private boolean takes(PathState state) {
        if (state instanceof PathState.Absent) {
            return true;
        }
        if (state instanceof PathState.Directory) {
            return place != Place.OVERRIDES || isTop();
        }
        boolean link = state instanceof PathState.Link;
        String name = text.substring(text.lastIndexOf('/') + 1);
        boolean printable = text.chars().allMatch(c -> c >= ' ');
        return switch (place) {
            case LINKS -> !isTop() && (link || ModuleNames.isModuleFile(name) && printable);
            case MODULES -> ModuleNames.isModuleFile(name) && printable;
            case OWN_MODULES -> !link && ModuleNames.isModuleFile(name) && printable;
            case OVERRIDES ->
                name.endsWith(".conf") && printable && text.lastIndexOf('/') == OVERRIDES_DIRECTORY.length();
        };
    }

    boolean isTop() {
        return kernel.host().equals(host.getParent());
    }

    Path directory() {
        return host.resolveSibling("");
    }

    List<ManagedPath> parents() {
        List<ManagedPath> parents = new ArrayList<>();
        for (ManagedPath at = this; !at.isTop(); ) {
            String above = at.text.substring(0, at.text.lastIndexOf('/'));
            at = new ManagedPath(above, kernel, at.directory(), place);
            parents.add(0, at);
        }
        return parents;
    }

    /**
     * Checks that all existing parents are directories and not links to directories.
     *
     * @throws IOException if a parent is not a directory; the message names the parent
     */
    void checkWay() throws IOException {
        for (ManagedPath directory : parents()) {
            if (!Files.exists(directory.host, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
            if (!Files.isDirectory(directory.host, LinkOption.NOFOLLOW_LINKS)) {
                boolean link = Files.isSymbolicLink(directory.host);
                throw new IOException(
                        directory.text + " is a " + (link ? "symbolic link" : "file") + ", not a directory");
            }
        }
    }

    /**
     * Returns the current state of the path.
     *
     * @throws IOException if the path has a file type that is not allowed, a parent is not a directory, or the path
     *     cannot be read
     */
    PathState state() throws IOException {
        checkWay();
        Map<String, Object> attributes;
        try {
            attributes = Files.readAttributes(
                    host, "unix:isSymbolicLink,isDirectory,isRegularFile,mode", LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return PathState.ABSENT;
        }
        int mode = attributes.get("mode") instanceof Integer bits ? bits & MODE_BITS : 0;
        if (Boolean.TRUE.equals(attributes.get("isSymbolicLink"))) {
            return new PathState.Link(target());
        }
        if (Boolean.TRUE.equals(attributes.get("isDirectory"))) {
            return new PathState.Directory(mode);
        }
        if (place == Place.LINKS && !takes(FILE)) {
            throw new IOException(text + " is a file, not a symbolic link");
        }
        if (!Boolean.TRUE.equals(attributes.get("isRegularFile"))) {
            throw new IOException(text + " is neither a file nor a symbolic link");
        }
        return file(host, mode);
    }

    PathState.File file(Path source, int mode) throws IOException {
        String digest = DurableFiles.digest(source);
        return new PathState.File(digest, mode, place == Place.OVERRIDES ? lines(source) : 0);
    }

    private static int lines(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            int lines = 0;
            byte[] buffer = new byte[1 << 13];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                for (int i = 0; i < read; i++) {
                    lines += buffer[i] == '\n' ? 1 : 0;
                }
            }
            return lines;
        }
    }

    String content() throws IOException {
        try (InputStream in = Files.newInputStream(host, LinkOption.NOFOLLOW_LINKS)) {
            byte[] bytes = in.readNBytes(MAX_TEXT + 1);
            if (bytes.length > MAX_TEXT) {
                throw new IOException(text + " is larger than " + MAX_TEXT + " bytes");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    private String target() throws IOException {
        String target = Files.readSymbolicLink(host).toString();
        if (target.indexOf('\uFFFD') >= 0) {
            throw new FileSystemException(text, null, "the link's target is not valid text");
        }
        return plain(target);
    }

    /** Returns a link's target as Java writes it: without repeated or trailing slashes. */
    static String plain(String target) {
        return Path.of(target).toString();
    }

    Path temporary(String name) {
        return host.resolveSibling(WeakUpdates.TEMPORARY + name);
    }

    /**
     * A kernel's directory that transactions may change. Symbolic links may lead to the parent directory, but the
     * directory itself is not a symbolic link.
     *
     * @param release the kernel release; empty for the directory {@code /etc} of an override file
     * @param host the directory without any links in its path
     */
    record KernelDirectory(String release, Path host) {
        static @Nullable KernelDirectory below(Root root, String parent, String release) throws IOException {
            checkRelease(release);
            Path host = root.resolve(parent).normalize();
            if (!Files.isDirectory(host)) {
                return null;
            }
            host = host.toRealPath().resolve(release);
            if (Files.isSymbolicLink(host)) {
                throw new IOException(parent + "/" + release + " is a symbolic link, not a directory");
            }
            return Files.isDirectory(host, LinkOption.NOFOLLOW_LINKS) ? new KernelDirectory(release, host) : null;
        }

        /**
         * Returns the directory that depmod processes for the kernel; null if there is none below the root directory.
         */
        static @Nullable KernelDirectory find(Root root, String release) throws IOException {
            checkRelease(release);
            ModulesDirectory found = ModulesDirectory.find(root, release);
            if (found == null) {
                return null;
            }
            String inside = found.inside();
            return below(root, inside.substring(0, inside.lastIndexOf('/')), release);
        }

        /** Rejects releases that depmod would treat as a file name or an option. */
        private static void checkRelease(String release) throws IOException {
            int digits = 0;
            while (digits < release.length() && isDigit(release.charAt(digits))) {
                digits++;
            }
            boolean version = digits > 0
                    && digits + 1 < release.length()
                    && release.charAt(digits) == '.'
                    && isDigit(release.charAt(digits + 1));
            if (!version || release.indexOf('/') >= 0 || release.indexOf('\0') >= 0) {
                throw new IOException("not a kernel release: " + release);
            }
        }

        private static boolean isDigit(char c) {
            return c >= '0' && c <= '9';
        }
    }
}
