package dev.weaklink.kernel.image;

import dev.weaklink.format.codec.Compression;
import dev.weaklink.kernel.image.KernelImage.ImageFormat;
import dev.weaklink.sys.UnreadableException;
import org.jspecify.annotations.Nullable;

/**
 * A range of packed bytes inside an image.
 *
 * @param format the format of the image
 * @param compression the compression of the range
 * @param expected the number of unpacked bytes; 0 if unknown
 */
record Payload(ImageFormat format, Compression compression, int offset, int length, long expected) {
    private static final int SETUP_SECTS = 0x1f1;
    private static final int SETUP_MAGIC = 0x202;
    private static final int VERSION = 0x206;
    private static final int PAYLOAD_OFFSET = 0x248;
    private static final int PAYLOAD_LENGTH = 0x24c;
    private static final int FIRST_VERSION_WITH_PAYLOAD = 0x208;
    private static final int SECTOR = 512;

    /**
     * Returns the payload that an image's header locates, or null if the format has no such header. Throws if the
     * payload is outside the image or its compression is unknown.
     */
    static @Nullable Payload stated(ByteView file) throws UnreadableException {
        if (file.hasText(SETUP_MAGIC, "HdrS") && file.contains(0, PAYLOAD_LENGTH + 4)) {
            return x86(file);
        }
        if (file.hasText(0, "MZ") && file.hasText(4, "zimg") && file.contains(0, 0x20)) {
            return of(file, ImageFormat.EFI_ZBOOT, file.u32(8), file.u32(12));
        }
        return null;
    }

    /** Returns the payload for boot protocol 2.08 and later; null for older protocols, whose images are searched. */
    private static @Nullable Payload x86(ByteView file) throws UnreadableException {
        if ((file.i32(VERSION) & 0xffff) < FIRST_VERSION_WITH_PAYLOAD) {
            return null;
        }
        int sectors = file.data()[SETUP_SECTS] & 0xff;
        long start = (sectors == 0 ? 5L : sectors + 1L) * SECTOR + file.u32(PAYLOAD_OFFSET);
        return of(file, ImageFormat.X86_BZIMAGE, start, file.u32(PAYLOAD_LENGTH));
    }

    /**
     * Returns a payload with its unpacked size, which is in the payload's last four bytes. In a zboot image that is not
     * packed with gzip, the size is in the four bytes after the payload (drivers/firmware/efi/libstub/zboot-header.S,
     * ZBOOT_SIZE_LEN).
     */
    private static Payload of(ByteView file, ImageFormat format, long start, long size) throws UnreadableException {
        if (size < 8 || !file.contains(start, size)) {
            throw new UnreadableException("is truncated, or its header is corrupt: the payload is outside the file");
        }
        int offset = (int) start;
        int length = (int) size;
        Compression packing = Compression.of(file.data(), offset, file.length());
        if (packing == Compression.NONE) {
            throw new UnreadableException("its payload is packed in an unknown way");
        }
        boolean behind = format == ImageFormat.EFI_ZBOOT && packing != Compression.GZIP;
        int word = behind ? offset + length : offset + length - 4;
        return new Payload(format, packing, offset, length, file.contains(word, 4) ? file.u32(word) : 0);
    }
}
