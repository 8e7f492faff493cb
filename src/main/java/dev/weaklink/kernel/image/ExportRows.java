package dev.weaklink.kernel.image;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ExportTableBuilder;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.image.Table.License;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Makes rows of a kernel's export tables. */
final class ExportRows {
  /** Of so many hundredths of the entries: a CRC looks like a distance less than once in fifty. */
  private static final int MOSTLY = 90;

  private final Tables tables;
  private final Blob image;
  private final boolean distances;

  private ExportRows(Tables tables, boolean distances) {
    this.tables = tables;
    this.image = tables.entries().image();
    this.distances = distances;
  }

  /**
   * The rows, in the kernel's order of looking.
   *
   * @param machine what the kernel runs on, null if not known
   * @param version the kernel's version, null if not known
   */
  static ExportTable of(
      Tables tables, @Nullable ElfIdentity machine, @Nullable KernelVersion version) {
    boolean possible = tables.crcWidth() == Integer.BYTES && mayHaveDistances(machine, version);
    return new ExportRows(tables, possible && areDistances(tables)).read();
  }

  /** CONFIG_MODULE_REL_CRCS: powerpc and s390, 4.10 to 5.18. */
  private static boolean mayHaveDistances(
      @Nullable ElfIdentity machine, @Nullable KernelVersion version) {
    if (version != null && version.atLeast(5, 19)) {
      return false;
    }
    return machine == null
        || machine.machine() == ElfIdentity.EM_PPC64
        || machine.machine() == ElfIdentity.EM_PPC
        || machine.machine() == ElfIdentity.EM_S390;
  }

  private static boolean areDistances(Tables tables) {
    Blob image = tables.entries().image();
    long near = 0;
    for (Table table : tables.tables()) {
      for (int i = 0; table.crcs() >= 0 && i < table.count(); i++) {
        int at = table.crcs() + i * Integer.BYTES;
        long target = (long) at + image.i32(at);
        near += target % Integer.BYTES == 0 && image.contains(target, Integer.BYTES) ? 1 : 0;
      }
    }
    return near * 100 >= (long) tables.size() * MOSTLY;
  }

  private ExportTable read() {
    ExportTableBuilder rows = new ExportTableBuilder(tables.size());
    int vmlinux = rows.owner(Symvers.VMLINUX);
    Entries entries = tables.entries();
    int size = entries.layout().size();
    for (Table table : tables.tables()) {
      for (int i = 0; i < table.count(); i++) {
        int entry = table.start() + i * size;
        int name = entries.name(entry);
        if (name >= 0) {
          rows.add(
              image.data(),
              name,
              entries.nameLength(name),
              crc(table, i),
              gplOnly(table, i),
              vmlinux,
              rows.namespace(namespace(entries, entry)));
        }
      }
    }
    return rows.build();
  }

  private static @Nullable String namespace(Entries entries, int entry) {
    int at = entries.namespace(entry);
    return at < 0
        ? null
        : new String(
            entries.image().data(), at, entries.textLength(at), StandardCharsets.ISO_8859_1);
  }

  private @Nullable Boolean gplOnly(Table table, int index) {
    if (table.flags() >= 0) {
      return (image.data()[table.flags() + index] & Table.GPL_ONLY_FLAG) != 0;
    }
    return table.license() == License.UNKNOWN ? null : table.license() == License.GPL_ONLY;
  }

  private @Nullable Integer crc(Table table, int index) {
    if (table.crcs() < 0) {
      return null;
    }
    int at = table.crcs() + index * tables.crcWidth();
    if (!distances) {
      return (int) image.word(at, tables.crcWidth());
    }
    long target = (long) at + image.i32(at);
    return image.contains(target, Integer.BYTES) ? image.i32((int) target) : 0;
  }
}
