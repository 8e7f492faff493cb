package dev.weaklink.format.archive;

import dev.weaklink.format.codec.Compression;
import dev.weaklink.sys.IoReason;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A package of apk's third format, apk-v3(5): an ADB file, packed as a whole or not, of a block of
 * values, perhaps signatures, which are not verified, and a block for each file that is not empty,
 * in the order of the list of files.
 */
final class Apk3Package implements OpenPackage {
  /** Enough for a hundred thousand files. */
  private static final int MAX_VALUES = 16 << 20;

  private static final byte[] MAGIC = {'A', 'D', 'B', '.'};
  private static final byte[] PACKAGE = {'p', 'c', 'k', 'g'};
  private static final int FORM = 3;
  private static final int INFO = 1;
  private static final int DIRECTORIES = 2;

  /** In front of a file's data are the numbers of its directory and of itself, a word each. */
  private static final int DATA_HEADER = 8;

  private final InputStream in;
  private final AdbBlocks blocks;
  private final AdbObject directories;
  private final PackageInfo info;
  private boolean dataSeen;

  private Apk3Package(InputStream in) throws IOException {
    this.in = in;
    this.blocks = new AdbBlocks(in);
    AdbObject root = new AdbValues(values()).root();
    this.info = Apk3Description.read(root.object(INFO));
    this.directories = root.object(DIRECTORIES);
  }

  /** Whether the first bytes are those of an ADB file: plain, deflated, or packed as it says. */
  static boolean hasMagic(byte[] head, int length) {
    return length >= MAGIC.length
        && Arrays.equals(head, 0, FORM, MAGIC, 0, FORM)
        && (head[FORM] == '.' || head[FORM] == 'd' || head[FORM] == 'c');
  }

  /**
   * Reads up to the files.
   *
   * @throws NoPackageException if it is an ADB file of another kind, such as a list of packages
   */
  static Apk3Package open(InputStream raw, PackageBudget budget) throws IOException {
    byte form = bytes(raw, MAGIC.length)[FORM];
    UnpackedStream in = UnpackedStream.of(raw, compression(form, raw), budget);
    try {
      boolean plain = form == '.';
      if (!plain && !Arrays.equals(bytes(in, MAGIC.length), MAGIC)
          || !Arrays.equals(bytes(in, PACKAGE.length), PACKAGE)) {
        throw new NoPackageException();
      }
      return new Apk3Package(in);
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  /** What the last letter of the magic says, or two bytes behind it: an algorithm and its level. */
  private static Compression compression(byte form, InputStream raw) throws IOException {
    if (form != 'c') {
      return form == 'd' ? Compression.DEFLATE : Compression.NONE;
    }
    byte algorithm = bytes(raw, 2)[0];
    switch (algorithm) {
      case 0:
        return Compression.NONE;
      case 1:
        return Compression.DEFLATE;
      case 2:
        return Compression.ZSTD;
      default:
        throw new MalformedArchiveException(
            "an apk package with an unknown compression (" + (algorithm & 0xff) + ")");
    }
  }

  private static byte[] bytes(InputStream in, int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("truncated: the apk package ends too early");
    }
    return bytes;
  }

  private byte[] values() throws IOException {
    AdbBlocks.Block first = blocks.next();
    if (first == null) {
      throw new EOFException("truncated: the apk package ends before its list of files");
    }
    if (first.type() != AdbBlocks.VALUES) {
      throw new MalformedArchiveException("corrupt apk package: it does not begin with its list");
    }
    if (first.length() > MAX_VALUES) {
      throw new MalformedArchiveException(
          "an apk package whose list of files is larger than " + MAX_VALUES + " bytes");
    }
    return bytes(blocks.contents(), (int) first.length());
  }

  @Override
  public PackageInfo info() {
    return info;
  }

  @Override
  public void walk(PackageWalk walk) throws IOException {
    if (!anyWanted(walk)) {
      return;
    }
    Apk3Files files = new Apk3Files(directories);
    for (Apk3Entry listed = files.next(); listed != null; listed = files.next()) {
      RawEntry entry = listed.entry();
      if (entry == null) {
        walk.budget().spendEntry(0);
      } else {
        hand(listed, entry, walk);
      }
    }
    if (nextData() != null) {
      throw new MalformedArchiveException("corrupt apk package: data that belongs to no file");
    }
  }

  /** Without keeping the list, which may repeat itself; one that is too long is for the walk. */
  private boolean anyWanted(PackageWalk walk) throws IOException {
    int entries = walk.budget().limits().entries();
    long characters = walk.budget().limits().nameBytes();
    Apk3Files files = new Apk3Files(directories);
    for (Apk3Entry listed = files.next(); listed != null; listed = files.next()) {
      RawEntry entry = listed.entry();
      entries--;
      if (entry != null) {
        characters -= entry.name().length();
        String path = EntryPath.of(entry.name());
        if (path == null || walk.wants(path)) {
          return true;
        }
      }
      if (entries < 0 || characters < 0) {
        return true;
      }
    }
    return false;
  }

  private void hand(Apk3Entry listed, RawEntry entry, PackageWalk walk) throws IOException {
    InputStream contents =
        entry.size() == 0 ? InputStream.nullInputStream() : data(listed, entry.size());
    ContentDigest digest = listed.digest();
    if (digest != null) {
      contents = digest.verified(contents, entry.size());
    }
    String path = walk.accept(entry);
    if (path == null) {
      return;
    }
    try {
      walk.visit(path, entry, contents);
    } catch (WrongContentsException e) {
      walk.problem(path, IoReason.of(e));
    }
  }

  private InputStream data(Apk3Entry listed, long size) throws IOException {
    AdbBlocks.Block block = nextData();
    if (block == null) {
      throw new EOFException("truncated: the apk package ends before its last file");
    }
    if (block.length() != DATA_HEADER + size) {
      throw displaced();
    }
    InputStream contents = blocks.contents();
    ByteBuffer header =
        ByteBuffer.wrap(bytes(contents, DATA_HEADER)).order(ByteOrder.LITTLE_ENDIAN);
    if (header.getInt() != listed.directory() || header.getInt() != listed.number()) {
      throw displaced();
    }
    return contents;
  }

  private static MalformedArchiveException displaced() {
    return new MalformedArchiveException("corrupt apk package: its data is not that of its files");
  }

  /** Signatures come before all data. */
  private AdbBlocks.@Nullable Block nextData() throws IOException {
    AdbBlocks.Block block = blocks.next();
    while (block != null && block.type() == AdbBlocks.SIGNATURE && !dataSeen) {
      block = blocks.next();
    }
    if (block != null && block.type() != AdbBlocks.DATA) {
      throw new MalformedArchiveException("corrupt apk package: its blocks are out of order");
    }
    dataSeen = block != null;
    return block;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
