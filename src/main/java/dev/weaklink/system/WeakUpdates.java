package dev.weaklink.system;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleTree.ModuleFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What lies below a kernel's {@code weak-updates}. Links to directories are not gone into.
 *
 * @param links the symbolic links, sorted by path
 * @param files other files, as seen from inside the root, sorted
 * @param problems what could not be read
 */
public record WeakUpdates(List<WeakLink> links, List<String> files, List<InputProblem> problems) {
    /** The directory's name in a kernel's own directory. */
    public static final String NAME = "weak-updates";

    /** Names in which this begins are those of links not yet, or no longer, in their place. */
    public static final String TEMPORARY = ".weaklink-";

    private static final int MAX_DEPTH = 64;

    /** The most links one kernel's directory is believed to hold. */
    private static final int MAX_ENTRIES = 200_000;

    public WeakUpdates {
        links = List.copyOf(links);
        files = List.copyOf(files);
        problems = List.copyOf(problems);
    }

    /**
     * Looks at a kernel's directory. If {@code weak-updates} itself is a link, that one link is all there is.
     *
     * @throws IOException if the root's links run in circles, or the release is no plain name
     */
    public static WeakUpdates scan(Root root, String release) throws IOException {
        Scan scan = new Scan(root, release);
        ModulesDirectory directory = ModulesDirectory.find(root, release);
        if (directory != null) {
            scan.start(directory);
        }
        return scan.result();
    }

    /** Whether a file in the kernel's tree is one of the links, or was found through one. */
    public boolean leadTo(ModuleFile file) {
        for (WeakLink link : links) {
            if (link.leadsTo(file)) {
                return true;
            }
        }
        return false;
    }

    /** One look at one directory. */
    private static final class Scan {
        private final Root root;
        private final String release;
        private final List<WeakLink> links = new ArrayList<>();
        private final List<String> files = new ArrayList<>();
        private final List<InputProblem> problems = new ArrayList<>();
        private int entries;

        Scan(Root root, String release) {
            this.root = root;
            this.release = release;
        }

        void start(ModulesDirectory directory) {
            Path top = directory.host().resolve(NAME);
            if (Files.exists(top, LinkOption.NOFOLLOW_LINKS)) {
                entry(directory.inside() + "/" + NAME, NAME, top, 0);
            }
        }

        WeakUpdates result() {
            links.sort(null);
            files.sort(null);
            return new WeakUpdates(links, files, problems);
        }

        private void entry(String inside, String place, Path path, int depth) {
            try {
                BasicFileAttributes attributes =
                        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                if (++entries > MAX_ENTRIES) {
                    problems.add(new InputProblem(inside, "too many entries; not checked"));
                } else if (attributes.isSymbolicLink()) {
                    links.add(link(inside, place, path));
                } else if (attributes.isDirectory()) {
                    directory(inside, place, path, depth);
                } else {
                    files.add(inside);
                }
            } catch (IOException e) {
                problems.add(new InputProblem(inside, IoReason.of(e)));
            }
        }

        private void directory(String inside, String place, Path path, int depth) throws IOException {
            if (depth == MAX_DEPTH) {
                problems.add(new InputProblem(inside, "too deep; not checked"));
                return;
            }
            try (DirectoryStream<Path> children = Files.newDirectoryStream(path)) {
                for (Path child : children) {
                    String name = String.valueOf(child.getFileName());
                    if (!name.startsWith(TEMPORARY)) {
                        entry(inside + "/" + name, place + "/" + name, child, depth + 1);
                    }
                }
            } catch (DirectoryIteratorException e) {
                throw Objects.requireNonNull(e.getCause());
            }
        }

        private WeakLink link(String inside, String place, Path path) throws IOException {
            String target = Files.readSymbolicLink(path).toString();
            Path end = end(inside, path);
            return new WeakLink(inside, place, target, end, end != null && Files.isDirectory(end));
        }

        /** What a link leads to in the end, or null if that is nothing. */
        private @Nullable Path end(String inside, Path link) {
            try {
                Path end = root.isHost() ? link : root.resolve(root.top().relativize(link));
                return end.toRealPath();
            } catch (AccessDeniedException e) {
                problems.add(new InputProblem(inside, IoReason.of(e)));
                return null;
            } catch (IOException e) {
                // missing, or a loop of links
                return null;
            }
        }
    }

    /**
     * A symbolic link below a kernel's {@code weak-updates}; ordered by its path.
     *
     * @param inside its path as seen from inside the root
     * @param place its path below the kernel's directory, such as {@code weak-updates/a/a.ko}
     * @param target what is written in it, unchanged
     * @param host what it leads to on the host, resolved inside the root; null if it dangles
     * @param directory whether its target is a directory
     */
    public record WeakLink(
            String inside,
            String place,
            String target,
            @Nullable Path host,
            boolean directory) implements Comparable<WeakLink> {

        /** Name of the module that it stands for. */
        public String name() {
            return ModuleNames.ofFile(inside.substring(inside.lastIndexOf('/') + 1));
        }

        /** Whether there is nothing at its end. */
        public boolean dangles() {
            return host == null;
        }

        /** Whether a file in the kernel's tree is this link, or was found through it. */
        public boolean leadsTo(ModuleFile file) {
            return file.inside().startsWith(inside)
                    && (file.inside().length() == inside.length()
                            || file.inside().charAt(inside.length()) == '/');
        }

        @Override
        public int compareTo(WeakLink other) {
            return inside.compareTo(other.inside);
        }
    }
}
