package dev.weaklink.format.btf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;

/** By which numbers the types of a section name themselves; the section has been judged. */
final class BtfNames {
  /** So many strings do not fit numbers by chance. */
  private static final int ENOUGH = 8;

  private final ByteBuffer bytes;
  private final int strings;
  private final BitSet names = new BitSet();

  BtfNames(ByteBuffer section, ByteOrder order) {
    bytes = section.slice().order(order);
    int header = bytes.getInt(4);
    strings = header + bytes.getInt(12);
    for (int at = header; at < strings; ) {
      int info = bytes.getInt(at + 4);
      BtfKind kind = BtfKind.values()[info >>> 24 & 0x7f];
      int step = kind.trailing(1) - kind.trailing(0);
      names.set(bytes.getInt(at));
      at += Btf.TYPE_SIZE + kind.trailing(0);
      for (int i = 0; i < (info & 0xffff) && step > 0; i++, at += step) {
        if (kind != BtfKind.DATASEC && bytes.getInt(at) >>> 24 == 0) {
          names.set(bytes.getInt(at));
        }
      }
    }
  }

  /** The number of the first string; -1 if numbers and strings do not fit each other. */
  int first() {
    BitSet starts = new BitSet();
    for (int at = strings; at < bytes.limit(); at++) {
      if (at == strings || bytes.get(at - 1) == 0) {
        starts.set(at - strings);
      }
    }
    int first = names.length() - starts.length();
    BitSet own = first < 0 ? names : names.get(first, names.length());
    return own.equals(starts) && starts.cardinality() >= ENOUGH ? first : -1;
  }
}
