package dev.weaklink.format.archive;

import dev.weaklink.sys.UnreadableException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** An open package: what it says of itself, and its entries, once. */
public final class PackageFile implements Closeable {
    private final Path file;
    private final OpenPackage contents;
    private final PackageBudget budget;

    PackageFile(Path file, OpenPackage contents, PackageBudget budget) {
        this.file = file;
        this.contents = contents;
        this.budget = budget;
    }

    /** What it says of itself; of a bundle no more than its kind. */
    public PackageInfo info() {
        return contents.info();
    }

    /**
     * Goes through the entries in their order, those of packages in a bundle included. Their contents are read from the
     * package one at a time and nothing is kept. To be called once.
     *
     * @throws UnreadableException if the package is truncated, corrupt or beyond the limits; entries before that place
     *     have been visited
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
            // Nothing was written; what could be read has been.
            return;
        }
    }

    /** What is to be done with the entries of a package. */
    public interface EntryVisitor {
        /**
         * Whether the entry of this normalised path is to be visited. Where packages list their files in front, one
         * without any wanted file is not even decompressed. May be asked several times.
         */
        boolean wants(String path);

        /** Whether a package inside a bundle is visited as the file it is, instead of the entries in it. */
        default boolean wantsPackage(String path) {
            return false;
        }

        /** Takes a wanted entry. A path met again replaces the one met before. */
        void visit(PackageEntry entry) throws IOException;

        /**
         * Takes what was left out.
         *
         * @param subject the entry's name, unescaped; empty for the package itself
         * @param message what is wrong with it, in one line
         */
        void problem(String subject, String message);
    }

    /** A package whose description has been read and whose entries are still to come. */
    interface OpenPackage extends Closeable {
        PackageInfo info();

        /** Goes through the entries; once. */
        void walk(PackageWalk walk) throws IOException;
    }
}
