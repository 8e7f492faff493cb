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
 * A path that transactions may change: in some kernel's {@code weak-updates} or that directory itself, which hold
 * links; a module elsewhere in its directory, a file of {@code /etc/depmod.d}, or the directories on the way to these.
 *
 * @param text as seen from inside the root
 * @param kernel the kernel it belongs to
 * @param host the path on the host; below the kernel's directory it must not pass links, which {@link #checkWay} makes
 *     sure of
 * @param place what may be there
 */
record ManagedPath(String text, KernelDirectory kernel, Path host, Place place) {
    private static final String OVERRIDES_DIRECTORY = "/etc/depmod.d";
    private static final String KERNELS_OWN = "kernel";
    private static final int MODE_BITS = 07777;
    private static final PathState FILE = new PathState.File("0".repeat(64), 0, 0);
    private static final int MAX_TEXT = 1 << 20;

    /** What may be at a path, apart from directories on the way to it. */
    enum Place {
        /** Links, or module files that links replace. */
        LINKS,
        /** Modules, or links to them whose place they take. */
        MODULES,
        /** Modules that belong to the kernel itself. */
        OWN_MODULES,
        /** Files of {@code depmod.d}. */
        OVERRIDES
    }

    /**
     * Understands a path.
     *
     * @throws NoSuchFileException if its kernel is not there
     * @throws IOException if it is not one that may be changed
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
     * Makes sure that something may be put here or removed.
     *
     * @throws IOException if this is no place for that
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

    /** Whether this is directly in the kernel's directory. */
    boolean isTop() {
        return kernel.host().equals(host.getParent());
    }

    /** The directory it is in. */
    Path directory() {
        return host.resolveSibling("");
    }

    /** The directories above it, the one in the kernel's directory first. */
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
     * Makes sure that what is there on the way to it are directories, and no links to them.
     *
     * @throws IOException naming the one that is not
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
     * What is there now.
     *
     * @throws IOException if it is nothing that may be there, or the way to it is not in order
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

    /** A file as it is, or would be, here, with this file's content. */
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

    /** The text of the file that is there. */
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

    /** A link's text as Java writes it: without doubled slashes and one at the end. */
    static String plain(String target) {
        return Path.of(target).toString();
    }

    /** A name beside it for what is not yet, or no longer, in its place. */
    Path temporary(String name) {
        return host.resolveSibling(WeakUpdates.TEMPORARY + name);
    }

    /**
     * A kernel's directory that may be changed: links lead to its parent at most, and it is none itself.
     *
     * @param host the directory without any links in its path
     */
    record KernelDirectory(String release, Path host) {
        /** The directory of a kernel below one parent, or null if there is none. */
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

        /** The directory depmod works on, or null if the root has none for this kernel. */
        static @Nullable KernelDirectory find(Root root, String release) throws IOException {
            checkRelease(release);
            ModulesDirectory found = ModulesDirectory.find(root, release);
            if (found == null) {
                return null;
            }
            String inside = found.inside();
            return below(root, inside.substring(0, inside.lastIndexOf('/')), release);
        }

        /** What depmod does not take for a release, it takes for a file name or an option. */
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
