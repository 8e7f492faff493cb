package dev.weaklink.kernel.image;

import dev.weaklink.format.codec.Compression;
import dev.weaklink.format.elf.ElfIdentity;
import org.jspecify.annotations.Nullable;

/**
 * The kernel itself, as it lies in memory when it starts or as an ELF file of it.
 *
 * @param bytes the kernel; little-endian unless it is known to be big-endian
 * @param format what the file around it is
 * @param compression how it was packed in there, null if it was not
 * @param machine what it runs on as far as format or ELF header say, null if they do not
 * @param isElf whether {@code bytes} are an ELF file
 */
record Contents(
    ByteView bytes,
    ImageFormat format,
    @Nullable Compression compression,
    @Nullable ElfIdentity machine,
    boolean isElf) {}
