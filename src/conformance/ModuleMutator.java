import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Damages a module (ELF, 64 bits, either byte order) in one place that the loader may read. Equal
 * random generators give equal damage.
 */
final class ModuleMutator {
  private static final byte[] MARKER = "~Module signature appended~\n".getBytes();
  private static final int SECTION_HEADER = 64;
  private static final int SYMBOL = 24;
  private static final int RELA = 24;
  private static final int SHT_SYMTAB = 2;
  private static final int SHT_RELA = 4;
  private static final int SHT_NOBITS = 8;
  private static final int SHF_ALLOC = 2;
  private static final int EM_RISCV = 243;

  /**
   * The type R_RISCV_RELAX, which replaces R_RISCV_NONE because riscv's loader refuses the latter.
   */
  private static final int RISCV_VOID = 51;

  /** The offset and width of each field after e_ident. */
  private static final int[][] HEADER_FIELDS = {
    {4, 1}, {5, 1}, {6, 1}, {7, 1}, {16, 2}, {18, 2}, {20, 4}, {24, 8}, {32, 8}, {40, 8}, {48, 4},
    {52, 2}, {54, 2}, {56, 2}, {58, 2}, {60, 2}, {62, 2}
  };

  private static final int[][] SECTION_FIELDS = {
    {0, 4}, {4, 4}, {8, 8}, {16, 8}, {24, 8}, {32, 8}, {40, 4}, {44, 4}, {48, 8}, {56, 8}
  };
  private static final int[][] SYMBOL_FIELDS = {{0, 4}, {4, 1}, {5, 1}, {6, 2}, {8, 8}, {16, 8}};
  private static final int[][] TYPES_HEADER_FIELDS = {
    {0, 2}, {2, 1}, {3, 1}, {4, 4}, {8, 4}, {12, 4}, {16, 4}, {20, 4}
  };
  private static final String[] TABLES = {
    ".modinfo",
    "__versions",
    ".gnu.linkonce.this_module",
    "__param",
    "__ksymtab_strings",
    "__kcrctab",
    "__kcrctab_gpl",
    "__ksymtab",
    "__ksymtab_gpl",
    "__kflagstab",
    ".shstrtab",
    ".strtab"
  };

  /**
   * Module names that exist or may exist in /sys/module, that the loader refuses, or that are free.
   */
  private static final String[] NAMES = {
    "kernel", "module", "block", "xen", "rcutree", "hpet", "pcie_aspm", "8250_pci", "atkbd",
    "compression", "thermal", "printk", "tcp_cubic", "pcieportdrv", "vmlinux", "ghes", "events",
    "main", "balloon", "tree", "core", "stat", "signing", "ndiswrapper", "driverloader", "a-b"
  };

  private static final String[] LICENSES = {
    "GPL", "GPL v2", "GPL v3", "gpl", "GPL ", "MIT", "BSD", "Dual MIT/GPL", "Proprietary", ""
  };

  /** Symbols that kernels export. */
  private static final String[] EXPORTS = {
    "kfree", "memcpy", "_printk", "jiffies", "schedule", "mutex_lock", "module_put", "__kmalloc",
    "kobject_put", "kstrdup", "vfree", "iounmap", "down_write", "device_add", "kernel_read",
    "alloc_workqueue", "param_ops_charp", "unregister_chrdev", "complete", "kthread_stop"
  };

  private final RandomGenerator random;
  private byte[] data;
  private ByteBuffer file;
  private int table;
  private int sections;

  ModuleMutator(RandomGenerator random) {
    this.random = random;
  }

  /**
   * A damaged copy of a module.
   *
   * @param change the description of the damage
   * @param name the module's new name; null if the name did not change
   */
  record Mutant(byte[] module, String change, String name) {
    Mutant(byte[] module, String change) {
      this(module, change, null);
    }
  }

  /** Damages a module after removing its signature, so that the signature is never the reason. */
  Mutant mutate(byte[] module) {
    open(module);
    String change =
        switch (random.nextInt(20)) {
          case 0 -> header();
          case 1, 2, 3, 4 -> section();
          case 5, 6, 7, 8 -> symbol();
          case 9, 10, 11, 12 -> relocation();
          case 13, 14 -> relocationTarget();
          case 15, 16, 17 -> tableByte();
          case 18 -> anyByte();
          default -> cut();
        };
    return new Mutant(data, change);
  }

  /** Damages a module's BTF. */
  Mutant mutateTypes(byte[] module) {
    open(module);
    int section = find(".BTF");
    return new Mutant(data, section < 0 ? anyByte() : types(offset(section), size(section)));
  }

