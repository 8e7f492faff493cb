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
 * The contents of a kernel's {@code weak-updates} directory. Links to directories are not followed.
 *
 * @param links the symbolic links, sorted by path
 * @param files the other files, as paths inside the root directory, sorted
 * @param leftovers the temporary links and files that transactions left behind, as paths of the host, sorted
 * @param problems the errors of the scan
 */
public record WeakUpdates(List<WeakLink> links, List<String> files, List<Path> leftovers, List<InputProblem> problems) {
    public static final String NAME = "weak-updates";

    public static final String TEMPORARY = ".weaklink-";

    private static final int MAX_DEPTH = 64;

    private static final int MAX_ENTRIES = 200_000;

    public WeakUpdates {
        links = List.copyOf(links);
        files = List.copyOf(files);
        leftovers = List.copyOf(leftovers);
        problems = List.copyOf(problems);
    }

    /**
     * Scans a kernel's {@code weak-updates} directory. If it is itself a link, the result contains only this link.
     *
     * @throws IOException if links form a cycle, or the release is not a valid name
     */
    public static WeakUpdates scan(Root root, String release) throws IOException {
        Scan scan = new Scan(root, release);
        ModulesDirectory directory = ModulesDirectory.find(root, release);
        if (directory != null) {
            scan.start(directory);
        }
        return scan.result();
    }

    public boolean leadTo(ModuleFile file) {
        for (WeakLink link : links) {
            if (link.leadsTo(file)) {
                return true;
            }
        }
        return false;
    }

    private static final class Scan {
        private final Root root;
        private final String release;
        private final List<WeakLink> links = new ArrayList<>();
        private final List<String> files = new ArrayList<>();
        private final List<Path> leftovers = new ArrayList<>();
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
            leftovers.sort(null);
            return new WeakUpdates(links, files, leftovers, problems);
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
                    if (name.startsWith(TEMPORARY)) {
                        leftovers.add(child);
                    } else {
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

        private @Nullable Path end(String inside, Path link) {
            try {
                Path end = root.isHost() ? link : root.resolve(root.top().relativize(link));
                return end.toRealPath();
            } catch (AccessDeniedException e) {
                problems.add(new InputProblem(inside, IoReason.of(e)));
                return null;
            } catch (IOException e) {
                // missing, or a cycle of links
                return null;
            }
        }
    }

    /**
     * A symbolic link below a kernel's {@code weak-updates}; ordered by path.
     *
     * @param inside the path inside the root directory
     * @param place the path below the kernel's directory, such as {@code weak-updates/a/a.ko}
     * @param target the target as written in the link
     * @param host the final target on the host, resolved inside the root directory; null if the link dangles or its
     *     target cannot be reached
     * @param directory true if the target is a directory
     */
    public record WeakLink(
            String inside,
            String place,
            String target,
            @Nullable Path host,
            boolean directory) implements Comparable<WeakLink> {

        public String name() {
            return ModuleNames.ofFile(fileName());
        }

        public String fileName() {
            return inside.substring(inside.lastIndexOf('/') + 1);
        }

        public boolean dangles() {
            return host == null;
        }

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
