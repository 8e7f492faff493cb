package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.PathChange.PathState;
import dev.weaklink.links.transaction.TransactionDirectory.Content;
import dev.weaklink.sys.DurableFiles;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The links and files of a transaction being planned, with the resulting changes of directories. */
final class PlannedPaths {
    private final SortedMap<String, PathChange> changes = new TreeMap<>();
    private final SortedMap<String, Content> contents = new TreeMap<>();
    private final List<ManagedPath> made = new ArrayList<>();
    private final Map<Path, ManagedPath> abandoned = new HashMap<>();
    private final Set<Path> gone = new HashSet<>();
    private final Set<Path> needed = new HashSet<>();
    private final Map<Path, Integer> modes = new HashMap<>();

    /**
     * Adds a path with its new state. If the path is not removed, its parent directories stay, even if the path already
     * has the new state.
     *
     * @param content the content of the new file; null if no file has to be written
     */
    void add(ManagedPath path, PathState before, PathState after, @Nullable Content content) throws IOException {
        path.check(before);
        path.check(after);
        boolean removed = after instanceof PathState.Absent;
        if (!removed) {
            path.parents().forEach(parent -> needed.add(parent.host()));
        }
        if (after.equals(before)) {
            return;
        }
        changes.put(path.text(), new PathChange(path.text(), before, after));
        if (before instanceof PathState.File file) {
            contents.put(file.sha256(), to -> DurableFiles.copy(path.host(), to));
        }
        if (after instanceof PathState.File file && content != null) {
            contents.putIfAbsent(file.sha256(), content);
        }
        if (removed) {
            gone.add(path.host());
            path.parents().forEach(this::abandon);
        } else {
            made.add(path);
        }
    }

    /** Marks a directory for removal in case the transaction leaves it empty. */
    void abandon(ManagedPath directory) {
        abandoned.put(directory.host(), directory);
    }

    void mode(ManagedPath directory, int mode) {
        modes.put(directory.host(), mode);
    }

    SortedMap<String, Content> contents() {
        return contents;
    }

    /**
     * Returns all changes, including those of directories, sorted by path.
     *
     * @param mayBeRemoved returns true if this directory may be removed when it becomes empty
     */
    List<PathChange> complete(Predicate<ManagedPath> mayBeRemoved) throws IOException {
        for (ManagedPath path : made) {
            for (ManagedPath directory : path.parents()) {
                make(directory);
            }
        }
        List<ManagedPath> deepestFirst = new ArrayList<>(abandoned.values());
        deepestFirst.sort((a, b) -> b.host().compareTo(a.host()));
        for (ManagedPath directory : deepestFirst) {
            if (!needed.contains(directory.host()) && mayBeRemoved.test(directory)) {
                removeIfEmpty(directory);
            }
        }
        return List.copyOf(changes.values());
    }

    private void make(ManagedPath directory) throws IOException {
        if (!changes.containsKey(directory.text()) && directory.state() instanceof PathState.Absent) {
            PathState state = new PathState.Directory(modes.getOrDefault(directory.host(), 0755));
            changes.put(directory.text(), new PathChange(directory.text(), PathState.ABSENT, state));
        }
    }

    private void removeIfEmpty(ManagedPath directory) throws IOException {
        PathState state = directory.state();
        if (state instanceof PathState.Directory && becomesEmpty(directory.host())) {
            gone.add(directory.host());
            changes.put(directory.text(), new PathChange(directory.text(), state, PathState.ABSENT));
        }
    }

    private boolean becomesEmpty(Path directory) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (!gone.contains(entry)) {
                    return false;
                }
            }
            return true;
        } catch (DirectoryIteratorException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }
}
