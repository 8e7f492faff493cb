package dev.weaklink.cache;

import dev.weaklink.archive.HeldBytes;
import dev.weaklink.archive.PackageInfo;
import dev.weaklink.archive.PackageKind;
import dev.weaklink.archive.PackageRelation;
import dev.weaklink.cache.PackageFacts.Entry;
import dev.weaklink.cache.PackageFacts.Problem;
import dev.weaklink.module.InternedNames;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.FileIdentity;
import java.nio.BufferUnderflowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was found in a package as one block of bytes, numbers little-endian:
 *
 * <pre>
 *   u32 magic, u64 digest of the program, u32 length of all
 *   u64 device, inode, size, modified, changed of the package
 *   names, as a {@link Segment} has them
 *   u32 problems, for each subject and message
 *   u32 entries, for each: u8 whether the owner is the one before, else the owner;
 *     container, path, u8 whether a module, its facts or the file's bytes
 *   u32 CRC-32 of everything before
 * </pre>
 */
final class PackageSegment {
  static final int MAGIC = 0x31504c57;
  private static final PackageKind[] KINDS = PackageKind.values();

  private PackageSegment() {}

  /**
   * The bytes for a package.
   *
   * @throws UnkeepableException if they cannot hold it
   */
  static byte[] write(PackageFacts facts, FileIdentity file, long program) {
    InternedNames names = new InternedNames();
    SegmentBytes body = new SegmentBytes(1 << 20);
    body.i32(facts.problems().size());
    for (Problem problem : facts.problems()) {
      body.text(problem.subject());
      body.text(problem.message());
    }
    body.i32(facts.entries().size());
    PackageInfo last = null;
    for (Entry entry : facts.entries()) {
      body.bool(entry.owner() == last);
      if (entry.owner() != last) {
        last = entry.owner();
        write(last, body);
      }
      write(entry, body, names);
    }
    return SegmentWriter.closed(
        MAGIC, program, List.of(identity(file), SegmentWriter.bytes(names), body));
  }

  static SegmentBytes identity(FileIdentity file) {
    SegmentBytes out = new SegmentBytes(5 * Long.BYTES);
    out.i64(file.device());
    out.i64(file.inode());
    out.i64(file.size());
    out.i64(file.modified());
    out.i64(file.changed());
    return out;
  }

  private static void write(PackageInfo owner, SegmentBytes out) {
    out.u8(owner.kind().ordinal());
    out.text(owner.name());
    out.text(owner.version());
    out.text(owner.product());
    out.i32(owner.requires().size());
    for (PackageRelation required : owner.requires()) {
      out.text(required.name());
      out.text(required.operator());
      out.text(required.version());
    }
  }

  private static void write(Entry entry, SegmentBytes out, InternedNames names) {
    out.text(entry.container());
    out.text(entry.path());
    PackagedModule module = entry.module();
    HeldBytes held = entry.bytes();
    out.bool(module != null);
    if (module != null) {
      write(module, out, names);
    } else {
      byte[] bytes = held == null ? new byte[0] : held.bytes();
      out.i32(bytes.length);
      out.bytes(bytes, 0, bytes.length);
    }
  }

  private static void write(PackagedModule module, SegmentBytes out, InternedNames names) {
    KernelModule facts = module.facts();
    out.text(module.failure());
    out.bool(facts != null);
    if (facts != null) {
      new ModuleEncoder(out, names).write(facts);
    }
    out.i32(module.runtimeSymbols().size());
    module.runtimeSymbols().forEach(out::text);
  }

  /**
   * What was found in a package.
   *
   * @param file the package as it is now
   * @param given what it is called in reports
   * @throws CorruptSegmentException if the bytes are not whole, or of another program or package
   */
  static PackageFacts read(byte[] bytes, long program, FileIdentity file, String given)
      throws CorruptSegmentException {
    SegmentCursor in = Segment.opened(bytes, MAGIC, program);
    try {
      requireIdentity(in, file);
      return new Reader(in, Segment.names(in), given).read();
    } catch (IndexOutOfBoundsException | BufferUnderflowException e) {
      throw new CorruptSegmentException("contents beyond the end");
    }
  }

  /** Reads what {@link #identity} wrote. */
  static void requireIdentity(SegmentCursor in, FileIdentity file) throws CorruptSegmentException {
    FileIdentity kept = new FileIdentity(in.i64(), in.i64(), in.i64(), in.i64(), in.i64());
    if (!kept.equals(file)) {
      throw new CorruptSegmentException("of another file");
    }
  }

  private static final class Reader {
    private static final int SMALLEST = 4;

    private final SegmentCursor in;
    private final SymbolNames pool;
    private final String given;

    Reader(SegmentCursor in, SymbolNames pool, String given) {
      this.in = in;
      this.pool = pool;
      this.given = given;
    }

    PackageFacts read() throws CorruptSegmentException {
      List<Problem> problems = new ArrayList<>();
      for (int i = in.count(SMALLEST); i > 0; i--) {
        problems.add(new Problem(in.textOrThrow(), in.textOrThrow()));
      }
      List<Entry> entries = new ArrayList<>();
      PackageInfo info = null;
      Origin.Owner owner = null;
      for (int i = in.count(SMALLEST); i > 0; i--) {
        boolean same = in.bool();
        if (!same || info == null) {
          info = info();
          owner = PackageFacts.owner(info);
        }
        entries.add(entry(info, owner));
      }
      return new PackageFacts(entries, problems, null);
    }

    private PackageInfo info() throws CorruptSegmentException {
      PackageKind kind = in.constant(KINDS);
      String name = in.textOrThrow();
      String version = in.textOrThrow();
      String product = in.text();
      List<PackageRelation> requires = new ArrayList<>();
      for (int i = in.count(SMALLEST); i > 0; i--) {
        requires.add(new PackageRelation(in.textOrThrow(), in.textOrThrow(), in.textOrThrow()));
      }
      return new PackageInfo(kind, name, version, product, requires);
    }

    private Entry entry(PackageInfo info, Origin.@Nullable Owner owner)
        throws CorruptSegmentException {
      String container = in.textOrThrow();
      String path = in.textOrThrow();
      if (in.bool()) {
        String member = PackageFacts.member(container, path);
        return new Entry(info, container, path, module(member, owner), null);
      }
      int length = in.count(1);
      int from = in.position();
      in.skip(length);
      byte[] held = Arrays.copyOfRange(in.bytes(), from, from + length);
      return new Entry(info, container, path, null, new HeldBytes(held));
    }

    private PackagedModule module(String member, Origin.@Nullable Owner owner)
        throws CorruptSegmentException {
      String failure = in.text();
      Origin origin = new Origin(given, member, owner);
      KernelModule facts = in.bool() ? new ModuleDecoder(in, pool).read(origin) : null;
      List<String> symbols = new ArrayList<>();
      for (int i = in.count(SMALLEST); i > 0; i--) {
        symbols.add(in.textOrThrow());
      }
      return new PackagedModule(member, owner, facts, failure, symbols);
    }
  }
}
