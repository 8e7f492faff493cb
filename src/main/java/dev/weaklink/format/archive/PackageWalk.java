package dev.weaklink.format.archive;

import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile.EntryVisitor;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Passes an archive's entries to a visitor, after checking names, sizes and the budget. */
final class PackageWalk {
    /** The maximum number of problems reported for one archive; a hostile archive could cause a million. */
    private static final int MOST_PROBLEMS = 20;

    private final EntryVisitor visitor;
    private final PackageBudget budget;
    private final PackageInfo owner;
    private final String container;
    private final int depth;
    private int problems;

    PackageWalk(EntryVisitor visitor, PackageBudget budget, PackageInfo owner) {
        this(visitor, budget, owner, "", 1);
    }

    private PackageWalk(EntryVisitor visitor, PackageBudget budget, PackageInfo owner, String container, int depth) {
        this.visitor = visitor;
        this.budget = budget;
        this.owner = owner;
        this.container = container;
        this.depth = depth;
    }

    PackageWalk into(String path, PackageInfo inner) {
        return new PackageWalk(visitor, budget, inner, PackageEntry.member(container, path), depth + 1);
    }

    PackageBudget budget() {
        return budget;
    }

    boolean mayDescend() {
        return depth < budget.limits().depth();
    }

    boolean wants(String path) {
        return visitor.wants(path);
    }

    boolean wantsPackage(String path) {
        return visitor.wantsPackage(path);
    }

    /**
     * Counts and checks an entry.
     *
     * @return the normalised path, or null if the entry is left out and the problem reported
     */
    @Nullable
    String accept(RawEntry raw) throws IOException {
        budget.spendEntry((long) raw.name().length() + raw.target().length());
        String path = EntryPath.of(raw.name());
        if (path == null) {
            problem(shortened(raw.name()), "leads out of the package or is not a path; left out");
            return null;
        }
        return path;
    }

    void visit(String path, RawEntry raw, InputStream contents) throws IOException {
        if (!visitor.wants(path)) {
            return;
        }
        if (raw.type() == EntryType.FILE && raw.size() > budget.limits().entryBytes()) {
            problem(path, "larger than " + budget.limits().entryBytes() + " bytes; left out");
            return;
        }
        String target = raw.target();
        if (raw.type() == EntryType.HARDLINK) {
            target = EntryPath.of(target);
            if (target == null) {
                problem(path, "a hard link that leads out of the package; left out");
                return;
            }
        }
        visitor.visit(new PackageEntry(owner, container, path, raw.type(), raw.size(), target, contents));
    }

    void entry(RawEntry raw, InputStream contents) throws IOException {
        String path = accept(raw);
        if (path != null) {
            visit(path, raw, contents);
        }
    }

    void problem(String path, String message) {
        problems++;
        if (problems <= MOST_PROBLEMS) {
            visitor.problem(PackageEntry.member(container, path), message);
        } else if (problems == MOST_PROBLEMS + 1) {
            visitor.problem(
                    container,
                    "more entries were left out or not read; weaklink lists only the first " + MOST_PROBLEMS);
        }
    }

    private static String shortened(String name) {
        return name.length() <= 200 ? name : name.substring(0, 200) + "…";
    }

    /**
     * An entry as stored in an archive, unchecked.
     *
     * @param target the target of a link, else empty
     */
    record RawEntry(String name, EntryType type, long size, String target) {
        static RawEntry file(String name, long size) {
            return new RawEntry(name, EntryType.FILE, size, "");
        }
    }
}