  /** Gives a module another name, license, export or other entry of .modinfo. */
  Mutant odd(byte[] module) {
    open(module);
    int info = find(".modinfo");
    int last = offset(info) + (int) size(info) - 1;
    // A copy with another name and the same exports conflicts with the original.
    boolean exports = find("__ksymtab") > 0 || find("__ksymtab_gpl") > 0;
    return switch (random.nextInt(exports ? 3 : 0, 8)) {
      case 0, 1, 2 -> {
        String name = NAMES[random.nextInt(NAMES.length)];
        yield new Mutant(data, text("name", offset(find(".gnu.linkonce.this_module")) + 24, 56, name), name);
      }
      case 3 -> new Mutant(data, export());
      case 4, 5 -> {
        int start = entry("license=") + 8;
        String license = LICENSES[random.nextInt(LICENSES.length)];
        yield new Mutant(data, text("license", start, length(start), license));
      }
      case 6 -> new Mutant(data, put("end of .modinfo", last, 1, 'x'));
      default -> {
        String[] tags = {"vermagic=", "license=", "name=", "retpoline=", "depends=", "intree="};
        String[] others = {"xermagic=", "licence=", "mame=", "livepatch=", "license=", "staging"};
        int which = random.nextInt(tags.length);
        int start = entry(tags[which]);
        yield new Mutant(data, start < 0 ? anyByte() : text("tag", start, tags[which].length(), others[which]));
      }
    };
  }

  /** Gives an export the name of a kernel symbol, if the name fits. */
  private String export() {
    int section = find("__ksymtab_strings");
    for (int at = 0; section > 0 && at < size(section); ) {
      int start = offset(section) + at;
      int length = length(start);
      for (String name : EXPORTS) {
        if (length >= name.length()) {
          return text("export", start, length, name);
        }
      }
      at += length + 1;
    }
    return anyByte();
  }

  /** Returns the offset of an entry of .modinfo; -1 if there is none. */
  private int entry(String tag) {
    int info = find(".modinfo");
    for (int at = offset(info); at < offset(info) + size(info); at += length(at) + 1) {
      if (new String(data, at, Math.min(tag.length(), data.length - at)).equals(tag)) {
        return at;
      }
    }
    return -1;
  }

  private int length(int start) {
    int end = start;
    while (data[end] != 0) {
      end++;
    }
    return end - start;
  }

  /** Writes as much of a text as fits, followed by zeros. */
  private String text(String what, int start, int room, String text) {
    String old = new String(data, start, Math.min(room, length(start)));
    boolean tag = text.endsWith("=");
    for (int i = 0; i < room; i++) {
      data[start + i] = i < text.length() ? (byte) text.charAt(i) : tag ? data[start + i] : 0;
    }
    return what + ": " + old + " -> " + text;
  }

