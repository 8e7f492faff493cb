package dev.weaklink.format.elf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.fornwall.jelf.BackingFile;
import net.fornwall.jelf.ElfFile;
import net.fornwall.jelf.ElfSectionHeader;

/**
 * What jelf gets to see of a file: a sound ELF header, and behind it a copy of some section headers
 * whose types are all PROGBITS.
 */
final class BareTable implements BackingFile {
  private static final int HEADER_SIZE = ElfHeader.SIZE_64;

  private final byte[] bytes;
  private final int[] types;
  private int position;

  BareTable(byte[] data, int start, ElfIdentity identity, int count, int entrySize) {
    bytes = new byte[HEADER_SIZE + count * entrySize];
    types = new int[count];
    System.arraycopy(data, start, bytes, HEADER_SIZE, count * entrySize);
    ByteBuffer buffer =
        ByteBuffer.wrap(bytes)
            .order(identity.littleEndian() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    writeHeader(buffer, identity, count, entrySize);
    maskTypes(buffer, entrySize);
  }

  private static void writeHeader(
      ByteBuffer buffer, ElfIdentity identity, int count, int entrySize) {
    buffer.put(0, new byte[] {0x7f, 'E', 'L', 'F'});
    buffer.put(4, identity.is64() ? ElfFile.CLASS_64 : ElfFile.CLASS_32);
    buffer.put(5, identity.littleEndian() ? ElfFile.DATA_LSB : ElfFile.DATA_MSB);
    buffer.put(6, (byte) 1);
    if (identity.is64()) {
      buffer.putLong(40, HEADER_SIZE);
    } else {
      buffer.putInt(32, HEADER_SIZE);
    }
    int counts = identity.is64() ? 58 : 46;
    buffer.putShort(counts, (short) entrySize);
    buffer.putShort(counts + 2, (short) count);
  }

  private void maskTypes(ByteBuffer buffer, int entrySize) {
    for (int i = 0; i < types.length; i++) {
      int at = HEADER_SIZE + i * entrySize + SectionTable.typeAt();
      types[i] = buffer.getInt(at);
      buffer.putInt(at, ElfSectionHeader.SHT_PROGBITS);
    }
  }

  int originalType(int index) {
    return types[index];
  }

  @Override
  public void seek(long offset) {
    position = Math.toIntExact(offset);
  }

  @Override
  public void skip(int count) {
    position = Math.addExact(position, count);
  }

  @Override
  public short readUnsignedByte() {
    return (short) (bytes[position++] & 0xff);
  }

  @Override
  public int read(byte[] target) {
    int count = Math.min(target.length, bytes.length - position);
    System.arraycopy(bytes, position, target, 0, count);
    position += count;
    return count;
  }
}
