package dev.weaklink.kernel.image;

import dev.weaklink.format.codec.Compression;
import dev.weaklink.format.codec.PayloadDecoder;
import dev.weaklink.format.elf.ElfHeader;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.image.ByteView.TextSearch;
import dev.weaklink.kernel.image.KernelImage.ImageFormat;
import dev.weaklink.kernel.image.NamedTables.FileRange;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the kernel inside an image file. If the header shows neither a packed payload nor an unpacked kernel, the
 * finder searches for a banner ("Linux version") and for the magic numbers of compressions. At these numbers, the
 * finder tries to unpack a kernel.
 */
final class ContentsFinder {
    /** The maximum number of bytes of a kernel, packed or not: the largest kernels in use have about 80 MiB. */
    static final int LIMIT = 160 << 20;

    static final String TOO_LARGE = "is longer than the "
            + (LIMIT >> 20)
            + " MiB a kernel image may have; give the image that is booted, without debugging"
            + " information";

    /** The maximum number of packed bytes that are unpacked at a time; kernels have about 15 MiB. */
    private static final int PACKED_LIMIT = 48 << 20;

    /** The maximum number of bytes in memory at a time: the file and everything that was unpacked from it. */
    private static final int HELD_LIMIT = 208 << 20;

    private static final int MAX_DEPTH = 3;

    /** The maximum number of attempts to unpack, because a magic number may occur by accident. */
    private static final int MAX_TRIES = 40;

    private static final List<TextSearch> LEAVING_CLEAR_TEXT =
            List.of(new TextSearch("\u0002!L\u0018"), new TextSearch("\u0089LZO\0\r\n"));
    private static final ElfIdentity ARM64 = little(ElfIdentity.EM_AARCH64, true, 0);
    private static final ElfIdentity RISCV = little(ElfIdentity.EM_RISCV, true, 1);
    private static final ElfIdentity LOONGARCH = little(ElfIdentity.EM_LOONGARCH, true, 0x43);
    private static final ElfIdentity ARM = little(ElfIdentity.EM_ARM, false, 0x5000000);
    private static final ElfIdentity S390 = new ElfIdentity(ElfIdentity.EM_S390, true, false, 0);

    /** The total number of unpacked bytes after which the finder makes no further attempt. */
    private static final long UNPACKED_LIMIT = 512L << 20;

    private static final class Tries {
        private int left = MAX_TRIES;
        private long unpacked;

        void unpacked(int bytes) {
            unpacked += bytes;
            if (unpacked > UNPACKED_LIMIT) {
                left = 0;
            }
        }
    }

    private final int depth;
    private final int held;
    private final Tries tries;

    private ContentsFinder(int depth, int held, Tries tries) {
        this.depth = depth;
        this.held = held;
        this.tries = tries;
    }

    private ContentsFinder inner(int more) throws UnreadableException {
        if (depth >= MAX_DEPTH) {
            throw new UnreadableException("contains more than " + MAX_DEPTH + " images packed inside one another");
        }
        return new ContentsFinder(depth + 1, held + more, tries);
    }

    /**
     * Finds the kernel in the first {@code length} bytes of a file.
     *
     * @throws UnreadableException if the bytes are too many, contain no kernel, or the kernel cannot be unpacked
     */
    static KernelContents find(byte[] data, int length) throws UnreadableException {
        if (length > LIMIT) {
            throw new UnreadableException(TOO_LARGE);
        }
        return new ContentsFinder(0, length, new Tries()).open(new ByteView(data, length, true));
    }

    static KernelContents unpacked(byte[] kernel, int length) throws UnreadableException {
        return new ContentsFinder(1, length, new Tries()).open(new ByteView(kernel, length, true));
    }

    private static ElfIdentity little(int machine, boolean is64, int flags) {
        return new ElfIdentity(machine, is64, true, flags);
    }

    private KernelContents open(ByteView file) throws UnreadableException {
        if (ElfHeader.hasMagic(file.data(), file.length())) {
            return elf(file);
        }
        Payload stated = Payload.stated(file);
        if (stated != null) {
            return unpacked(file, stated);
        }
        FileRange linux = UnifiedImage.linux(file);
        if (linux != null) {
            return inside(file, linux);
        }
        if (file.hasText(0x38, "ARMd")) {
            return raw(file, ImageFormat.ARM64_IMAGE, ARM64);
        }
        if (file.hasText(0x38, "RSC\u0005")) {
            return raw(file, ImageFormat.RISCV_IMAGE, RISCV);
        }
        if (UnifiedImage.isLoongArch(file)) {
            return raw(file, ImageFormat.LOONGARCH_IMAGE, LOONGARCH);
        }
        return unknown(file);
    }

    private static KernelContents raw(ByteView file, ImageFormat format, @Nullable ElfIdentity machine) {
        ByteView bytes = file.inOrder(machine == null || machine.littleEndian());
        return new KernelContents(bytes, format, null, machine, false);
    }

