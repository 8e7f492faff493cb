package dev.weaklink.format.elf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an ELF header that the module loader checks, read as the kernel reads them. Counts are unsigned 16-bit
 * numbers, and extended section numbering is not supported.
 *
 * @param identity the machine, class, byte order and flags
 * @param type e_type
 * @param sectionTableOffset e_shoff; may be outside the file
 * @param sectionEntrySize e_shentsize in bytes
 * @param sectionCount e_shnum
 * @param sectionNameIndex e_shstrndx
 */
public record ElfHeader(
        ElfIdentity identity,
        int type,
        long sectionTableOffset,
        int sectionEntrySize,
        int sectionCount,
        int sectionNameIndex) {
    public static final int ET_REL = 1;

    static final int SIZE_32 = 52;
    static final int SIZE_64 = 64;
    private static final int EI_CLASS = 4;
    private static final int EI_DATA = 5;
    private static final int E_TYPE = 16;
    private static final int E_MACHINE = 18;

    public static boolean hasMagic(byte[] data, int length) {
        return length >= 4 && data[0] == 0x7f && data[1] == 'E' && data[2] == 'L' && data[3] == 'F';
    }

    /**
     * Reads the header, or returns null if the data is shorter than a header of its class. Does not check the magic.
     */
    public static @Nullable ElfHeader read(byte[] data, int length) {
        if (length < SIZE_32) {
            return null;
        }
        boolean littleEndian = readsLittleEndian(data);
        ByteBuffer header =
                ByteBuffer.wrap(data, 0, length).order(littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        int machine = header.getShort(E_MACHINE) & 0xffff;
        boolean is64 = is64(machine, data[EI_CLASS]);
        if (is64 && length < SIZE_64) {
            return null;
        }
        int afterEntry = is64 ? 40 : 32;
        int counts = is64 ? 58 : 46;
        return new ElfHeader(
                new ElfIdentity(machine, is64, littleEndian, header.getInt(is64 ? 48 : 36)),
                header.getShort(E_TYPE) & 0xffff,
                is64 ? header.getLong(afterEntry) : header.getInt(afterEntry) & 0xffffffffL,
                header.getShort(counts) & 0xffff,
                header.getShort(counts + 2) & 0xffff,
                header.getShort(counts + 4) & 0xffff);
    }

    /** Returns the size in bytes that e_shentsize must have for this class. */
    public int properSectionEntrySize() {
        return identity.is64() ? SectionTable.ENTRY_SIZE_64 : SectionTable.ENTRY_SIZE_32;
    }

    /**
     * Returns whether a kernel of the file's machine reads the file as little-endian. No loader checks EI_DATA;
     * elf_check_arch compares e_machine. The result is therefore the byte order in which e_machine is a machine that
     * weaklink knows. If weaklink knows the machine in neither byte order, EI_DATA decides.
     */
    private static boolean readsLittleEndian(byte[] data) {
        int asLittle = (data[E_MACHINE] & 0xff) | (data[E_MACHINE + 1] & 0xff) << 8;
        int asBig = (data[E_MACHINE] & 0xff) << 8 | (data[E_MACHINE + 1] & 0xff);
        return ElfIdentity.isKnown(asLittle) || !ElfIdentity.isKnown(asBig) && data[EI_DATA] != 2;
    }

    private static boolean is64(int machine, byte elfClass) {
        return switch (machine) {
            case ElfIdentity.EM_X86_64, ElfIdentity.EM_AARCH64, ElfIdentity.EM_PPC64 -> true;
            case ElfIdentity.EM_386, ElfIdentity.EM_ARM, ElfIdentity.EM_PPC -> false;
            default -> elfClass == 2;
        };
    }
}
