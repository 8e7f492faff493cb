package dev.weaklink.links;

import dev.weaklink.sys.DurableFiles;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Where one transaction is written down: {@code journal.json} once, before it begins; {@code
 * progress.json} whenever it has got further; the index files as they were. Each of the two is
 * there completely or not at all, and without the first, nothing was done yet.
 */
final class TransactionDirectory {
  private static final String JOURNAL = "journal.json";
  private static final String PROGRESS = "progress.json";

  /** Holds the space for the last entry, should the disk become full meanwhile. */
  private static final String RESERVE = "reserve";

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
