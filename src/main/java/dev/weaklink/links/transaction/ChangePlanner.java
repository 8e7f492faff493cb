package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.PathChange.PathState;
import dev.weaklink.links.transaction.TransactionDirectory.Content;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;

/**
 * Compares requested changes with the current state of their paths, and lists the changes to make or the objections.
 */
final class ChangePlanner {
    private static final int READABLE = 0644;

    private final Root root;
    private final Predicate<String> madeByUs;
    private final PlannedPaths paths = new PlannedPaths();
    private final Set<Path> seen = new HashSet<>();
    private final List<String> objections = new ArrayList<>();

    /**
     * Creates a planner for one transaction.
     *
     * @param madeByUs returns true if an earlier transaction made the directory at this path
     */
    ChangePlanner(Root root, Predicate<String> madeByUs) {
        this.root = root;
        this.madeByUs = madeByUs;
    }

    /**
     * Returns the changes to make, sorted by path; empty if every path is as requested.
     *
     * @throws NotDoneException with all objections to the changes, or if the changes cannot be planned
     */
    List<PathChange> plan(List<Change> changes) throws NotDoneException {
        for (Change change : changes) {
            try {
                add(change);
            } catch (InvalidPathException e) {
                objections.add(change.path() + ": its link target is not a valid path");
            } catch (IOException e) {
                objections.add(IoReason.of(e));
            }
        }
        refuseIf("cannot change links or files");
        try {
            return paths.complete(this::mayBeRemoved);
        } catch (IOException e) {
            throw new NotDoneException(
                    NotDoneException.FailureState.REFUSED, "cannot plan the changes: " + e.getMessage());
        }
    }

    SortedMap<String, Content> contents() {
        return paths.contents();
    }

    /**
     * Returns whether the plan may remove the empty directory. A directory directly in the kernel's directory stays
     * unless a transaction made it.
     */
    private boolean mayBeRemoved(ManagedPath directory) {
        return !directory.isTop() || madeByUs.test(directory.text());
    }

    private void add(Change change) throws IOException {
        ManagedPath path = ManagedPath.parse(root, change.path());
        if (!seen.add(path.host())) {
            throw new IOException(path.text() + " is named twice");
        }
        boolean forLinks = path.place() == ManagedPath.Place.LINKS;
        boolean aboutLinks = change instanceof Change.PutLink || change instanceof Change.RemoveLink;
        if (forLinks != aboutLinks || forLinks && path.isTop()) {
            throw new IOException(path.text() + " is not a place for " + (aboutLinks ? "a link" : "a file"));
        }
        PathState before = path.state();
        if (before instanceof PathState.Directory) {
            throw new IOException(path.text() + " is a directory, not a " + (forLinks ? "symbolic link" : "file"));
        }
        if (change instanceof Change.PutLink put) {
            String obstacle = put.obstacle(before);
            if (obstacle != null) {
                throw new IOException(obstacle);
            }
            paths.add(path, before, new PathState.Link(checkedTarget(put)), null);
        } else if (change instanceof Change.RemoveLink remove) {
            checkExpected(remove, before);
            paths.add(path, before, PathState.ABSENT, null);
        } else if (change instanceof Change.PutFile put) {
            paths.add(path, before, path.file(put.source(), READABLE), to -> DurableFiles.copy(put.source(), to));
        } else if (change instanceof Change.AddLines add) {
            addLines(path, before, add.lines());
        }
    }

    private static void checkExpected(Change.RemoveLink change, PathState before) throws IOException {
        if (before instanceof PathState.File) {
            throw new IOException(change.path() + " is a file, not a symbolic link");
        }
        String expected = ManagedPath.plain(change.expectedTarget());
        if (before instanceof PathState.Link link && !link.target().equals(expected)) {
            throw new IOException(change.path() + " points to " + link.target() + ", not to " + expected);
        }
    }

    private void addLines(ManagedPath path, PathState before, List<String> lines) throws IOException {
        if (before instanceof PathState.Link) {
            throw new IOException(path.text() + " is a symbolic link, which weaklink does not replace; replace it by a"
                    + " file, or add these lines to the file it points to: " + String.join("; ", lines));
        }
        String content = before instanceof PathState.File ? path.content() : "# by weaklink\n";
        StringBuilder all = new StringBuilder(content);
        if (!content.isEmpty() && !content.endsWith("\n")) {
            all.append('\n');
        }
        List<String> present = content.lines().toList();
        for (String line : lines) {
            all.append(present.contains(line) ? "" : line + "\n");
        }
        byte[] bytes = all.toString().getBytes(StandardCharsets.UTF_8);
        int mode = before instanceof PathState.File file ? file.mode() : READABLE;
        MessageDigest digest = Sha256.start();
        digest.update(bytes);
        int count = (int) all.chars().filter(c -> c == '\n').count();
        PathState after = new PathState.File(Sha256.hex(digest), mode, count);
        paths.add(path, before, after, to -> DurableFiles.create(to, bytes));
    }

    private static String checkedTarget(Change.PutLink put) throws IOException {
        String target = ManagedPath.plain(put.target());
        if (target.isEmpty()) {
            throw new IOException(put.path() + ": a link to nothing");
        }
        return target;
    }

    private void refuseIf(String message) throws NotDoneException {
        if (!objections.isEmpty()) {
            String first = objections.size() == 1 ? ": " + objections.get(0) : "";
            throw new NotDoneException(
                    NotDoneException.FailureState.REFUSED, message + first + "; nothing was changed", objections);
        }
    }
}
