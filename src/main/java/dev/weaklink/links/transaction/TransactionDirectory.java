package dev.weaklink.links.transaction;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.FileStatus;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where one transaction is written down: {@code journal.json} once, before it begins; {@code
 * progress.json} whenever it has got further; the index files as they were; in {@code files} what
 * files contained that it changes. Each of the first two is there completely or not at all, and
 * without the first, nothing was done yet.
 */
final class TransactionDirectory {
  private static final String JOURNAL = "journal.json";
  private static final String PROGRESS = "progress.json";

  /** Holds the space for the last entry, should the disk become full meanwhile. */
  private static final String RESERVE = "reserve";

  private static final FileAttribute<?> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static final int RESERVE_SIZE = 4096;
  private static final int RESERVE_PER_KERNEL = 1024;
  private static final long MAX_SIZE = 64L << 20;

  private final int number;
  private final Path host;
  private final FaultPoint faults;

  TransactionDirectory(int number, Path host, FaultPoint faults) {
    this.number = number;
    this.host = host;
    this.faults = faults;
  }

  int number() {
    return number;
  }

  Path host() {
    return host;
  }

  /** Where the index files of all kernels are kept. */
  Path indexes() {
    return host.resolve("indexes");
  }

  /** Gives a file's content. */
  interface Content {
    /** Writes it into a new file. */
    void writeTo(Path file) throws IOException;
  }

  /** Keeps what files contain, by digest: from here they are put, and put back. */
  void keep(Map<String, Content> contents) throws IOException {
    if (contents.isEmpty()) {
      return;
    }
    Files.createDirectory(files(), PRIVATE);
    for (Map.Entry<String, Content> content : contents.entrySet()) {
      faults.at("before keeping a file");
      Path file = files().resolve(content.getKey());
      content.getValue().writeTo(file);
      if (!DurableFiles.digest(file).equals(content.getKey())) {
        throw new IOException("a file was changed by somebody else while it was read");
      }
      faults.at("after keeping a file");
    }
    DurableFiles.syncDirectory(files());
    DurableFiles.syncDirectory(host);
  }

  private Path files() {
    return host.resolve("files");
  }

  /** Whether a file of this content is kept. */
  boolean keeps(PathState.File file) {
    return Files.isDirectory(files(), LinkOption.NOFOLLOW_LINKS)
        && Files.isRegularFile(files().resolve(file.sha256()), LinkOption.NOFOLLOW_LINKS);
  }

  /** Writes a file of this content and mode where nothing is yet. */
  void write(PathState.File file, Path to) throws IOException {
    if (!keeps(file)) {
      throw new IOException(
          "what a file contained is not kept in " + files() + ": " + file.sha256());
    }
    if (!DurableFiles.copy(files().resolve(file.sha256()), to).equals(file.sha256())) {
      throw new IOException(files().resolve(file.sha256()) + ": damaged");
    }
    Files.setAttribute(to, "unix:mode", file.mode(), LinkOption.NOFOLLOW_LINKS);
    DurableFiles.sync(to);
  }

  /** Forgets all contents but these. */
  void retainFiles(Set<String> digests) throws IOException {
    for (String name : contents()) {
      if (!digests.contains(name)) {
        DurableFiles.deleteTree(files().resolve(name));
        faults.at("after forgetting a file");
      }
    }
    if (digests.isEmpty()) {
      DurableFiles.deleteTree(files());
    }
  }

  /** How many bytes the contents take. */
  long sizeOfFiles() throws IOException {
    long size = 0;
    for (String name : contents()) {
      Path file = files().resolve(name);
      size += FileStatus.of(file, LinkOption.NOFOLLOW_LINKS).identity().size();
    }
    return size;
  }

  private List<String> contents() {
    boolean isDirectory = Files.isDirectory(files(), LinkOption.NOFOLLOW_LINKS);
    return isDirectory ? RootText.names(files()) : List.of();
  }

  /** Where depmod may work. */
  Path work() {
    return host.resolve("depmod");
  }

  /**
   * What the transaction is about, or null if it never began.
   *
   * @throws IOException if that cannot be read or understood
   */
  @Nullable TransactionRecord record() throws IOException {
    byte[] bytes = read(JOURNAL);
    if (bytes == null) {
      return null;
    }
    TransactionRecord record = JournalFiles.record(bytes);
    if (record.number() != number) {
      throw new IOException("journal of another transaction");
    }
    return record;
  }

  /** How far it has got. */
  TransactionProgress progress() throws IOException {
    byte[] bytes = read(PROGRESS);
    return bytes == null ? TransactionProgress.BEGUN : JournalFiles.progress(bytes);
  }

  void write(TransactionRecord record) throws IOException {
    int kernels = record.kernels().size();
    DurableFiles.create(
        host.resolve(RESERVE), new byte[RESERVE_SIZE + RESERVE_PER_KERNEL * kernels]);
    replace(JOURNAL, JournalFiles.bytes(record));
  }

  void write(TransactionProgress progress) throws IOException {
    if (progress.phase().isFinal()) {
      Files.deleteIfExists(host.resolve(RESERVE));
    }
    replace(PROGRESS, JournalFiles.bytes(progress));
  }

  private void replace(String name, byte[] content) throws IOException {
    Path fresh = host.resolve(name + ".new");
    faults.at("before writing " + name);
    Files.deleteIfExists(fresh);
    DurableFiles.create(fresh, content);
    faults.at("before renaming " + name);
    DurableFiles.move(fresh, host.resolve(name));
    faults.at("after renaming " + name);
  }

  private byte @Nullable [] read(String name) throws IOException {
    Path file = host.resolve(name);
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
        && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(name + " is not a regular file");
    }
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      if (channel.size() > MAX_SIZE) {
        throw new IOException(name + " is too large");
      }
      return Channels.newInputStream(channel).readNBytes((int) MAX_SIZE);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Forgets the index files, after which they cannot be restored. */
  void forgetIndexes() throws IOException {
    DurableFiles.deleteTree(indexes());
    faults.at("after forgetting index files");
  }

  /** Forgets the transaction; the journal goes first, since without it there is none. */
  void delete() throws IOException {
    Files.deleteIfExists(host.resolve(JOURNAL));
    faults.at("after deleting a journal");
    DurableFiles.syncDirectory(host);
    DurableFiles.deleteTree(host);
    faults.at("after deleting a transaction");
  }
}