    private KernelContents elf(ByteView file) throws UnreadableException {
        ElfHeader header = ElfHeader.read(file.data(), file.length());
        if (header == null) {
            throw new UnreadableException("truncated ELF file");
        }
        if (header.type() == ElfHeader.ET_REL) {
            throw new UnreadableException(
                    "is a module or object file, not a kernel image; give a vmlinuz or a Module.symvers");
        }
        ByteView bytes = file.inOrder(header.identity().littleEndian());
        KernelContents clear = packedInClearText(file, ImageFormat.ELF, header.identity());
        if (clear != null) {
            return clear;
        }
        if (Banner.isIn(bytes)) {
            return new KernelContents(bytes, ImageFormat.ELF, null, header.identity(), true);
        }
        KernelContents packed = searched(file, ImageFormat.ELF, header.identity());
        if (packed == null) {
            throw new UnreadableException("is an ELF file without a Linux kernel in it");
        }
        return packed;
    }

    private KernelContents inside(ByteView file, FileRange linux) throws UnreadableException {
        ContentsFinder inner = inner(linux.length());
        byte[] image = Arrays.copyOfRange(file.data(), linux.offset(), linux.offset() + linux.length());
        KernelContents found = inner.open(new ByteView(image, image.length, true));
        return new KernelContents(
                found.bytes(), ImageFormat.UNIFIED_KERNEL_IMAGE, found.compression(), found.machine(), found.isElf());
    }

    /**
     * Opens a file whose header does not locate the payload, such as an image for arm, s390 or mips. A file that is
     * packed as a whole is opened, too.
     */
    private KernelContents unknown(ByteView file) throws UnreadableException {
        ImageFormat format = ImageFormat.OTHER;
        ElfIdentity machine = null;
        if (file.contains(0x24, 4) && file.u32(0x24) == 0x016f2818L) {
            format = ImageFormat.ARM_ZIMAGE;
            machine = ARM;
        } else if (file.hasText(0x10008, "S390EP")) {
            format = ImageFormat.S390_IMAGE;
            machine = S390;
        }
        KernelContents clear = packedInClearText(file, format, machine);
        if (clear != null) {
            return clear;
        }
        if (Banner.isIn(file)) {
            return raw(file, format, machine);
        }
        KernelContents packed = searched(file, format, machine);
        if (packed == null) {
            throw new UnreadableException("no Linux kernel was found in it");
        }
        return packed;
    }

    /**
     * Returns the kernel of a file that shows a banner although it is packed with lz4 or lzo, else null. Both
     * algorithms leave much of the text readable. Returns null for data that was found inside another file.
     */
    private @Nullable KernelContents packedInClearText(
            ByteView file, ImageFormat format, @Nullable ElfIdentity machine) {
        if (depth > 0 || !Banner.isIn(file)) {
            return null;
        }
        for (TextSearch magic : LEAVING_CLEAR_TEXT) {
            int at = magic.next(file.data(), 0, file.length());
            while (at >= 0 && tries.left > 0) {
                Compression packing = Compression.of(file.data(), at, file.length());
                try {
                    if (packing != Compression.NONE) {
                        return tried(file, format, packing, at, machine);
                    }
                } catch (UnreadableException e) {
                    // The magic number is most likely part of a decompressor's code.
                }
                at = magic.next(file.data(), at + 1, file.length());
            }
        }
        return null;
    }

    private KernelContents tried(
            ByteView file, ImageFormat format, Compression packing, int offset, @Nullable ElfIdentity machine)
            throws UnreadableException {
        Payload payload = new Payload(format, packing, offset, file.length() - offset, 0);
        return named(unpacked(file, payload), format, packing, machine);
    }

