package dev.weaklink.format.archive;

import dev.weaklink.sys.UnreadableException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** An open package, whose entries can be read once. */
public final class PackageFile implements Closeable {
    private final Path file;
    private final OpenPackage contents;
    private final PackageBudget budget;

    PackageFile(Path file, OpenPackage contents, PackageBudget budget) {
        this.file = file;
        this.contents = contents;
        this.budget = budget;
    }

    public PackageInfo info() {
        return contents.info();
    }

    /**
     * Visits the wanted entries, also those of packages inside a tar archive. The caller may call this method only
     * once.
     *
     * @throws UnreadableException if the package is truncated, corrupt or beyond the limits; the visitor has already
     *     received the entries before the defect
     */
    public void forEach(EntryVisitor visitor) throws UnreadableException {
        try {
            contents.walk(new PackageWalk(visitor, budget, contents.info()));
        } catch (IOException e) {
            throw UnreadableException.of(file, e);
        }
    }

    @Override
    public void close() {
        try {
            contents.close();
        } catch (IOException e) {
            // A failed close loses nothing, because the package was only read.
            return;
        }
    }

    public interface EntryVisitor {
        /**
         * Returns whether to visit the entry of this normalised path. If a package starts with a list of its files and
         * the visitor wants none of them, the contents are not even decompressed. The reader may call this method
         * several times for a path.
         */
        boolean wants(String path);

        /** Returns whether to visit a package inside a tar archive as a file, instead of visiting its entries. */
        default boolean wantsPackage(String path) {
            return false;
        }

        /**
         * Receives a wanted entry. If a path repeats, the method receives each of its entries, and the last one counts.
         */
        void visit(PackageEntry entry) throws IOException;

        /**
         * Receives a problem because of which a part of the package is left out.
         *
         * @param subject the entry's name, unescaped; empty for the package itself
         * @param message the problem, in one line
         */
        void problem(String subject, String message);
    }

    interface OpenPackage extends Closeable {
        PackageInfo info();

        void walk(PackageWalk walk) throws IOException;
    }
}
