package dev.weaklink.kernel.store;

import dev.weaklink.format.codec.UnreadableFileException;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.sys.DurableFiles;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A directory of kept kernels. Every file is named by the digest of what is in it, and is compared
 * with it whenever it is read; one that differs is left aside. Files are written under another name
 * first and never changed afterwards, so that no lock is needed.
 */
public final class KernelStore {
  /** Where a system keeps its kernels. */
  public static final String USUAL = "/var/lib/weaklink/kernels";

  private static final String UNFINISHED = ".new-";
  private static final long FORGOTTEN_MILLIS = 3_600_000;
  private static final Comparator<StoreEntry> OLD_TO_NEW =
      Comparator.comparing(StoreEntry::release, KernelReleaseOrder.INSTANCE)
          .thenComparing(StoreEntry::digest);

  private final Path directory;

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
    List<StoreEntry> entries = new ArrayList<>();
    for (Path file : files()) {
      StoreEntry entry = StoreEntry.of(file);
      if (entry != null && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
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
    List<StoreEntry> named = entries();
    named.removeIf(entry -> !entry.isNamed(name));
    return named;
  }

  /** Reads and compares every entry. */
  public StoreListing list() throws IOException {
    List<StoreListing.Kept> kernels = new ArrayList<>();
    List<StoreListing.Corrupt> corrupt = new ArrayList<>();
    for (StoreEntry entry : entries()) {
      try {
        kernels.add(new StoreListing.Kept(entry, read(entry), Files.size(entry.file())));
      } catch (CorruptEntryException e) {
        corrupt.add(new StoreListing.Corrupt(entry, String.valueOf(e.getMessage())));
      }
    }
    return new StoreListing(kernels, corrupt);
  }

  /**
   * Reads an entry.
   *
   * @throws CorruptEntryException if it is not what it was when it was kept, or cannot be read
   */
  public TargetKernel read(StoreEntry entry) throws CorruptEntryException {
    try {
      if (entry.isOutdated()) {
        throw new CorruptEntryException(
            "was kept by an earlier version; remove it, and keep the kernel again with 'weaklink store"
                + " add'");
      }
      KernelArchive file = KernelArchive.read(entry.file(), false);
      if (!file.digest().equals(entry.digest()) || !file.release().equals(entry.release())) {
        throw new CorruptEntryException("is not what its name says");
      }
      return file.kernel();
    } catch (CorruptEntryException e) {
      throw e;
    } catch (UnreadableFileException e) {
      throw new CorruptEntryException(e.reason(), e);
    } catch (IOException e) {
      throw new CorruptEntryException("cannot be read", e);
    }
  }

  /**
   * The BTF section of the kernel in an entry's file.
   *
   * @return null if it was kept without
   * @throws CorruptEntryException if the file is not whole
   * @throws UnreadableFileException if it cannot be read
   */
  public static byte @Nullable [] types(Path file) throws IOException {
    return KernelArchive.read(file, true).types();
  }

  /** Whether a kernel is kept, and its types with it. */
  public boolean hasTypes(TargetKernel kernel) {
    try {
      return types(directory.resolve(KernelArchive.of(kernel, null).name())) != null;
    } catch (IOException e) {
      return false; // not kept, or corrupt: it will be written
    }
  }

  /**
   * Keeps a kernel. An intact entry is not written again, unless it lacks types that are known now.
   *
   * @param types its BTF section, null if it is not known
   * @throws IOException if it cannot be written
   */
  public StoreEntry put(TargetKernel kernel, byte @Nullable [] types) throws IOException {
    KernelArchive file = KernelArchive.of(kernel, types);
    if (!StoreEntry.isPlainRelease(file.release())) {
      throw new IOException("its release is not a valid file name");
    }
    return put(file);
  }

  /**
   * Takes over the file of a kernel from another store.
   *
   * @throws CorruptEntryException if it is none, or is not what its name says
   * @throws IOException if it cannot be read, or not be written here
   */
  public StoreEntry add(Path file) throws IOException {
    StoreEntry claimed = StoreEntry.of(file);
    TargetKernel kernel =
        claimed == null ? KernelArchive.read(file, false).kernel() : read(claimed);
    return put(kernel, types(file));
  }

  private StoreEntry put(KernelArchive file) throws IOException {
    Path target = directory.resolve(file.name());
    StoreEntry entry = new StoreEntry(file.release(), file.digest(), target);
    if (isIntact(entry) && (file.types() == null || types(target) != null)) {
      return entry;
    }
    DurableFiles.createDirectories(directory);
    DurableFiles.move(DurableFiles.draft(directory, UNFINISHED, file.bytes()), target);
    return entry;
  }

  private boolean isIntact(StoreEntry entry) {
    if (!Files.isRegularFile(entry.file(), LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try {
      read(entry);
      return true;
    } catch (CorruptEntryException e) {
      return false;
    }
  }

  /**
   * Removes an entry.
   *
   * @throws IOException if it cannot be removed
   */
  public void remove(StoreEntry entry) throws IOException {
    Files.deleteIfExists(entry.file());
  }

  /** Removes what interrupted writers left behind. */
  public void removeUnfinished() throws IOException {
    for (Path file : files()) {
      String name = String.valueOf(file.getFileName());
      if (name.startsWith(UNFINISHED)
          && Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis()
              < System.currentTimeMillis() - FORGOTTEN_MILLIS) {
        Files.deleteIfExists(file);
      }
    }
  }
}
