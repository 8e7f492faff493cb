package dev.weaklink.cache;

import dev.weaklink.archive.HeldBytes;
import dev.weaklink.archive.PackageEntry;
import dev.weaklink.archive.PackageInfo;
import dev.weaklink.archive.PackageKind;
import dev.weaklink.archive.PackageRelation;
import dev.weaklink.cache.PackageFacts.KernelFile;
import dev.weaklink.cache.PackageFacts.Problem;
import dev.weaklink.module.InternedNames;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.FileIdentity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a package, in a {@link FileSegment}:
 *
 * <pre>
 *   names, as a {@link Segment} has them
 *   u32 problems, for each subject and message
 *   u32 modules, for each: u8 whether the package is that of the one before, else what it is;
 *     container, path, why it could not be read, u8 whether it could, its facts, symbols and
 *     modules asked for
 *   u32 files, for each: its package, member, path, contents
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
    body.i32(facts.modules().size());
    PackageInfo last = null;
    for (PackagedModule module : facts.modules()) {
      body.bool(module.info() == last);
      if (module.info() != last) {
        last = module.info();
        write(last, body);
      }
      write(module, body, names);
    }
    body.i32(facts.files().size());
    for (KernelFile held : facts.files()) {
      byte[] bytes = held.bytes().bytes();
      write(held.info(), body);
      body.text(held.member());
      body.text(held.path());
      body.i32(bytes.length);
      body.bytes(bytes, 0, bytes.length);
    }
    return FileSegment.write(MAGIC, program, file, List.of(SegmentWriter.bytes(names), body));
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

  private static void write(PackagedModule module, SegmentBytes out, InternedNames names) {
    KernelModule facts = module.facts();
    out.text(module.container());
    out.text(module.path());
    out.text(module.failure());
    out.bool(facts != null);
    if (facts != null) {
      new ModuleEncoder(out, names).write(facts);
    }
    out.texts(module.runtime().symbols());
    out.texts(module.runtime().modules());
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
    return FileSegment.read(
        bytes, MAGIC, program, file, in -> new Reader(in, Segment.names(in), given).read());
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
      List<PackagedModule> modules = new ArrayList<>();
      PackageInfo info = null;
      Origin.Owner owner = null;
      for (int i = in.count(SMALLEST); i > 0; i--) {
        boolean same = in.bool();
        if (!same || info == null) {
          info = info();
          owner = PackageFacts.owner(info);
        }
        modules.add(module(info, owner));
      }
      List<KernelFile> files = new ArrayList<>();
      for (int i = in.count(SMALLEST); i > 0; i--) {
        files.add(new KernelFile(info(), in.textOrThrow(), in.textOrThrow(), bytes()));
      }
      return new PackageFacts(modules, files, problems, null);
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

    private HeldBytes bytes() throws CorruptSegmentException {
      int length = in.count(1);
      int from = in.position();
      in.skip(length);
      return new HeldBytes(Arrays.copyOfRange(in.bytes(), from, from + length));
    }

    private PackagedModule module(PackageInfo info, Origin.@Nullable Owner owner)
        throws CorruptSegmentException {
      String container = in.textOrThrow();
      String path = in.textOrThrow();
      String failure = in.text();
      String member = PackageEntry.member(container, path);
      Origin origin = new Origin(given, member, owner);
      KernelModule facts = in.bool() ? new ModuleDecoder(in, pool).read(origin) : null;
      RuntimeNames runtime = new RuntimeNames(in.texts(), in.texts());
      return new PackagedModule(info, owner, container, path, facts, failure, runtime);
    }
  }
}
