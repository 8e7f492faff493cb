package dev.weaklink.codec;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import org.tukaani.xz.ArrayCache;
import org.tukaani.xz.BasicArrayCache;
import org.tukaani.xz.MemoryLimitException;
import org.tukaani.xz.UnsupportedOptionsException;
import org.tukaani.xz.XZInputStream;

/** xz streams, one after the other, with their integrity checks verified. */
final class XzDecoder implements Decoder {
  /** Keeps the dictionary from file to file instead of allocating and zeroing it for each. */
  private final ArrayCache arrays = new BasicArrayCache();

  private final int memoryKib;

  XzDecoder(int memoryKib) {
    this.memoryKib = memoryKib;
  }

  @Override
  public void decode(byte[] packed, int length, GrowingBuffer out) throws IOException {
    ByteArrayInputStream in = new ByteArrayInputStream(packed, 0, length);
    try (XZInputStream xz = new XZInputStream(in, memoryKib, true, arrays)) {
      int count;
      do {
        out.grow();
        count = xz.read(out.array(), out.length(), out.room());
        out.advance(Math.max(count, 0));
      } while (count >= 0);
    } catch (CodecException e) {
      throw e;
    } catch (IOException e) {
      throw explained(e, memoryKib);
    } catch (OutOfMemoryError e) {
      // The dictionary the stream asks for; it was allocated in one piece and nothing is half done.
      throw new CodecException("not enough memory to decode xz data", e);
    }
  }

  /** What tukaani's exceptions mean. */
  static CodecException explained(IOException e, int memoryKib) {
    if (e instanceof MemoryLimitException limit) {
      return new CodecException(
          "needs " + limit.getMemoryNeeded() + " KiB to decode, more than " + memoryKib, e);
    }
    if (e instanceof UnsupportedOptionsException) {
      return new CodecException("xz data uses unsupported options", e);
    }
    return new CodecException(
        e instanceof EOFException ? "truncated xz data" : "corrupt xz data", e);
  }
}