    /**
     * Searches the file for packed data, and returns the first kernel that can be unpacked; null if the file contains
     * no packed data. If all attempts fail, the method throws the first exception.
     */
    private @Nullable KernelContents searched(ByteView file, ImageFormat format, @Nullable ElfIdentity machine)
            throws UnreadableException {
        UnreadableException failure = null;
        for (int at = 0; at < file.length() && tries.left > 0; at++) {
            Compression packing = Compression.of(file.data(), at, file.length());
            if (packing == Compression.NONE) {
                continue;
            }
            try {
                return tried(file, format, packing, at, machine);
            } catch (UnreadableException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return null;
    }

    /**
     * Adds the compression, format and machine of the surrounding file to an unpacked kernel. If the kernel itself
     * shows a machine, that machine is kept. If the file's format is unknown, the kernel's format is kept.
     */
    private static KernelContents named(
            KernelContents found, ImageFormat format, Compression packing, @Nullable ElfIdentity machine) {
        boolean keepsFormat = format == ImageFormat.OTHER && found.format() != ImageFormat.OTHER;
        ElfIdentity runsOn = found.machine() == null ? machine : found.machine();
        boolean little = runsOn == null || runsOn.littleEndian();
        return new KernelContents(
                found.bytes().inOrder(little), keepsFormat ? found.format() : format, packing, runsOn, found.isElf());
    }

    private KernelContents unpacked(ByteView file, Payload payload) throws UnreadableException {
        if (tries.left-- <= 0) {
            throw new UnreadableException("has too many or too large parts that look compressed");
        }
        Compression packing = payload.compression();
        if (payload.length() > PACKED_LIMIT && payload.expected() > 0) {
            throw new UnreadableException(
                    "its packed payload is longer than the limit of " + (PACKED_LIMIT >> 20) + " MiB");
        }
        PayloadDecoder.Decoded decoded;
        try {
            decoded = PayloadDecoder.decode(
                    file.data(),
                    payload.offset(),
                    Math.min(payload.length(), PACKED_LIMIT),
                    packing,
                    payload.expected(),
                    Math.max(Math.min(LIMIT, HELD_LIMIT - held), 1));
            tries.unpacked(decoded.length());
        } catch (IOException e) {
            if (PayloadDecoder.isTooLong(e)) {
                tries.left = 0;
            }
            throw new UnreadableException("its kernel cannot be unpacked: " + e.getMessage(), e);
        }
        KernelContents found = inner(decoded.length()).open(new ByteView(decoded.bytes(), decoded.length(), true));
        return new KernelContents(
                found.bytes(),
                payload.format() == ImageFormat.OTHER ? found.format() : payload.format(),
                packing,
                found.machine(),
                found.isElf());
    }

    /**
     * Reads a PE header. The section {@code .linux} of a unified kernel image contains a whole kernel image. The header
     * also shows whether an image is LoongArch's.
     */
    private static final class UnifiedImage {
        private static final int PE_OFFSET_AT = 0x3c;
        private static final int COFF_HEADER_SIZE = 24;
        private static final int SECTION_SIZE = 40;

        /** The magic number at 0x38 of Linux's own EFI programs (include/linux/pe.h). */
        private static final long LINUX_PE_MAGIC = 0x818223cdL;

        private UnifiedImage() {}

        /** Returns whether the PE header names LoongArch, whose images have no other mark. */
        static boolean isLoongArch(ByteView file) {
            if (!file.hasText(0, "MZ") || !file.contains(0x38, Long.BYTES) || file.u32(0x38) != LINUX_PE_MAGIC) {
                return false;
            }
            long header = file.u32(PE_OFFSET_AT);
            return file.contains(header, 6) && file.hasText((int) header, "PE\0\0db");
        }

        static @Nullable FileRange linux(ByteView file) {
            if (!file.hasText(0, "MZ") || !file.contains(PE_OFFSET_AT, 4)) {
                return null;
            }
            long header = file.u32(PE_OFFSET_AT);
            if (!file.contains(header, COFF_HEADER_SIZE) || !file.hasText((int) header, "PE\0\0")) {
                return null;
            }
            int count = file.i32((int) header + 4) >>> 16;
            long table = header + COFF_HEADER_SIZE + (file.i32((int) header + 20) & 0xffff);
            for (int i = 0; i < count && file.contains(table, SECTION_SIZE); i++, table += SECTION_SIZE) {
                int at = (int) table;
                if (file.hasText(at, ".linux\0\0")) {
                    long size = Math.min(file.u32(at + 8), file.u32(at + 16));
                    long offset = file.u32(at + 20);
                    return file.contains(offset, size) ? new FileRange((int) offset, (int) size) : null;
                }
            }
            return null;
        }
    }

    /**
     * The unpacked kernel, either as loaded into memory at boot or as an ELF file.
     *
     * @param bytes the kernel; little-endian unless it is known to be big-endian
     * @param format the format of the surrounding file
     * @param compression the compression of the kernel in that file, null if it was not packed
     * @param machine the machine that the format or ELF header names, null if neither does
     * @param isElf whether {@code bytes} are an ELF file
     */
    record KernelContents(
            ByteView bytes,
            ImageFormat format,
            @Nullable Compression compression,
            @Nullable ElfIdentity machine,
            boolean isElf) {}

    /** The kernel's banner (init/version.c:linux_banner), which every unpacked kernel contains as text. */
    static final class Banner {
        private static final String START = "Linux version ";
        private static final TextSearch SEARCH = new TextSearch(START);
        private static final int MAX_LENGTH = 1024;

        private Banner() {}

        static boolean isIn(ByteView bytes) {
            return find(bytes) != null;
        }

        static @Nullable String find(ByteView bytes) {
            byte[] data = bytes.data();
            int end = bytes.length();
            for (int at = SEARCH.next(data, 0, end); at >= 0; at = SEARCH.next(data, at + 1, end)) {
                int number = at + START.length();
                if (number < end && data[number] >= '0' && data[number] <= '9') {
                    return line(data, at, Math.min(end, at + MAX_LENGTH));
                }
            }
            return null;
        }

        private static String line(byte[] data, int start, int limit) {
            int end = start;
            while (end < limit && data[end] != '\n' && data[end] != 0) {
                end++;
            }
            return new String(data, start, end - start, StandardCharsets.ISO_8859_1);
        }

        static @Nullable String release(@Nullable String banner) {
            if (banner == null) {
                return null;
            }
            int end = banner.indexOf(' ', START.length());
            return end < 0 ? banner.substring(START.length()) : banner.substring(START.length(), end);
        }
    }
}
