package dev.weaklink.archive;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream decoded, with every byte paid from a budget. */
final class UnpackedStream extends InputStream {
  private static final int BUFFER_SIZE = 64 << 10;

  private final Decoding decoding;
  private final CountingStream packed;
  private final InputStream in;
  private final Budget budget;
  private long unpacked;

  private UnpackedStream(Decoding decoding, CountingStream packed, InputStream in, Budget budget) {
    this.decoding = decoding;
    this.packed = packed;
    this.in = in;
    this.budget = budget;
  }

  /** Decodes a stream as its magic says; closing the result closes the stream. */
  static UnpackedStream open(InputStream raw, Budget budget) throws IOException {
    CountingStream packed = new CountingStream(raw);
    BufferedInputStream buffered = new BufferedInputStream(packed, BUFFER_SIZE);
    buffered.mark(Packing.MAGIC_LENGTH);
    byte[] magic = buffered.readNBytes(Packing.MAGIC_LENGTH);
    buffered.reset();
    Packing packing = Packing.of(magic, magic.length);
    return new UnpackedStream(packing, packed, decoded(buffered, packing, budget), budget);
  }

  /** Decodes a stream that has been told how to; closing the result closes the stream. */
  static UnpackedStream of(InputStream raw, Decoding decoding, Budget budget) throws IOException {
    CountingStream packed = new CountingStream(raw);
    InputStream in = decoded(packed, decoding, budget);
    return new UnpackedStream(decoding, packed, in, budget);
  }

  private static InputStream decoded(InputStream raw, Decoding decoding, Budget budget)
      throws IOException {
    try {
      return decoding.decoded(raw, budget.limits());
    } catch (IOException e) {
      throw explained(e, decoding, budget);
    } catch (OutOfMemoryError e) {
      // The dictionary the stream asks for; nothing else is lost.
      throw new MalformedArchiveException("not enough memory to decode it", e);
    }
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
      throw explained(e, decoding, budget);
    } catch (IndexOutOfBoundsException | IllegalStateException | IllegalArgumentException e) {
      // The bzip2 decoder lets these out where data is corrupt.
      throw new MalformedArchiveException("corrupt compressed data", e);
    }
    unpacked += Math.max(count, 0);
    budget.spendBytes(Math.max(count, 0));
    if (!decoding.isPlain()) {
      budget.requirePlausible(packed.count(), unpacked);
    }
    return count;
  }

  @Override
  public long skip(long count) throws IOException {
    if (decoding.isPlain()) {
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

  private static IOException explained(IOException e, Decoding decoding, Budget budget) {
    return e instanceof MalformedArchiveException || decoding.isPlain()
        ? e
        : new MalformedArchiveException(decoding.reason(e, budget.limits()), e);
  }
}
