package dev.weaklink.kernel.store;

import dev.weaklink.format.codec.RawFile;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.store.KernelArchive.Summary;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.ShellWord;
import dev.weaklink.sys.UnreadableException;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A directory of kept kernels, and of rows of exports that they share. Every file is named by the digest of what is in
 * it, and is compared with it when it is added, pulled or listed; one that differs is left aside. Files are written
 * under another name first and never changed afterwards, so that no lock is needed.
 */
public final class KernelStore {
    /** Where a system keeps its kernels. */
    public static final String USUAL = "/var/lib/weaklink/kernels";

    private static final String UNFINISHED = ".new-";
    private static final long FORGOTTEN_MILLIS = 3_600_000;
    private static final Comparator<StoreEntry> OLD_TO_NEW = Comparator.comparing(
                    StoreEntry::release, KernelReleaseOrder.INSTANCE)
            .thenComparing(StoreEntry::digest);

    private final Path directory;
    private final Map<String, SharedRows> shared = new ConcurrentHashMap<>();

    /** The store in a directory, which need not be there yet. */
    public KernelStore(Path directory) {
        this.directory = directory;
    }

    /** Its directory. */
    public Path directory() {
        return directory;
    }

    /**
     * All entries by their names, from old to new; what has another name is passed over.
     *
     * @throws IOException if the directory is there but cannot be read
     */
    public List<StoreEntry> entries() throws IOException {
        return entries(any -> true);
    }

    /** The option that names it to a command; empty for that of the system. */
    public String words() {
        return directory.equals(Path.of(USUAL)) ? "" : " --store " + ShellWord.of(directory.toString());
    }

    /** What is said of an entry that cannot be read; only one that is damaged is to be removed. */
    public InputProblem skipped(StoreEntry entry, UnreadableException e) {
        String advice = "; remove it with 'weaklink store prune" + words() + "'";
        return new InputProblem(
                entry.file().toString(), e.reason() + "; skipped" + (Files.isReadable(entry.file()) ? advice : ""));
    }

