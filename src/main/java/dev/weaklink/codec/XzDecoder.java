package dev.weaklink.codec;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import org.tukaani.xz.ArrayCache;
import org.tukaani.xz.BasicArrayCache;
import org.tukaani.xz.CorruptedInputException;
import org.tukaani.xz.MemoryLimitException;
import org.tukaani.xz.UnsupportedOptionsException;
import org.tukaani.xz.XZFormatException;
import org.tukaani.xz.XZInputStream;

/** xz streams, one after the other, with their integrity checks verified. */
final class XzDecoder implements Decoder {
  /** Keeps the dictionary from file to file; allocating and zeroing it anew costs 15 % of a run. */
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
    } catch (EOFException e) {
      throw new CodecException("truncated xz data", e);
    } catch (MemoryLimitException e) {
      throw new CodecException(
          "needs " + e.getMemoryNeeded() + " KiB to decode, more than " + memoryKib, e);
    } catch (UnsupportedOptionsException e) {
      throw new CodecException("xz data uses unsupported options", e);
    } catch (CorruptedInputException | XZFormatException e) {
      throw new CodecException("corrupt xz data", e);
    } catch (OutOfMemoryError e) {
      // The dictionary the stream asks for; it was allocated in one piece and nothing is half done.
      throw new CodecException("not enough memory to decode xz data", e);
    }
  }
}
