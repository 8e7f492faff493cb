package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.ManagedPath.KernelDirectory;
import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** The files that depmod writes into a kernel's directory (kmod, tools/depmod.c: depmod_output). */
final class IndexFiles {
    static final List<String> NAMES = List.of(
            "modules.alias",
            "modules.alias.bin",
            "modules.builtin.alias.bin",
            "modules.builtin.bin",
            "modules.dep",
            "modules.dep.bin",
            "modules.devname",
            "modules.softdep",
            "modules.symbols",
            "modules.symbols.bin",
            "modules.weakdep");

    private final KernelDirectory kernel;
    private final FaultPoint faults;

    IndexFiles(KernelDirectory kernel, FaultPoint faults) {
        this.kernel = kernel;
        this.faults = faults;
    }

    /**
     * Keeps the index files as hard links, or as copies if hard links cannot be made. A hard link is safe because
     * depmod renames new files over old ones. If depmod overwrites a file instead, the changed size or date of the kept
     * file reveals this.
     *
     * @param store the directory in which to create the kernel's directory
     * @return the sizes and dates of the kept files
     */
    IndexSet save(Path store) throws IOException {
        Path copies = store.resolve(kernel.release());
        DurableFiles.createDirectories(copies);
        SortedMap<String, String> marks = new TreeMap<>();
        for (String name : NAMES) {
            Path original = kernel.host().resolve(name);
            if (attributes(original) != null) {
                faults.at("before keeping an index file");
                duplicate(original, copies.resolve(name));
                marks.put(name, mark(copies.resolve(name)));
            }
        }
        DurableFiles.syncDirectory(copies);
        return new IndexSet(kernel.release(), marks);
    }

    static boolean isIntact(Path store, IndexSet saved) throws IOException {
        Path copies = store.resolve(saved.kernel());
        if (!Files.isDirectory(store, LinkOption.NOFOLLOW_LINKS)
                || !Files.isDirectory(copies, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        for (String name : saved.marks().keySet()) {
            Path copy = copies.resolve(name);
            boolean known = NAMES.contains(name) && attributes(copy) != null;
            if (!known || !mark(copy).equals(saved.marks().get(name))) {
                return false;
            }
        }
        return true;
    }

    /** Restores the kept index files, and removes index files that did not exist when {@link #save} was called. */
    void restore(Path store, IndexSet saved) throws IOException {
        Path copies = store.resolve(kernel.release());
        for (String name : NAMES) {
            Path place = kernel.host().resolve(name);
            if (saved.marks().containsKey(name)) {
                restore(copies.resolve(name), place);
            } else if (attributes(place) != null) {
                faults.at("before removing an index file");
                Files.delete(place);
            }
        }
        removeTemporaries();
        DurableFiles.syncDirectory(kernel.host());
        faults.at("after restoring index files");
    }

    private void restore(Path copy, Path place) throws IOException {
        if (attributes(place) != null && mark(place).equals(mark(copy))) {
            return;
        }
        Path fresh = temporary(place);
        Files.deleteIfExists(fresh);
        faults.at("before restoring an index file");
        duplicate(copy, fresh);
        faults.at("before renaming an index file");
        Files.move(fresh, place, StandardCopyOption.ATOMIC_MOVE);
    }

    void install(Path from) throws IOException {
        for (String name : NAMES) {
            Path made = from.resolve(name);
            if (Files.isRegularFile(made, LinkOption.NOFOLLOW_LINKS)) {
                Path place = kernel.host().resolve(name);
                Path fresh = temporary(place);
                Files.deleteIfExists(fresh);
                duplicate(made, fresh);
                faults.at("before installing an index file");
                Files.move(fresh, place, StandardCopyOption.ATOMIC_MOVE);
            }
        }
        DurableFiles.syncDirectory(kernel.host());
    }

    void removeTemporaries() throws IOException {
        for (String name : NAMES) {
            Files.deleteIfExists(temporary(kernel.host().resolve(name)));
        }
    }

    IndexSet contents() throws IOException {
        return contents(kernel.host(), kernel.release());
    }

    static IndexSet contents(Path directory, String release) throws IOException {
        SortedMap<String, String> marks = new TreeMap<>();
        for (String name : NAMES) {
            Path file = directory.resolve(name);
            BasicFileAttributes attributes = attributes(file);
            if (attributes != null) {
                marks.put(name, attributes.isRegularFile() ? checksum(file) : "link");
            }
        }
        return new IndexSet(release, marks);
    }

    /** Flushes the files to disk, which depmod does not do. */
    void sync() throws IOException {
        for (String name : NAMES) {
            Path file = kernel.host().resolve(name);
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                DurableFiles.sync(file);
            }
        }
        DurableFiles.syncDirectory(kernel.host());
    }

    private static Path temporary(Path place) {
        return place.resolveSibling(WeakUpdates.TEMPORARY + place.getFileName());
    }

    private static void duplicate(Path from, Path to) throws IOException {
        try {
            Files.createLink(to, from);
        } catch (IOException | UnsupportedOperationException e) {
            Files.copy(from, to, LinkOption.NOFOLLOW_LINKS, StandardCopyOption.COPY_ATTRIBUTES);
            if (Files.isRegularFile(to, LinkOption.NOFOLLOW_LINKS)) {
                DurableFiles.sync(to);
            }
        }
    }

    private static @Nullable BasicFileAttributes attributes(Path file) throws IOException {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return attributes.isRegularFile() || attributes.isSymbolicLink() ? attributes : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static String mark(Path file) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return attributes.size() + ":" + attributes.lastModifiedTime().to(TimeUnit.MICROSECONDS);
    }

    private static String checksum(Path file) throws IOException {
        CRC32 crc = new CRC32();
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        long size = 0;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            while (channel.read(buffer) >= 0) {
                buffer.flip();
                size += buffer.remaining();
                crc.update(buffer);
                buffer.clear();
            }
        }
        return size + ":" + Long.toHexString(crc.getValue());
    }

    /**
     * The index files of one kernel at one time.
     *
     * @param marks for each existing file, a string by which to compare the file, such as its size and date
     */
    record IndexSet(String kernel, SortedMap<String, String> marks) {
        IndexSet(String kernel, Map<String, String> marks) {
            this(kernel, new TreeMap<>(marks));
        }
    }
}
