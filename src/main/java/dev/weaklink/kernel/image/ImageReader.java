package dev.weaklink.kernel.image;

import dev.weaklink.format.elf.ElfHeader;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.BuiltInModules;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.LoaderTraces;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads a kernel's image. */
public final class ImageReader {
  /** The longest file that is read. */
  public static final int MAX_BYTES = ContentsFinder.LIMIT;

  private static final int NO_SIZE = StructSizes.UNKNOWN;

  private final Contents contents;
  private final Blob bytes;
  private final @Nullable NamedTables sections;
  private final String banner;
  private final String release;
  private final Texts texts;
  private int structModuleSize = NO_SIZE;
  private int versionEntrySize = NO_SIZE;
  private @Nullable ByteBuffer types;

  private ImageReader(Contents contents) throws ImageException {
    this.contents = contents;
    this.bytes = contents.bytes();
    String line = Banner.find(bytes);
    String word = Banner.release(line);
    if (line == null || word == null || word.isEmpty()) {
      throw new ImageException("no Linux kernel was found in it");
    }
    this.banner = line;
    this.release = word;
    ElfHeader header = contents.isElf() ? ElfHeader.read(bytes.data(), bytes.length()) : null;
    this.sections = header == null ? null : new NamedTables(bytes, header);
    this.texts = new Texts(bytes, sections == null ? null : sections.section(".rodata"));
  }

  /**
   * Reads the first {@code length} bytes.
   *
   * @throws ImageException if they are no kernel image, or one that cannot be unpacked
   */
  public static KernelImage read(byte[] data, int length) throws ImageException {
    return new ImageReader(ContentsFinder.find(data, length)).read();
  }

  /**
   * Reads the types in the first {@code length} bytes, and no more of them than that needs: what
   * lies behind the types may be damaged.
   *
   * @param exportsWanted whether to read its exports, too
   * @throws ImageException if they are no kernel image, or one that cannot be unpacked
   */
  public static ImageTypes types(byte[] data, int length, boolean exportsWanted)
      throws ImageException {
    ImageTypes found = ImagePrefix.find(data, length, exportsWanted);
    return found != null ? found : read(data, length).imageTypes();
  }

  /** What a kernel exports by the beginning of it, unpacked; null if that does not show it. */
  static @Nullable ExportTable exports(byte[] kernel, int length) throws ImageException {
    return new ImageReader(ContentsFinder.unpacked(kernel, length)).exports();
  }

  private @Nullable ExportTable exports() {
    KernelVersion version = version();
    // Names of sections are at the end of an image.
    Tables tables = ScannedTables.find(contents, version);
    return tables == null || missing(tables, texts.vermagic(release)) != null
        ? null
        : ExportRows.of(tables, contents.machine(), version);
  }

  private KernelImage read() {
    readSizes();
    KernelVersion version = version();
    Tables tables = sections == null ? null : sections.read(version);
    boolean named = tables != null;
    if (tables == null) {
      tables = ScannedTables.find(contents, version);
    }
    String vermagic = texts.vermagic(release);
    String missing = missing(tables, vermagic);
    return new KernelImage(
        contents.format(),
        contents.compression(),
        contents.machine(),
        release,
        banner,
        vermagic,
        texts.config(),
        structModuleSize,
        tables == null ? null : ExportRows.of(tables, contents.machine(), version),
        tables == null ? null : tables.entries().layout(),
        named,
        tables != null && tables.crcWidth() > 0,
        missing,
        new LoaderTraces(banner, texts.traces(), versionEntrySize),
        builtIn(version, tables),
        types);
  }

  private BuiltInModules builtIn(@Nullable KernelVersion version, @Nullable Tables tables) {
    ElfIdentity machine = contents.machine();
    return sections == null || machine == null
        ? BuiltInModules.UNKNOWN
        : BuiltInNames.find(bytes, sections, machine, version, tables);
  }

  private @Nullable KernelVersion version() {
    try {
      return KernelVersion.parse(release);
    } catch (IllegalArgumentException e) {
      // A release without numbers leaves what the version would decide to what is seen.
      return null;
    }
  }

  private static @Nullable String missing(@Nullable Tables tables, @Nullable String vermagic) {
    if (tables == null) {
      return "its export tables were not found";
    }
    boolean expectsCrcs = vermagic != null && vermagic.contains("modversions");
    return expectsCrcs && tables.crcWidth() == 0 ? "its tables of CRCs were not found" : null;
  }

  private void readSizes() {
    Section btf = sections == null ? null : sections.section(".BTF");
    StructSizes sizes =
        btf == null ? StructSizes.search(bytes) : StructSizes.at(bytes, btf.offset());
    if (sizes != null) {
      structModuleSize = sizes.of("module");
      versionEntrySize = sizes.of("modversion_info");
      types = sizes.section();
    }
  }
}
