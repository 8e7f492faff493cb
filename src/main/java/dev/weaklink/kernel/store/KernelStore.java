package dev.weaklink.kernel.store;

import dev.weaklink.format.codec.RawFile;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.store.KernelArchive.Summary;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.RegularFile;
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
import java.time.Duration;
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
 * A directory of stored kernels, and of files of exports that several kernels share. The name of a file contains a
 * digest of its contents. Methods that read a kernel's file compare the digest, except {@link #read} and
 * {@link #types}. Files are first written under another name and never changed afterwards, so that no lock is needed.
 */
public final class KernelStore {
    public static final String USUAL = "/var/lib/weaklink/kernels";

    private static final String UNFINISHED = ".new-";
    /** The age after which no running process needs an unfinished file or an unused file of shared exports. */
    static final Duration FORGOTTEN = Duration.ofHours(1);

    private static final Comparator<StoreEntry> OLD_TO_NEW = Comparator.comparing(
                    StoreEntry::release, KernelReleaseOrder.INSTANCE)
            .thenComparing(StoreEntry::digest);

    private final Path directory;
    private final Map<String, SharedExports> shared = new ConcurrentHashMap<>();

    public KernelStore(Path directory) {
        this.directory = directory;
    }

    public Path directory() {
        return directory;
    }

    /**
     * Returns all entries from old to new, without reading their files. Ignores symlinks, directories, and files that
     * are not named as entries. Returns an empty list if the directory does not exist.
     *
     * @throws IOException if the directory exists but cannot be read
     */
    public List<StoreEntry> entries() throws IOException {
        return entries(any -> true);
    }

    public String words() {
        return directory.equals(Path.of(USUAL)) ? "" : " --store " + ShellWord.of(directory.toString());
    }

    /**
     * Returns the problem to report for an entry that is skipped. The problem contains the advice to remove the entry
     * only if this user may read the file.
     */
    public InputProblem skipped(StoreEntry entry, String reason) {
        String advice = "; remove the file with 'weaklink store prune" + words() + "'";
        return new InputProblem(
                entry.file().toString(), reason + "; skipped" + (Files.isReadable(entry.file()) ? advice : ""));
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
            // The store does not exist yet.
        } catch (DirectoryIteratorException e) {
            throw Objects.requireNonNull(e.getCause());
        }
        return files;
    }

    public List<StoreEntry> named(String name) throws IOException {
        return entries(entry -> entry.isNamed(name));
    }

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
     * Reads an entry for a check. The archive's own checksums show whether the entry is complete. The digest in the
     * file's name is not compared: a user who can change a file here could also rename it to match.
     *
     * @throws UnreadableException if the entry is incomplete, outdated, of another release, or cannot be read
     */
    public TargetKernel read(StoreEntry entry) throws UnreadableException {
        KernelArchive archive = archive(current(entry).file(), false);
        if (!archive.release().equals(entry.release())) {
            throw notAsNamed();
        }
        return archive.kernel();
    }

    private static UnreadableException notAsNamed() {
        return new UnreadableException("does not match its name");
    }

    private StoreEntry current(StoreEntry entry) throws UnreadableException {
        if (entry.isOutdated()) {
            throw new UnreadableException(
                    "was stored by an earlier version of weaklink; store the kernel again with 'weaklink store add"
                            + words()
                            + " KERNEL'");
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
            try (InputStream in = new BufferedInputStream(RegularFile.open(file), 1 << 16)) {
                return KernelArchive.read(in, this::shared, withTypes);
            }
        } catch (UnreadableException e) {
            throw e;
        } catch (IOException e) {
            throw new UnreadableException(IoReason.of(e), e);
        }
    }

    private SharedExports shared(String digest) throws UnreadableException {
        SharedExports known = shared.get(digest);
        if (known == null) {
            byte[] bytes;
            try {
                bytes = RawFile.read(directory.resolve(SharedExports.fileName(digest)), KernelArchive.LIMIT);
            } catch (UnreadableException e) {
                throw new UnreadableException("shared exports " + digest + ": " + e.reason(), e);
            }
            known = SharedExports.read(bytes, digest);
            shared.put(digest, known);
        }
        return known;
    }

    /**
     * Reads the BTF section of the kernel in an entry's file.
     *
     * @return null if the kernel was stored without types
     * @throws UnreadableException if the file, or the shared exports that it needs, cannot be read
     */
    public static byte @Nullable [] types(Path file) throws UnreadableException {
        return new KernelStore(directoryOf(file)).archive(file, true).types();
    }

    private static Path directoryOf(Path file) {
        return Objects.requireNonNullElse(file.toAbsolutePath().getParent(), file);
    }

    public boolean hasTypes(TargetKernel kernel) {
        try {
            return find(release(kernel), Summary.of(kernel, true)) != null;
        } catch (IOException e) {
            return false; // the caller then writes the kernel
        }
    }

    private static String release(TargetKernel kernel) {
        return Objects.requireNonNullElse(kernel.release(), "");
    }

    /** Returns an intact entry of a release that contains all facts of {@code wanted}; null if the store has none. */
    @Nullable
    StoreEntry find(String release, Summary wanted) throws IOException {
        for (StoreEntry entry : named(release)) {
            try {
                if (archive(entry, false).summary().covers(wanted)) {
                    return entry;
                }
            } catch (UnreadableException e) {
                // the caller writes the kernel again
            }
        }
        return null;
    }

    /**
     * Stores a kernel, unless an intact entry already contains all of its facts. If the types of the same kernel are in
     * an entry with fewer other facts, or the other way round, stores both together. After storing, removes the other
     * entries of the release that contain no further facts, for example an entry without types.
     *
     * @param types the kernel's BTF section, null if unknown
     * @return the new entry, or the existing entry that contains all facts
     * @throws IOException if the release is not a valid file name, or the kernel cannot be written
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
        StoreEntry merged = putMerged(kernel, types, summary);
        if (merged != null) {
            return merged;
        }
        DurableFiles.createDirectories(directory);
        KernelArchive archive = KernelArchive.of(kernel, shared(kernel.exports()), types);
        StoreEntry entry = new StoreEntry(archive.release(), archive.digest(), directory.resolve(archive.name()));
        write(archive.bytes(), entry, summary);
        return entry;
    }

    /** Stores a kernel with the types or the other facts of an entry; returns null if no entry adds any. */
    private @Nullable StoreEntry putMerged(TargetKernel kernel, byte @Nullable [] types, Summary summary)
            throws IOException {
        for (StoreEntry entry : named(release(kernel))) {
            KernelArchive other;
            try {
                other = archive(entry, true);
            } catch (UnreadableException e) {
                continue; // 'list' and 'prune' report the entry
            }
            if (other.summary().addsTypesTo(summary)) {
                return put(kernel, other.types());
            }
            if (summary.addsTypesTo(other.summary())) {
                return put(other.kernel(), types);
            }
        }
        return null;
    }

    private void write(byte[] bytes, StoreEntry entry, Summary summary) throws IOException {
        removeForgotten(name -> name.startsWith(UNFINISHED));
        write(bytes, entry.file());
        for (StoreEntry other : named(entry.release())) {
            try {
                if (!other.equals(entry) && summary.covers(archive(other, false).summary())) {
                    remove(other);
                }
            } catch (UnreadableException e) {
                // 'list' and 'prune' report the entry
            }
        }
    }

    private SharedExports shared(ExportTable exports) throws IOException {
        ExportTable plain = KernelArchive.plain(exports);
        SharedExports best = null;
        int most = 0;
        for (Path file : files()) {
            String name = String.valueOf(file.getFileName());
            if (SharedExports.isName(name)) {
                try {
                    SharedExports rows = shared(name.substring(0, name.indexOf('.')));
                    int gain = rows.gain(plain);
                    if (gain > most
                            || gain == most && best != null && rows.digest().compareTo(best.digest()) < 0) {
                        best = rows;
                        most = gain;
                    }
                } catch (UnreadableException e) {
                    // 'list' and 'prune' report the kernels that share the file
                }
            }
        }
        if (best == null) {
            best = SharedExports.of(exports);
            write(best.bytes(), directory.resolve(SharedExports.fileName(best.digest())));
            shared.put(best.digest(), best);
        }
        return best;
    }

    private void write(byte[] bytes, Path file) throws IOException {
        boolean isNew = !Files.exists(file, LinkOption.NOFOLLOW_LINKS);
        Path draft = DurableFiles.draft(directory, UNFINISHED, bytes);
        try {
            DurableFiles.move(draft, file);
        } catch (IOException e) {
            Files.deleteIfExists(draft);
            // The caller reports that the kernel was not stored.
            if (isNew) {
                Files.deleteIfExists(file);
            }
            throw e;
        }
    }

    /** Creates a directory for fetched files; {@link #tidy} removes it if the caller does not. */
    Path stagingDirectory() throws IOException {
        DurableFiles.createDirectories(directory);
        return Files.createTempDirectory(directory, UNFINISHED);
    }

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
     * Adds a file of another store. Shared exports must be added before the kernels that refer to them.
     *
     * @param name the file's name in the other store, which contains no slash
     * @return false if the file is a stored kernel that this store already contains, else true
     * @throws UnreadableException if the file is corrupt, or does not match its name
     */
    boolean take(String name, byte[] bytes) throws IOException {
        if (SharedExports.isName(name)) {
            SharedExports.read(bytes, name.substring(0, name.indexOf('.')));
            write(bytes, directory.resolve(name));
            return true;
        }
        StoreEntry claimed = StoreEntry.of(directory.resolve(name));
        KernelArchive archive = KernelArchive.read(new ByteArrayInputStream(bytes), this::shared, true);
        if (claimed == null
                || !archive.digest().equals(claimed.digest())
                || !archive.release().equals(claimed.release())) {
            throw new UnreadableException(name + " does not match its name");
        }
        Summary summary = archive.summary();
        if (find(archive.release(), summary) != null) {
            return false;
        }
        if (putMerged(archive.kernel(), archive.types(), summary) == null) {
            write(bytes, claimed, summary);
        }
        return true;
    }

    public void remove(StoreEntry entry) throws IOException {
        Files.deleteIfExists(entry.file());
    }

    public void tidy() throws IOException {
        Set<String> used = new HashSet<>();
        for (StoreEntry entry : entries()) {
            try {
                used.add(SharedExports.fileName(
                        String.valueOf(archive(entry, false).shared())));
            } catch (UnreadableException e) {
                if (!Files.isReadable(entry.file())) {
                    return; // the entry may need any file of shared exports, so none can be removed
                }
                // the entry is damaged, and 'prune' removes it
            }
        }
        removeForgotten(name -> name.startsWith(UNFINISHED) || SharedExports.isName(name) && !used.contains(name));
    }

    /**
     * Removes matching files that are older than {@link #FORGOTTEN}. Another process may still be writing a younger
     * file, or a kernel that refers to it.
     */
    private void removeForgotten(Predicate<String> names) throws IOException {
        for (Path file : files()) {
            if (names.test(String.valueOf(file.getFileName())) && DurableFiles.isOlder(file, FORGOTTEN)) {
                DurableFiles.deleteTree(file);
            }
        }
    }

    /**
     * The contents of a store.
     *
     * @param kernels the intact entries, from old to new
     * @param corrupt the other entries, each with the reason
     */
    public record StoreListing(List<Kept> kernels, List<Corrupt> corrupt) {
        public StoreListing {
            kernels = List.copyOf(kernels);
            corrupt = List.copyOf(corrupt);
        }

        public record Kept(StoreEntry entry, TargetKernel kernel, long size) {}

        public record Corrupt(StoreEntry entry, String reason) {}
    }
}
