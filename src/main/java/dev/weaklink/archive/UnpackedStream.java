package dev.weaklink.archive;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream decoded as its magic says, with every byte paid from a budget. */
final class UnpackedStream extends InputStream {
  private static final int BUFFER_SIZE = 64 << 10;

  private final Packing packing;
  private final CountingStream packed;
  private final InputStream in;
  private final Budget budget;
  private long unpacked;

  private UnpackedStream(Packing packing, CountingStream packed, InputStream in, Budget budget) {
    this.packing = packing;
    this.packed = packed;
    this.in = in;
    this.budget = budget;
  }

  /** Looks at the beginning of a stream and decodes it; closing the result closes the stream. */
  static UnpackedStream open(InputStream raw, Budget budget) throws IOException {
    CountingStream packed = new CountingStream(raw);
    BufferedInputStream buffered = new BufferedInputStream(packed, BUFFER_SIZE);
    buffered.mark(Packing.MAGIC_LENGTH);
    byte[] magic = buffered.readNBytes(Packing.MAGIC_LENGTH);
    buffered.reset();
    Packing packing = Packing.of(magic, magic.length);
    return new UnpackedStream(packing, packed, decoded(buffered, packing, budget), budget);
  }

  private static InputStream decoded(InputStream raw, Packing packing, Budget budget)
      throws IOException {
    try {
      return packing.decoded(raw, budget.limits());
    } catch (IOException e) {
      throw explained(e, packing, budget);
    } catch (OutOfMemoryError e) {
      // The dictionary the stream asks for; nothing else is lost.
      throw new MalformedArchiveException("not enough memory to decode it", e);
    }
  }

  Packing packing() {
    return packing;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int count;
    try {
      count = in.read(bytes, offset, length);
    } catch (IOException e) {
      throw explained(e, packing, budget);
    } catch (IndexOutOfBoundsException | IllegalStateException | IllegalArgumentException e) {
      // The bzip2 decoder lets these out where data is corrupt.
      throw new MalformedArchiveException("corrupt compressed data", e);
    }
    unpacked += Math.max(count, 0);
    budget.spendBytes(Math.max(count, 0));
    if (packing != Packing.NONE) {
      budget.requirePlausible(packed.count(), unpacked);
    }
    return count;
  }

  @Override
  public long skip(long count) throws IOException {
    if (packing == Packing.NONE) {
      return in.skip(count);
    }
    return super.skip(count);
  }

  @Override
  public int available() throws IOException {
    return in.available();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  private static IOException explained(IOException e, Packing packing, Budget budget) {
    return e instanceof MalformedArchiveException || packing == Packing.NONE
        ? e
        : new MalformedArchiveException(packing.reason(e, budget.limits()), e);
  }
}
