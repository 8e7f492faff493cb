package dev.weaklink.system;

import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.StalledReads;
import dev.weaklink.system.ModuleTree.ModuleFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds module files below a directory, in the order in which the file system lists them. The walk follows links to
 * files and directories, but not a link to a directory above itself.
 */
final class TreeWalk {
    private static final char REPLACEMENT = '\uFFFD';
    private static final int MAX_DEPTH = 128;

    /** The maximum number of directories: a link to "/" must not add the whole system to a kernel's tree. */
    private static final int MAX_DIRECTORIES = 100_000;

    private final Root root;
    private final Set<String> excludes;
    private final List<InputProblem> problems;
    private final List<ModuleFile> found = new ArrayList<>();
    private final Deque<Path> open = new ArrayDeque<>();
    private int directories;
    private boolean identities;
    private Set<String> skippedLinks = Set.of();
    private Predicate<String> trusted = path -> false;

    public TreeWalk(Root root, Set<String> excludes, List<InputProblem> problems) {
        this.root = root;
        this.excludes = Set.copyOf(excludes);
        this.problems = problems;
    }

    public TreeWalk withIdentities() {
        identities = true;
        return this;
    }

    /**
     * Makes the walk add module files with these paths without reading their attributes, which would take most of the
     * time.
     */
    public TreeWalk trusting(Predicate<String> files) {
        trusted = files;
        return this;
    }

    public TreeWalk withoutLinks(Set<String> names) {
        skippedLinks = Set.copyOf(names);
        return this;
    }

    public List<ModuleFile> found() {
        return found;
    }

    public void start(String inside, Path host) {
        try {
            directory(inside, StalledReads.watched(host, host::toRealPath));
        } catch (IOException e) {
            report(inside, IoReason.of(e));
        }
    }

    private void directory(String inside, Path real) {
        if (directories == MAX_DIRECTORIES || open.size() == MAX_DEPTH) {
            report(
                    inside,
                    "not searched; weaklink searches at most " + MAX_DIRECTORIES + " directories and " + MAX_DEPTH
                            + " levels");
            return;
        }
        directories++;
        open.push(real);
        try {
            entries(inside, real);
        } catch (IOException e) {
            report(inside, "directory cannot be listed: " + IoReason.of(e));
        } finally {
            open.pop();
        }
    }

    /** Visits the entries in the order of the file system, because depmod visits them in this order, too. */
    private void entries(String inside, Path real) throws IOException {
        String[] names = StalledReads.watched(real, () -> real.toFile().list());
        if (names == null || !areText(names)) {
            entriesByBytes(inside, real);
            return;
        }
        String prefix = inside.concat("/");
        for (String name : names) {
            entry(prefix, name, real.resolve(name));
        }
    }

    private static boolean areText(String[] names) {
        for (String name : names) {
            if (name.indexOf(REPLACEMENT) >= 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Visits the entries three times slower than {@link #entries}, but preserves names that are not valid text. Throws
     * with the reason if the directory cannot be listed.
     */
    private void entriesByBytes(String inside, Path real) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(real)) {
            for (Path entry : entries) {
                entry(inside.concat("/"), String.valueOf(entry.getFileName()), entry);
            }
        } catch (DirectoryIteratorException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    private void entry(String prefix, String name, Path entry) {
        if (excludes.contains(name)) {
            return;
        }
        String inside = prefix.concat(name);
        if (ModuleNames.isModuleFile(name) && trusted.test(inside)) {
            found.add(new ModuleFile(ModuleNames.ofFile(name), inside, entry));
            return;
        }
        try {
            if (identities && ModuleNames.isModuleFile(name)) {
                FileIdentity identity = FileIdentity.of(entry, LinkOption.NOFOLLOW_LINKS);
                if (identity != null) {
                    found.add(new ModuleFile(ModuleNames.ofFile(name), inside, entry, identity));
                    return;
                }
            }
            BasicFileAttributes attributes =
                    Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (attributes.isSymbolicLink()) {
                link(inside, name, entry);
            } else if (attributes.isDirectory()) {
                directory(inside, entry);
            } else {
                file(inside, name, entry, attributes);
            }
        } catch (IOException e) {
            // other entries are not modules; an entry without permission may be a directory
            if (ModuleNames.isModuleFile(name) || e instanceof AccessDeniedException) {
                report(inside, IoReason.of(e));
            }
        }
    }

    private void link(String inside, String name, Path link) throws IOException {
        Path target = target(link);
        if (target == null) {
            if (ModuleNames.isModuleFile(name)) {
                String message = "dangling link to " + Files.readSymbolicLink(link);
                problems.add(new InputProblem(inside, message, true));
            }
            return;
        }
        BasicFileAttributes attributes = Files.readAttributes(target, BasicFileAttributes.class);
        if (!attributes.isDirectory()) {
            file(inside, name, target, attributes);
        } else if (skippedLinks.contains(name)) {
            return;
        } else if (open.contains(target)) {
            report(inside, "skipped: link to a directory above the link");
        } else {
            directory(inside, target);
        }
    }

    private @Nullable Path target(Path link) throws IOException {
        try {
            Path target = root.isHost() ? link : root.resolve(root.top().relativize(link));
            return target.toRealPath();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private void file(String inside, String name, Path file, BasicFileAttributes attributes) {
        if (!ModuleNames.isModuleFile(name)) {
            return;
        }
        if (!attributes.isRegularFile()) {
            report(inside, "not a regular file");
            return;
        }
        found.add(new ModuleFile(ModuleNames.ofFile(name), inside, file));
    }

    private void report(String inside, String message) {
        problems.add(new InputProblem(inside, message));
    }
}
