package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Backend.ExpectedOutput;
import dev.weaklink.sys.FileStatus;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Ownership;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the files that a build should have written. A file outside of the build's private work directory counts only if
 * no other user can have written it, because root will install it.
 */
final class ResultSearch {
    private static final Path TEMPORARY = Path.of("/tmp");
    private static final int MAX_DEPTH = 12;
    private static final int MAX_VISITED = 500_000;

    private final Path work;
    private final Instant since;
    private final Ownership ours;
    private final Set<Path> found = new TreeSet<>();
    private String foreign = "";

    /**
     * Creates a search.
     *
     * @param work the work directory; a file that the output names counts only if it is in this directory
     * @param since the earliest modification time of a file that counts as written by the build
     * @param ours the ownership that files outside of the work directory must have
     */
    ResultSearch(Path work, Instant since, Ownership ours) throws IOException {
        this.work = work.toRealPath();
        this.since = since;
        this.ours = ours;
    }

    /** Returns the reason why a file outside of the work directory was not accepted; empty if there is none. */
    String foreign() {
        return foreign;
    }

    /** Returns the expected files as real paths without symlinks, sorted; empty if there are none. */
    List<Path> find(ExpectedOutput expected, List<String> printed) throws IOException {
        if (expected instanceof ExpectedOutput.Printed named) {
            for (String line : printed) {
                if (line.startsWith(named.prefix())) {
                    addNamed(line.substring(named.prefix().length()).strip());
                }
            }
        } else if (expected instanceof ExpectedOutput.Files files) {
            for (String directory : files.directories()) {
                Path start = Path.of(directory);
                if (Files.isDirectory(start)) {
                    Files.walkFileTree(start.toRealPath(), Set.of(), MAX_DEPTH, new Finder(files));
                }
            }
        }
        return new ArrayList<>(found);
    }

    private void addNamed(String name) {
        try {
            Path file = Path.of(name).normalize();
            boolean there = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) > 0;
            Path real = file.toRealPath();
            if (there && real.startsWith(work)) {
                found.add(real);
            }
        } catch (IOException | InvalidPathException e) {
            // A file that cannot be checked is not a result.
        }
    }

    private void add(Path file) {
        try {
            String problem = file.startsWith(work) ? null : ours.problem(file);
            if (problem == null) {
                found.add(file);
            } else if (foreign.isEmpty()) {
                foreign = file + " does not count: " + problem;
            }
        } catch (IOException e) {
            foreign = file + " does not count: " + IoReason.of(e);
        }
    }

    private final class Finder extends SimpleFileVisitor<Path> {
        private final ExpectedOutput.Files wanted;
        private int visited;

        Finder(ExpectedOutput.Files wanted) {
            this.wanted = wanted;
        }

        /**
         * Skips directories in /tmp that are older than the build or do not belong to its user. Other users may have
         * many directories there, change them meanwhile, or fill them without end.
         */
        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
            boolean other = TEMPORARY.equals(directory.getParent())
                    && (attributes.lastModifiedTime().toInstant().isBefore(since)
                            || !ours.isOurs(FileStatus.of(directory, LinkOption.NOFOLLOW_LINKS)));
            return other ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
            // Another process may have removed the directory meanwhile.
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            boolean fresh = !wanted.fresh()
                    || !attributes.lastModifiedTime().toInstant().isBefore(since);
            if (attributes.isRegularFile() && fresh && isNamed(String.valueOf(file.getFileName()))) {
                add(file);
            }
            return ++visited < MAX_VISITED ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
        }

        private boolean isNamed(String name) {
            return wanted.endings().stream()
                    .anyMatch(ending -> name.endsWith(ending) && name.startsWith(wanted.name()));
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
        }
    }
}
