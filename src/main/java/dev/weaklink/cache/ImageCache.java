package dev.weaklink.cache;

import dev.weaklink.sys.FileIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The types (BTF) of kernel images that were unpacked in earlier runs, a file for each. Where an
 * image lies only says where they are looked for; whether they are its types, its identity says.
 * Like {@link FactsCache} it never fails.
 */
public final class ImageCache {
  private static final long MAGIC = 0x0149_6d61_6765_7773L;

  /** Magic, program, identity (5), checksum of the rest; then lengths and bytes. */
  private static final int HEAD = 8 * Long.BYTES;

  private static final int NO_TYPES = -1;

  /** Kernels have 4 to 7 MB of them. */
  private static final int LARGEST = 32 << 20;

  private final @Nullable CacheDirectory directory;
  private final long program;
  private final LongSupplier clock;

  ImageCache(@Nullable CacheDirectory directory, long program, LongSupplier clock) {
    this.directory = directory;
    this.program = program;
    this.clock = clock;
  }

  /** The time to give to {@link #keep} for images that are looked at from now on. */
  public long now() {
    return clock.getAsLong();
  }

  /**
   * What is kept of an image.
   *
   * @param release of the kernel in it
   * @param types its BTF section; null if it has none
   */
  public record Kept(String release, @Nullable ByteBuffer types) {}

  /** What is kept of the image with this identity, null if nothing is. */
  public @Nullable Kept find(Path image, FileIdentity identity) {
    byte[] bytes = directory == null ? null : directory.read(name(image));
    if (bytes == null || bytes.length < HEAD + 2 * Integer.BYTES) {
      return null;
    }
    ByteBuffer kept = ByteBuffer.wrap(bytes);
    ByteBuffer expected = head(identity, checksum(bytes));
    if (!kept.slice(0, HEAD).equals(expected.flip())) {
      return null;
    }
    kept.position(HEAD);
    byte[] release = part(kept);
    byte[] types = part(kept);
    if (release == null) {
      return null;
    }
    String name = new String(release, StandardCharsets.UTF_8);
    return new Kept(name, types == null ? null : ByteBuffer.wrap(types));
  }

  private static byte @Nullable [] part(ByteBuffer kept) {
    int length = kept.remaining() < Integer.BYTES ? NO_TYPES : kept.getInt();
    if (length < 0 || length > kept.remaining()) {
      return null;
    }
    byte[] part = new byte[length];
    kept.get(part);
    return part;
  }

  /**
   * Keeps what an image has, unless it had only just been changed.
   *
   * @param now the time before it was read
   */
  public void keep(Path image, FileIdentity identity, long now, Kept kept) {
    ByteBuffer types = kept.types();
    int length = types == null ? 0 : types.remaining();
    if (directory == null || !identity.isSettled(now) || length > LARGEST) {
      return;
    }
    byte[] release = kept.release().getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate(HEAD + 2 * Integer.BYTES + release.length + length);
    bytes.position(HEAD).putInt(release.length).put(release);
    bytes.putInt(types == null ? NO_TYPES : length);
    if (types != null) {
      bytes.put(types.duplicate());
    }
    bytes.position(0).put(head(identity, checksum(bytes.array())).flip());
    try {
      directory.write(name(image), bytes.array());
    } catch (IOException | UnsupportedOperationException e) {
      // a cache that cannot be written is no cache
    }
  }

  private ByteBuffer head(FileIdentity identity, long checksum) {
    return ByteBuffer.allocate(HEAD)
        .putLong(MAGIC)
        .putLong(program)
        .putLong(identity.device())
        .putLong(identity.inode())
        .putLong(identity.size())
        .putLong(identity.modified())
        .putLong(identity.changed())
        .putLong(checksum);
  }

  private static long checksum(byte[] bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, HEAD, bytes.length - HEAD);
    return checksum.getValue();
  }

  private static String name(Path image) {
    return FactsCache.name("image " + image);
  }
}
