package dev.weaklink.cache;

import dev.weaklink.sys.FileIdentity;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The types (BTF) of kernel images that were unpacked in earlier runs, a file for each. Where an
 * image lies only says where they are looked for; whether they are its types, its identity says.
 * Like {@link FactsCache} it never fails.
 */
public final class ImageCache {
  private static final int MAGIC = 0x31494c57;

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
    try {
      return bytes == null ? null : read(bytes, identity);
    } catch (CorruptSegmentException | IndexOutOfBoundsException | BufferUnderflowException e) {
      return null;
    }
  }

  /** The image's identity, its release, u8 whether there are types, their length, the types. */
  private Kept read(byte[] bytes, FileIdentity identity) throws CorruptSegmentException {
    SegmentCursor in = Segment.opened(bytes, MAGIC, program);
    PackageSegment.requireIdentity(in, identity);
    String release = in.textOrThrow();
    if (!in.bool()) {
      return new Kept(release, null);
    }
    int length = in.count(1);
    return new Kept(release, ByteBuffer.wrap(bytes, in.position(), length).slice());
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
    try {
      SegmentBytes body = new SegmentBytes(length + 256);
      body.text(kept.release());
      body.bool(types != null);
      if (types != null) {
        byte[] bytes = new byte[length];
        types.duplicate().get(bytes);
        body.i32(length);
        body.bytes(bytes, 0, length);
      }
      List<SegmentBytes> parts = List.of(PackageSegment.identity(identity), body);
      directory.write(name(image), SegmentWriter.closed(MAGIC, program, parts));
    } catch (IOException | UnsupportedOperationException | UnkeepableException e) {
      // a cache that cannot be written is no cache
      return;
    }
  }

  private static String name(Path image) {
    return FactsCache.name("image " + image);
  }
}
