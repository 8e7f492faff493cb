package dev.weaklink.system;

import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Finds builds of modules below a directory, among at most 200,000 files and directories, 32 directories deep. Each
 * package at any depth is a build. Each immediate subdirectory that contains module files at any depth is a build. The
 * directory itself is a build if it directly contains module files.
 */
public final class BuildSearch {
    private static final int MAX_DEPTH = 32;
    private static final int MAX_FILES = 200_000;

    private final List<InputProblem> problems;
    private final List<Build> builds = new ArrayList<>();
    private int files;

    private BuildSearch(List<InputProblem> problems) {
        this.problems = problems;
    }

    /**
     * Returns the builds below a directory, sorted by path. A package or another file is itself the only build.
     *
     * @param given the path as the user typed it
     */
    public static List<Build> below(String given, List<InputProblem> problems) {
        BuildSearch search = new BuildSearch(problems);
        try {
            search.start(given, Path.of(given));
        } catch (InvalidPathException e) {
            problems.add(new InputProblem(given, "not a valid path"));
        }
        if (search.builds.isEmpty() && problems.isEmpty()) {
            problems.add(new InputProblem(given, "contains no packages and no module files"));
        }
        return search.builds;
    }

    private void start(String given, Path path) {
        if (!Files.exists(path)) {
            problems.add(new InputProblem(given, "no such file or directory"));
        } else if (!Files.isDirectory(path) || PackageReader.isPackage(path)) {
            builds.add(new Build(given, PackageReader.isPackage(path)));
        } else {
            boolean loose = false;
            for (Path child : children(path)) {
                boolean directory = Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS);
                boolean modules = visit(child, 1);
                if (modules && directory) {
                    builds.add(new Build(child.toString(), false));
                }
                loose |= modules && !directory;
            }
            if (loose) {
                builds.add(new Build(given, false));
            }
            builds.sort(null);
        }
    }

    private boolean visit(Path path, int depth) {
        if (++files > MAX_FILES || depth > MAX_DEPTH) {
            String limit = files > MAX_FILES
                    ? "nothing after the first " + MAX_FILES + " files and directories"
                    : "at most " + MAX_DEPTH + " levels of directories";
            if (files == MAX_FILES + 1 || (files <= MAX_FILES && depth == MAX_DEPTH + 1)) {
                problems.add(new InputProblem(
                        path.toString(),
                        "not checked; weaklink searches " + limit + "; give fewer or deeper directories"));
            }
            return false;
        }
        if (ModuleNames.isModuleFile(String.valueOf(path.getFileName()))) {
            return true;
        }
        if (PackageReader.isPackage(path)) {
            builds.add(new Build(path.toString(), true));
            return false;
        }
        boolean modules = false;
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            for (Path child : children(path)) {
                modules |= visit(child, depth + 1);
            }
        }
        return modules;
    }

    private List<Path> children(Path directory) {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            stream.forEach(children::add);
        } catch (DirectoryIteratorException e) {
            unreadable(directory, Objects.requireNonNull(e.getCause()));
        } catch (IOException e) {
            unreadable(directory, e);
        }
        children.sort(null);
        return children;
    }

    private void unreadable(Path directory, IOException e) {
        problems.add(new InputProblem(directory.toString(), IoReason.of(e)));
    }

    /**
     * A package, directory or file with modules that belong together.
     *
     * @param file the path of the package, directory or file, as found
     * @param packaged true if the build is a package
     */
    public record Build(String file, boolean packaged) implements Comparable<Build> {
        @Override
        public int compareTo(Build other) {
            return file.compareTo(other.file);
        }
    }
}
