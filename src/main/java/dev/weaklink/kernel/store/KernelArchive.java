package dev.weaklink.kernel.store;

import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.codec.RawFile;
import dev.weaklink.format.codec.UnreadableFileException;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.format.json.JsonTree;
import dev.weaklink.format.json.MalformedJsonException;
import dev.weaklink.kernel.BuiltInModules;
import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.LoaderRulesJson;
import dev.weaklink.kernel.LoaderRulesReader;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.SymversReader;
import dev.weaklink.kernel.SymversWriter;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.sys.Sha256;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A kept kernel as a zip archive of two ordinary files, {@code facts.json} and {@code
 * Module.symvers}, and perhaps a third, {@code vmlinux.btf}, in this order. The same kernel always
 * gives the same bytes.
 *
 * @param kernel what is in it
 * @param digest SHA-256 of the first two files, one after the other, in hexadecimal digits
 * @param types the kernel's BTF section; null if it has none, or it was not asked for
 */
@SuppressWarnings("ArrayRecordComponent")
record KernelArchive(TargetKernel kernel, String digest, byte @Nullable [] types) {
  private static final String SCHEMA = "weaklink.stored-kernel/1";
  private static final String FACTS = "facts.json";
  private static final String SYMVERS = "Module.symvers";
  private static final String TYPES = "vmlinux.btf";
  private static final LocalDateTime NO_TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

  /** Bytes of a file, packed or not: Module.symvers of the largest kernels have 3 MiB. */
  private static final int LIMIT = 64 << 20;

  /** The archive of a kernel. */
  static KernelArchive of(TargetKernel kernel, byte @Nullable [] types) {
    String digest = digest(facts(kernel), SymversWriter.write(kernel.exports()));
    return new KernelArchive(kernel, digest, types);
  }

  /** The kernel's release, empty if it has none. */
  String release() {
    return Objects.requireNonNullElse(kernel.release(), "");
  }

  String name() {
    return StoreEntry.fileName(release(), digest);
  }

  /** The bytes to write. */
  byte[] bytes() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream(1 << 19);
    try (ZipOutputStream zip = new ZipOutputStream(packed)) {
      put(zip, FACTS, facts(kernel));
      put(zip, SYMVERS, SymversWriter.write(kernel.exports()));
      if (types != null) {
        put(zip, TYPES, types);
      }
    }
    return packed.toByteArray();
  }

  private static void put(ZipOutputStream zip, String name, byte[] contents) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(NO_TIME);
    zip.putNextEntry(entry);
    zip.write(contents);
  }

  private static byte[] facts(TargetKernel kernel) {
    long size = kernel.structModuleSize();
    return JsonOutput.line(
        object(
            "schema",
            SCHEMA,
            "release",
            kernel.release(),
            "machine",
            machine(kernel.machine()),
            "vermagic",
            kernel.vermagic(),
            "structModuleSize",
            size < 0 ? null : size,
            "builtIn",
            new TreeSet<>(kernel.image().builtIn().taken()),
            "builtInPossible",
            new TreeSet<>(kernel.image().builtIn().possible()),
            "rules",
            LoaderRulesJson.of(kernel.rules())));
  }

  private static @Nullable Object machine(@Nullable ElfIdentity machine) {
    return machine == null
        ? null
        : object(
            "machine", machine.machine(),
            "is64", machine.is64(),
            "littleEndian", machine.littleEndian(),
            "flags", machine.flags());
  }

  /**
   * Reads an archive.
   *
   * @param withTypes whether its types are wanted, which are most of it
   * @throws CorruptEntryException if it is none, or not whole
   * @throws UnreadableFileException if it cannot be read
   */
  static KernelArchive read(Path file, boolean withTypes) throws IOException {
    return read(RawFile.read(file, LIMIT), withTypes);
  }

  static KernelArchive read(byte[] archive, boolean withTypes) throws CorruptEntryException {
    try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(archive))) {
      byte[] facts = next(zip, FACTS);
      byte[] rows = next(zip, SYMVERS);
      byte[] types = withTypes ? types(zip) : null;
      return new KernelArchive(kernel(JsonTree.read(facts), rows), digest(facts, rows), types);
    } catch (MalformedJsonException e) {
      throw new CorruptEntryException(FACTS + " " + e.getMessage(), e);
    } catch (CorruptEntryException e) {
      throw e;
    } catch (IOException | IllegalArgumentException e) {
      throw new CorruptEntryException("is truncated or corrupt", e);
    }
  }

  private static byte @Nullable [] types(ZipInputStream zip) throws IOException {
    ZipEntry entry = zip.getNextEntry();
    return entry == null || !entry.getName().equals(TYPES) ? null : contents(zip, TYPES);
  }

  private static byte[] next(ZipInputStream zip, String name) throws IOException {
    ZipEntry entry = zip.getNextEntry();
    if (entry == null || !entry.getName().equals(name)) {
      throw new CorruptEntryException("is not a kernel stored by this version");
    }
    return contents(zip, name);
  }

  private static byte[] contents(ZipInputStream zip, String name) throws IOException {
    byte[] contents = zip.readNBytes(LIMIT);
    if (zip.read() >= 0) {
      throw new CorruptEntryException(name + " is longer than the limit of " + LIMIT + " bytes");
    }
    return contents;
  }

  private static TargetKernel kernel(JsonTree facts, byte[] rows) throws IOException {
    if (!facts.require("schema").equals(SCHEMA)) {
      throw new CorruptEntryException("is not a kernel stored by this version");
    }
    Map<LoaderRule, LoaderRules.Setting> rules = LoaderRulesJson.read(facts.object("rules"));
    Symvers symvers = SymversReader.read(rows, rows.length);
    String release = facts.require("release");
    if (!StoreEntry.isPlainRelease(release) || !rules.containsKey(LoaderRule.VERSION)) {
      throw new CorruptEntryException("is not whole");
    }
    if (!symvers.problems().isEmpty() || symvers.exports().size() == 0) {
      throw new CorruptEntryException("has rows of exports that make no sense");
    }
    return new TargetKernel(
        release,
        release,
        facts.has("machine") ? machine(facts.object("machine")) : null,
        facts.text("vermagic"),
        facts.has("structModuleSize") ? facts.longNumber("structModuleSize") : -1,
        symvers.exports(),
        true,
        false,
        ImageFacts.of(
            new BuiltInModules(
                Set.copyOf(facts.texts("builtIn")),
                Set.copyOf(facts.textsIfAny("builtInPossible")),
                true),
            null),
        LoaderRulesReader.completed(rules, release),
        Set.of());
  }

  private static ElfIdentity machine(JsonTree json) throws MalformedJsonException {
    return new ElfIdentity(
        json.number("machine"),
        json.isTrue("is64"),
        json.isTrue("littleEndian"),
        (int) json.longNumber("flags"));
  }

  private static String digest(byte[] facts, byte[] rows) {
    MessageDigest sha256 = Sha256.start();
    sha256.update(facts);
    sha256.update(rows);
    return Sha256.hex(sha256);
  }
}
