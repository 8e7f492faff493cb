package dev.weaklink.loader;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import dev.weaklink.module.VersionTable.Layout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * What a loader makes of a {@code __versions} section in the layout it does not expect
 * (kernel/module/version.c:check_version, upstream's and Ubuntu's of 6.2 to 6.8): it looks for
 * records where none begin. Where one does, as the first, its name is right and its CRC is not.
 */
final class MisreadVersions {
  private static final int RECORD = 64;
  private static final int PACKED_HEADER = 8;
  private static final int ALIGNMENT = 4;

  private MisreadVersions() {}

  /** The entries of a packed table as classic ones, or the other way round. */
  static VersionTable of(VersionTable table, ElfIdentity elf) {
    return table.layout() == Layout.PACKED
        ? asClassic(packedBytes(table, elf), elf)
        : asPacked(classicBytes(table, elf), table.names().size());
  }

  private static ByteBuffer packedBytes(VersionTable table, ElfIdentity elf) {
    SymbolNames names = table.names();
    int size = PACKED_HEADER;
    for (int i = 0; i < names.size(); i++) {
      size += packedSize(names.length(i));
    }
    ByteBuffer bytes = allocate(size, elf);
    for (int i = 0; i < names.size(); i++) {
      int record = bytes.position();
      int next = packedSize(names.length(i));
      bytes.putInt(next).putInt((int) table.crcs()[i]);
      bytes.put(names.bytes(), names.offset(i), names.length(i)).position(record + next);
    }
    return bytes;
  }

  private static int packedSize(int nameLength) {
    return PACKED_HEADER + (nameLength + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
  }

  private static ByteBuffer classicBytes(VersionTable table, ElfIdentity elf) {
    SymbolNames names = table.names();
    ByteBuffer bytes = allocate(names.size() * RECORD, elf);
    for (int i = 0; i < names.size(); i++) {
      bytes.position(i * RECORD);
      putWord(bytes, table.crcs()[i], elf);
      bytes.put(names.bytes(), names.offset(i), names.length(i));
    }
    return bytes;
  }

  private static VersionTable asClassic(ByteBuffer bytes, ElfIdentity elf) {
    int count = bytes.capacity() / RECORD;
    SymbolNames.Builder names = new SymbolNames.Builder(count);
    long[] crcs = new long[count];
    for (int i = 0; i < count; i++) {
      int record = i * RECORD;
      crcs[i] = elf.is64() ? bytes.getLong(record) : bytes.getInt(record) & 0xffffffffL;
      addName(names, bytes, record + elf.wordSize(), record + RECORD);
    }
    return new VersionTable(Layout.CLASSIC, names.build(), crcs);
  }

  /** The first field of each record, here a CRC, leads to the next one, mostly behind the end. */
  private static VersionTable asPacked(ByteBuffer bytes, int most) {
    SymbolNames.Builder names = new SymbolNames.Builder(1);
    long[] crcs = new long[most];
    long at = 0;
    while (names.size() < most && at + PACKED_HEADER <= bytes.capacity()) {
      int record = (int) at;
      long next = bytes.getInt(record) & 0xffffffffL;
      if (next == 0) {
        break;
      }
      crcs[names.size()] = bytes.getInt(record + Integer.BYTES) & 0xffffffffL;
      int limit = Math.min(record + RECORD, bytes.capacity());
      addName(names, bytes, record + PACKED_HEADER, limit);
      at += next;
    }
    return new VersionTable(Layout.PACKED, names.build(), Arrays.copyOf(crcs, names.size()));
  }

  private static void addName(SymbolNames.Builder names, ByteBuffer bytes, int start, int limit) {
    int end = start;
    while (end < limit && bytes.get(end) != 0) {
      end++;
    }
    names.add(bytes.array(), start, end - start);
  }

  private static void putWord(ByteBuffer bytes, long value, ElfIdentity elf) {
    if (elf.is64()) {
      bytes.putLong(value);
    } else {
      bytes.putInt((int) value);
    }
  }

  private static ByteBuffer allocate(int size, ElfIdentity elf) {
    return ByteBuffer.allocate(size)
        .order(elf.littleEndian() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
  }
}