    private List<StoreEntry> entries(Predicate<StoreEntry> wanted) throws IOException {
        List<StoreEntry> entries = new ArrayList<>();
        for (Path file : files()) {
            StoreEntry entry = StoreEntry.of(file);
            if (entry != null && wanted.test(entry) && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                entries.add(entry);
            }
        }
        entries.sort(OLD_TO_NEW);
        return entries;
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            stream.forEach(files::add);
        } catch (NoSuchFileException e) {
            // Nothing has been kept yet.
        } catch (DirectoryIteratorException e) {
            throw Objects.requireNonNull(e.getCause());
        }
        return files;
    }

    /** The entries that a name means, see {@link StoreEntry#isNamed}. */
    public List<StoreEntry> named(String name) throws IOException {
        return entries(entry -> entry.isNamed(name));
    }

    /** Reads and compares every entry. */
    public StoreListing list() throws IOException {
        List<StoreListing.Kept> kernels = new ArrayList<>();
        List<StoreListing.Corrupt> corrupt = new ArrayList<>();
        for (StoreEntry entry : entries()) {
            try {
                TargetKernel kernel = archive(entry, false).kernel();
                kernels.add(new StoreListing.Kept(entry, kernel, Files.size(entry.file())));
            } catch (UnreadableException e) {
                corrupt.add(new StoreListing.Corrupt(entry, e.reason()));
            }
        }
        return new StoreListing(kernels, corrupt);
    }

    /**
     * Reads an entry for a check. Whether it is whole, the archive's own check sums say. It is not compared with its
     * digest, as nobody is kept out by that: whoever can change a file here can also give it the name that fits.
     *
     * @throws UnreadableException if it is not whole, of another release, or cannot be read
     */
    public TargetKernel read(StoreEntry entry) throws UnreadableException {
        KernelArchive archive = archive(current(entry).file(), false);
        if (!archive.release().equals(entry.release())) {
            throw notAsNamed();
        }
        return archive.kernel();
    }

    private static UnreadableException notAsNamed() {
        return new UnreadableException("is not what its name says");
    }

    private static StoreEntry current(StoreEntry entry) throws UnreadableException {
        if (entry.isOutdated()) {
            throw new UnreadableException(
                    "was kept by an earlier version; remove it, and keep the kernel again with 'weaklink store"
                            + " add'");
        }
        return entry;
    }

    private KernelArchive archive(StoreEntry entry, boolean withTypes) throws UnreadableException {
        KernelArchive archive = archive(current(entry).file(), withTypes);
        if (!archive.digest().equals(entry.digest()) || !archive.release().equals(entry.release())) {
            throw notAsNamed();
        }
        return archive;
    }

    private KernelArchive archive(Path file, boolean withTypes) throws UnreadableException {
        try {
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                throw new UnreadableException("is not a regular file"); // opening a FIFO would wait
            }
            try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
                return KernelArchive.read(in, this::shared, withTypes);
            }
        } catch (UnreadableException e) {
            throw e;
        } catch (IOException e) {
            throw new UnreadableException(IoReason.of(e), e);
        }
    }

    /** Rows that kernels share, which are read once. */
    private SharedRows shared(String digest) throws UnreadableException {
        SharedRows known = shared.get(digest);
        if (known == null) {
            try {
                Path file = directory.resolve(SharedRows.fileName(digest));
                known = SharedRows.read(RawFile.read(file, KernelArchive.LIMIT), digest);
            } catch (UnreadableException e) {
                throw new UnreadableException("shared rows " + digest + ": " + e.reason(), e);
            }
            shared.put(digest, known);
        }
        return known;
    }

    /**
     * The BTF section of the kernel in an entry's file.
     *
     * @return null if it was kept without
     * @throws UnreadableException if the file is not whole, or cannot be read
     */
    public static byte @Nullable [] types(Path file) throws UnreadableException {
        return new KernelStore(directoryOf(file)).archive(file, true).types();
    }

    private static Path directoryOf(Path file) {
        return Objects.requireNonNullElse(file.toAbsolutePath().getParent(), file);
    }

    /** Whether a kernel is kept, and its types with it. */
    public boolean hasTypes(TargetKernel kernel) {
        try {
            return find(release(kernel), Summary.of(kernel, true)) != null;
        } catch (IOException e) {
            return false; // it will be written
        }
    }

    private static String release(TargetKernel kernel) {
        return Objects.requireNonNullElse(kernel.release(), "");
    }

    /** The intact entry of a release that has all of that; null if there is none. */
    @Nullable
    StoreEntry find(String release, Summary wanted) throws IOException {
        for (StoreEntry entry : named(release)) {
            try {
                if (archive(entry, false).summary().covers(wanted)) {
                    return entry;
                }
            } catch (UnreadableException e) {
                // it will be written again
            }
        }
        return null;
    }

    /**
     * Keeps a kernel. It is not written if an intact entry says the same or more; those that say less (by its headers
     * alone, without its types) are removed.
     *
     * @param types its BTF section, null if it is not known
     * @throws IOException if it cannot be written
     */
    public StoreEntry put(TargetKernel kernel, byte @Nullable [] types) throws IOException {
        if (!StoreEntry.isPlainRelease(release(kernel))) {
            throw new IOException("its release is not a valid file name");
        }
        Summary summary = Summary.of(kernel, types != null);
        StoreEntry kept = find(release(kernel), summary);
        if (kept != null) {
            return kept;
        }
        DurableFiles.createDirectories(directory);
        KernelArchive archive = KernelArchive.of(kernel, shared(kernel.exports()), types);
        StoreEntry entry = new StoreEntry(archive.release(), archive.digest(), directory.resolve(archive.name()));
        write(archive.bytes(), entry, summary);
        return entry;
    }

    /** Writes an entry, in the place of those that it covers. */
    private void write(byte[] bytes, StoreEntry entry, Summary summary) throws IOException {
        write(bytes, entry.file());
        for (StoreEntry other : named(entry.release())) {
            try {
                if (!other.equals(entry) && summary.covers(archive(other, false).summary())) {
                    remove(other);
                }
            } catch (UnreadableException e) {
                // 'list' and 'prune' name it
            }
        }
    }

    /** The rows that a kernel gains most by sharing; its own if none will do. */
    private SharedRows shared(ExportTable exports) throws IOException {
        ExportTable plain = KernelArchive.plain(exports);
        SharedRows best = null;
        int most = 0;
        for (Path file : files()) {
            String name = String.valueOf(file.getFileName());
            if (SharedRows.isName(name)) {
                try {
                    SharedRows rows = shared(name.substring(0, name.indexOf('.')));
                    int gain = rows.gain(plain);
                    if (gain > most
                            || gain == most && best != null && rows.digest().compareTo(best.digest()) < 0) {
                        best = rows;
                        most = gain;
                    }
                } catch (UnreadableException e) {
                    // 'list' and 'prune' name the kernels that share it
                }
            }
        }
        if (best == null) {
            best = SharedRows.of(exports);
            write(best.bytes(), directory.resolve(SharedRows.fileName(best.digest())));
            shared.put(best.digest(), best);
        }
        return best;
    }

    private void write(byte[] bytes, Path file) throws IOException {
        DurableFiles.move(DurableFiles.draft(directory, UNFINISHED, bytes), file);
    }

    /** Creates a directory for files that are fetched; {@link #tidy} removes it if the caller does not. */
    Path stagingDirectory() throws IOException {
        DurableFiles.createDirectories(directory);
        return Files.createTempDirectory(directory, UNFINISHED);
    }

    /** What is in an entry but for its types. */
    KernelArchive open(StoreEntry entry) throws UnreadableException {
        return archive(entry, false);
    }

    Path file(String name) {
        return directory.resolve(name);
    }

    boolean has(String name) {
        return Files.isRegularFile(directory.resolve(name), LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Takes over a file of another store, shared rows before the kernels that share them.
     *
     * @param name its name there, which has no slash in it
     * @return false if the kernel is here already
     * @throws UnreadableException if it is not what its name says
     */
    boolean take(String name, byte[] bytes) throws IOException {
        if (SharedRows.isName(name)) {
            SharedRows.read(bytes, name.substring(0, name.indexOf('.')));
            write(bytes, directory.resolve(name));
            return true;
        }
        StoreEntry claimed = StoreEntry.of(directory.resolve(name));
        KernelArchive archive = KernelArchive.read(new ByteArrayInputStream(bytes), this::shared, true);
        if (claimed == null
                || !archive.digest().equals(claimed.digest())
                || !archive.release().equals(claimed.release())) {
            throw new UnreadableException(name + " is not what its name says");
        }
        Summary summary = archive.summary();
        if (find(archive.release(), summary) != null) {
            return false;
        }
        write(bytes, claimed, summary);
        return true;
    }

    /**
     * Removes an entry.
     *
     * @throws IOException if it cannot be removed
     */
    public void remove(StoreEntry entry) throws IOException {
        Files.deleteIfExists(entry.file());
    }

    /** Removes what interrupted writers left behind, and rows that no kernel shares any more. */
    public void tidy() throws IOException {
        Set<String> used = new HashSet<>();
        for (StoreEntry entry : entries()) {
            try {
                used.add(
                        SharedRows.fileName(String.valueOf(archive(entry, false).shared())));
            } catch (UnreadableException e) {
                if (!Files.isReadable(entry.file())) {
                    return; // nobody knows what it shares
                }
                // it will be removed, too
            }
        }
        for (Path file : files()) {
            String name = String.valueOf(file.getFileName());
            boolean old =
                    Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis()
                            < System.currentTimeMillis() - FORGOTTEN_MILLIS;
            // A kernel that shares them may be about to be written.
            if (old && (name.startsWith(UNFINISHED) || SharedRows.isName(name) && !used.contains(name))) {
                DurableFiles.deleteTree(file);
            }
        }
    }

    /**
     * What is in a store.
     *
     * @param kernels those that are in order, from old to new
     * @param corrupt the files that are not, each with the reason
     */
    public record StoreListing(List<Kept> kernels, List<Corrupt> corrupt) {
        public StoreListing {
            kernels = List.copyOf(kernels);
            corrupt = List.copyOf(corrupt);
        }

        /** A kernel, and its file's size in bytes. */
        public record Kept(StoreEntry entry, TargetKernel kernel, long size) {}

        /** A file that is left aside, and why. */
        public record Corrupt(StoreEntry entry, String reason) {}
    }
}
