package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import java.util.Arrays;

/**
 * The relocations of one section of an ET_REL file, by target offset. The table supports REL and RELA, 32 and 64 bits,
 * and mips64's own layout of r_info.
 */
final class RelocationTable {
    static final int NONE = -1;

    private final ElfImage image;
    private final int targetStart;
    private final int[] symbols;
    private final long[] addends;
    private boolean irregular;

    private RelocationTable(ElfImage image, int targetStart, int slots) {
        this.image = image;
        this.targetStart = targetStart;
        symbols = new int[slots];
        addends = new long[slots];
        Arrays.fill(symbols, NONE);
    }

    /**
     * Reads the relocations of section {@code target}, at most one for each slot of {@code slotSize} bytes. The table
     * omits relocations that are not at the start of a slot.
     */
    static RelocationTable of(ElfImage image, int target, int slotSize) {
        SectionTable sections = image.sections();
        int slots = (int) (sections.size(target) / slotSize);
        RelocationTable table = new RelocationTable(image, (int) sections.offset(target), slots);
        long unread = image.length();
        for (int i = 1; i < sections.count() && unread >= 0; i++) {
            int type = sections.type(i);
            if ((type == SectionTable.SHT_REL || type == SectionTable.SHT_RELA)
                    && sections.info(i) == target
                    && image.hasContents(i)) {
                // overlapping sections could be read forever, so the limit is the size of the file
                unread -= sections.size(i);
                table.readSection(i, type == SectionTable.SHT_RELA, slotSize);
            }
        }
        return table;
    }

    private void readSection(int section, boolean withAddend, int slotSize) {
        ElfIdentity identity = image.identity();
        int word = identity.wordSize();
        int entrySize = word * (withAddend ? 3 : 2);
        SectionTable sections = image.sections();
        int at = (int) sections.offset(section);
        int count = (int) (sections.size(section) / entrySize);
        for (int i = 0; i < count; i++, at += entrySize) {
            long offset = image.word(at);
            long slot = offset / slotSize;
            if (offset < 0 || offset % slotSize != 0 || slot >= symbols.length) {
                irregular = true;
                continue;
            }
            int index = (int) slot;
            irregular |= symbols[index] != NONE;
            symbols[index] = symbol(identity, at + word);
            addends[index] = withAddend ? addendAt(at + 2 * word) : inPlace(offset, slotSize);
        }
    }

    private int symbol(ElfIdentity identity, int info) {
        if (!identity.is64()) {
            return image.i32(info) >>> 8;
        }
        if (identity.machine() == ElfIdentity.EM_MIPS) {
            // arch/mips: u32 r_sym first, whatever the byte order, then four bytes of types
            return image.i32(info);
        }
        return (int) (image.u64(info) >>> 32);
    }

    private long addendAt(int at) {
        return image.identity().is64() ? image.u64(at) : image.i32(at);
    }

    private long inPlace(long offset, int slotSize) {
        int at = (int) (targetStart + offset);
        return slotSize == Long.BYTES ? image.u64(at) : image.i32(at);
    }

    /** Returns whether a relocation is not at the start of any slot, or two relocations are at the same slot. */
    boolean isIrregular() {
        return irregular;
    }

    int slots() {
        return symbols.length;
    }

    int symbol(int slot) {
        return symbols[slot];
    }

    long addend(int slot) {
        return addends[slot];
    }
}