  private void open(byte[] module) {
    data = withoutSignature(module);
    file =
        ByteBuffer.wrap(data).order(data[5] == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    table = (int) file.getLong(40);
    sections = file.getShort(60) & 0xffff;
    silence();
  }

  /** Damages the header, a word or byte of a type, or a string. */
  private String types(int start, long size) {
    int first = start + file.getInt(start + 4);
    int length = file.getInt(start + 12);
    int at = first + random.nextInt(length / 4) * 4;
    int any = first + length + random.nextInt((int) (size - (first - start) - length));
    return switch (random.nextInt(8)) {
      case 0 -> change(".BTF header", start, pick(TYPES_HEADER_FIELDS));
      case 1, 2 -> put(".BTF string byte " + (any - first - length), any, 1, random.nextInt(256));
      case 3 -> put(".BTF type byte " + (at - first), at + random.nextInt(4), 1, random.nextInt(256));
      default -> change(".BTF type byte " + (at - first), at, new int[] {0, 4});
    };
  }

  /**
   * Removes init and exit, by voiding the relocations of struct module, so that the damaged code
   * never runs.
   */
  private void silence() {
    int nothing = file.getShort(18) == EM_RISCV ? RISCV_VOID : 0;
    int section = find(".rela.gnu.linkonce.this_module");
    if (section > 0) {
      for (int at = offset(section); at < offset(section) + size(section); at += RELA) {
        file.putLong(at + 8, nothing);
      }
    }
  }

  private static byte[] withoutSignature(byte[] module) {
    int end = module.length - MARKER.length;
    if (end < 12 || !Arrays.equals(module, end, module.length, MARKER, 0, MARKER.length)) {
      return module.clone();
    }
    int length = ByteBuffer.wrap(module).getInt(end - 4);
    return Arrays.copyOf(module, end - 12 - length);
  }

  private String header() {
    return change("ELF header", 0, pick(HEADER_FIELDS));
  }

  private String section() {
    int section = random.nextInt(sections);
    return change(
        "section " + section + " " + name(section), header(section), pick(SECTION_FIELDS));
  }

  private String symbol() {
    int symtab = find(SHT_SYMTAB);
    int index = random.nextInt((int) (size(symtab) / SYMBOL));
    return change("symbol " + index, offset(symtab) + index * SYMBOL, pick(SYMBOL_FIELDS));
  }

  /** Damages a field of a relocation, or only its type. */
  private String relocation() {
    int section = relocations();
    if (section < 0) {
      return anyByte();
    }
    int index = random.nextInt((int) (size(section) / RELA));
    int at = offset(section) + index * RELA;
    String what = name(section) + " entry " + index;
    long info = file.getLong(at + 8);
    long type = info & 0xffffffffL;
    return switch (random.nextInt(5)) {
      case 0 -> put(what + " offset", at, 8, upTo(size(file.getInt(header(section) + 44))));
      case 1 -> change(what, at, new int[] {16, 8});
      case 2 ->
          put(what + " symbol", at + 8, 8, upTo(size(find(SHT_SYMTAB)) / SYMBOL) << 32 | type);
      default -> put(what + " type", at + 8, 8, (info & ~0xffffffffL) | random.nextInt(280));
    };
  }

  /** Writes non-zero bytes to a place that a relocation will overwrite. */
  private String relocationTarget() {
    int section = relocations();
    if (section < 0) {
      return anyByte();
    }
    int index = random.nextInt((int) (size(section) / RELA));
    int target = file.getInt(header(section) + 44);
    long at = offset(target) + file.getLong(offset(section) + index * RELA) + random.nextInt(8);
    if (type(target) == SHT_NOBITS || at < 0 || at >= data.length) {
      return anyByte();
    }
    return put(name(section) + " target of entry " + index, (int) at, 1, 1 + random.nextInt(255));
  }

  private String tableByte() {
    int section = find(TABLES[random.nextInt(TABLES.length)]);
    if (section < 0 || size(section) == 0 || type(section) == SHT_NOBITS) {
      return anyByte();
    }
    int place = random.nextInt((int) size(section));
    return put(name(section) + " byte " + place, offset(section) + place, 1, random.nextInt(256));
  }

  private String anyByte() {
    int at = random.nextInt(data.length);
    return put("file byte " + at, at, 1, random.nextInt(256));
  }

  private String cut() {
    int length = random.nextInt(data.length);
    data = Arrays.copyOf(data, length);
    return "cut to " + length + " bytes";
  }

  private String change(String what, int start, int[] field) {
    int at = start + field[0];
    return put(what + " +" + field[0], at, field[1], value(get(at, field[1]), field[1]));
  }

  /** Returns a value near the old one, at a limit, or a random one. */
  private long value(long old, int width) {
    long mask = width == 8 ? -1 : (1L << width * 8) - 1;
    long[] values = {
      0,
      1,
      2,
      old + 1,
      old - 1,
      old ^ 1L << random.nextInt(width * 8),
      sections,
      sections - 1L,
      random.nextInt(sections),
      data.length,
      0xffff,
      0xfff0,
      0xfff1,
      0xfff2,
      0xff20,
      mask,
      mask >>> 1,
      random.nextLong(),
      1L << 31,
      1L << 40
    };
    return values[random.nextInt(values.length)] & mask;
  }

  /**
   * Returns a number that is mostly less than a limit. The loader does not check a relocation's
   * offset and symbol, so larger numbers may crash the kernel.
   */
  private long upTo(long limit) {
    return random.nextInt(16) == 0 ? value(limit, 4) : random.nextLong(Math.max(1, limit));
  }

  private String put(String what, int at, int width, long value) {
    long old = get(at, width);
    switch (width) {
      case 1 -> file.put(at, (byte) value);
      case 2 -> file.putShort(at, (short) value);
      case 4 -> file.putInt(at, (int) value);
      default -> file.putLong(at, value);
    }
    return what + ": 0x" + Long.toHexString(old) + " -> 0x" + Long.toHexString(get(at, width));
  }

  private long get(int at, int width) {
    return switch (width) {
      case 1 -> file.get(at) & 0xff;
      case 2 -> file.getShort(at) & 0xffff;
      case 4 -> file.getInt(at) & 0xffffffffL;
      default -> file.getLong(at);
    };
  }

  private int[] pick(int[][] fields) {
    return fields[random.nextInt(fields.length)];
  }

  private int relocations() {
    List<Integer> found =
        IntStream.range(1, sections)
            .filter(
                i ->
                    type(i) == SHT_RELA
                        && size(i) >= RELA
                        && isAllocated(file.getInt(header(i) + 44)))
            .boxed()
            .toList();
    return found.isEmpty() ? -1 : found.get(random.nextInt(found.size()));
  }

  private boolean isAllocated(int section) {
    return section > 0
        && section < sections
        && (file.getLong(header(section) + 8) & SHF_ALLOC) != 0;
  }

  private int find(int type) {
    int section = 1;
    while (type(section) != type) {
      section++;
    }
    return section;
  }

  private int find(String name) {
    for (int i = 1; i < sections; i++) {
      if (name(i).equals(name)) {
        return i;
      }
    }
    return -1;
  }

  private String name(int section) {
    int names = file.getShort(62) & 0xffff;
    int start = offset(names) + file.getInt(header(section));
    int end = start;
    while (data[end] != 0) {
      end++;
    }
    return new String(data, start, end - start);
  }

  private int header(int section) {
    return table + section * SECTION_HEADER;
  }

  private int type(int section) {
    return file.getInt(header(section) + 4);
  }

  private int offset(int section) {
    return (int) file.getLong(header(section) + 24);
  }

  private long size(int section) {
    return file.getLong(header(section) + 32);
  }
}
