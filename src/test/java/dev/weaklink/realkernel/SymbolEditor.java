package dev.weaklink.realkernel;

import dev.weaklink.realkernel.ElfEditor.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Changes the symbol table of a module under edit. */
final class SymbolEditor {
    static final int GLOBAL = 1;
    static final int WEAK = 2;
    static final int SHN_COMMON = 0xfff2;

    private static final int SHT_SYMTAB = 2;
    private static final int RECORD = 24;
    private static final int ST_INFO = 4;
    private static final int ST_SHNDX = 6;

    private final ElfEditor elf;

    SymbolEditor(ElfEditor elf) {
        this.elf = elf;
    }

    /** Returns the index of the symbol table's section. */
    int section() {
        return elf.sectionOfType(SHT_SYMTAB);
    }

    /** Returns the names of undefined symbols in table order. */
    List<String> undefined() {
        List<String> names = new ArrayList<>();
        for (int at : offsets()) {
            if (elf.buffer().getShort(at + ST_SHNDX) == 0 && !name(at).isEmpty()) {
                names.add(name(at));
            }
        }
        return names;
    }

    void makeWeak(String symbol) {
        elf.write(offset(symbol) + ST_INFO, (byte) (WEAK << 4));
    }

    void makeCommon(String symbol) {
        elf.buffer().putShort(offset(symbol) + ST_SHNDX, (short) SHN_COMMON);
    }

    void rename(String symbol, String newName) {
        int at = offset(symbol);
        int name = appendName(newName);
        elf.buffer().putInt(at, name);
    }

    /** Appends an undefined symbol of binding {@link #GLOBAL} or {@link #WEAK}. */
    void addUndefined(String name, int binding) {
        ByteBuffer added = ByteBuffer.allocate(RECORD).order(ByteOrder.LITTLE_ENDIAN);
        added.putInt(appendName(name)).put((byte) (binding << 4));
        elf.append(section(), added.array(), 8);
    }

    private int appendName(String name) {
        return elf.append((int) elf.get(section(), Field.LINK), ElfEditor.terminated(name), 8);
    }

    private List<Integer> offsets() {
        int start = (int) elf.get(section(), Field.OFFSET);
        int end = start + (int) elf.get(section(), Field.SIZE);
        List<Integer> offsets = new ArrayList<>();
        for (int at = start; at < end; at += RECORD) {
            offsets.add(at);
        }
        return offsets;
    }

    private int offset(String symbol) {
        return offsets().stream()
                .filter(at -> name(at).equals(symbol))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no symbol " + symbol));
    }

    private String name(int symbolOffset) {
        int strings = (int) elf.get((int) elf.get(section(), Field.LINK), Field.OFFSET);
        return elf.text(strings + elf.buffer().getInt(symbolOffset));
    }
}
