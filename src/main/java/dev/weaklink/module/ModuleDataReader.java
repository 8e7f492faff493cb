package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.DataObject.Slot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pointers that relocations write into the variables of a 64-bit module. If several symbols have one address,
 * only the first of them becomes a variable.
 */
public final class ModuleDataReader {
    /** The maximum number of variables read; no module of a distribution has even a third of this number. */
    private static final int MAX_OBJECTS = 20_000;

    private static final int MAX_FUNCTIONS = 100_000;
    private static final int MAX_SLOTS = 200_000;
    private static final int MAX_SIZE = 1 << 20;

    private record DataPlace(int section, long value) implements Comparable<DataPlace> {
        @Override
        public int compareTo(DataPlace other) {
            int order = Integer.compare(section, other.section);
            return order == 0 ? Long.compare(value, other.value) : order;
        }
    }

    private final ElfImage image;
    private final SectionTable sections;
    private final SymbolTable symbols;
    private final int wordType;
    private final TreeMap<DataPlace, Integer> objects = new TreeMap<>();
    private final Map<DataPlace, Integer> functions = new HashMap<>();

    /**
     * The pointers in each variable, by the symbol number of the variable. In these pointers, {@link Slot#variable} is
     * a symbol number instead of an index.
     */
    private final Map<Integer, List<Slot>> slots = new TreeMap<>();

    private final Set<String> usedByCode = new HashSet<>();
    private int count;

    private ModuleDataReader(ElfImage image, int wordType) {
        this.image = image;
        this.sections = image.sections();
        this.symbols = SymbolTable.bare(image);
        this.wordType = wordType;
    }

    public static ModuleData read(byte[] data, int length) {
        ElfImage image = ModuleReader.sound(data, length);
        int wordType = image == null || !image.identity().is64()
                ? 0
                : wordType(image.identity().machine());
        return image == null || wordType == 0 ? ModuleData.NONE : new ModuleDataReader(image, wordType).readAll();
    }

    /** Returns the type of the relocation that writes an address of 64 bits; 0 if unknown. */
    private static int wordType(int machine) {
        return switch (machine) {
            case ElfIdentity.EM_X86_64 -> 1; // R_X86_64_64
            case ElfIdentity.EM_AARCH64 -> 257; // R_AARCH64_ABS64
            case ElfIdentity.EM_S390 -> 22; // R_390_64
            case ElfIdentity.EM_PPC64 -> 38; // R_PPC64_ADDR64
            case ElfIdentity.EM_RISCV -> 2; // R_RISCV_64
            default -> 0;
        };
    }

    private ModuleData readAll() {
        for (int i = 1; i < symbols.count(); i++) {
            int type = symbols.type(i);
            DataPlace place = new DataPlace(symbols.section(i), symbols.value(i));
            if (type == SymbolTable.STT_FUNC && functions.size() < MAX_FUNCTIONS) {
                functions.putIfAbsent(place, i);
            } else if (type == SymbolTable.STT_OBJECT && objects.size() < MAX_OBJECTS) {
                objects.putIfAbsent(place, i);
            }
        }
        // In a damaged file, sections may overlap, and together be much longer than the file.
        long unread = image.length();
        for (int i = 1; i < sections.count() && unread >= 0; i++) {
            int target = sections.info(i);
            if (sections.type(i) == SectionTable.SHT_RELA
                    && image.hasContents(i)
                    && target > 0
                    && target < sections.count()
                    && sections.isAllocated(target)) {
                unread -= sections.size(i);
                if (isCode(target)) {
                    readCode(i);
                } else {
                    readSection(i, target);
                }
            }
        }
        return new ModuleData(variables(), usedByCode);
    }

    private boolean isCode(int section) {
        return section > 0 && section < sections.count() && (sections.flags(section) & SectionTable.SHF_EXECINSTR) != 0;
    }

    private void readCode(int section) {
        Set<Integer> seen = new HashSet<>();
        long end = sections.offset(section) + sections.size(section) - RelocationReader.RELA_SIZE;
        for (long at = sections.offset(section); at <= end; at += RelocationReader.RELA_SIZE) {
            int symbol = (int) (image.u64((int) at + 8) >>> 32);
            if (symbol > 0
                    && symbol < symbols.count()
                    && symbols.section(symbol) == SymbolTable.SHN_UNDEF
                    && seen.add(symbol)) {
                usedByCode.add(symbols.name(symbol));
            }
        }
    }

    private void readSection(int section, int target) {
        long end = sections.offset(section) + sections.size(section) - RelocationReader.RELA_SIZE;
        for (long at = sections.offset(section); at <= end && count < MAX_SLOTS; at += RelocationReader.RELA_SIZE) {
            int entry = (int) at;
            long info = image.u64(entry + 8);
            Map.Entry<DataPlace, Integer> object = objects.floorEntry(new DataPlace(target, image.u64(entry)));
            if ((int) info != wordType || object == null || object.getKey().section() != target) {
                continue;
            }
            long offset = image.u64(entry) - object.getKey().value();
            Slot slot = slot((int) offset, (int) (info >>> 32), image.u64(entry + 16));
            long last = Math.min(symbols.size(object.getValue()), MAX_SIZE) - Long.BYTES;
            if (slot != null && offset >= 0 && offset <= last) {
                slots.computeIfAbsent(object.getValue(), key -> new ArrayList<>())
                        .add(slot);
                count++;
            }
        }
    }

    /**
     * Returns the pointer that a relocation writes; null if the relocation's symbol is invalid or absolute.
     * {@link Slot#variable} is a symbol number instead of an index, or -1.
     */
    private @Nullable Slot slot(int offset, int symbol, long addend) {
        if (symbol <= 0 || symbol >= symbols.count()) {
            return null;
        }
        int section = symbols.section(symbol);
        if (section == SymbolTable.SHN_UNDEF) {
            return new Slot(offset, false, symbols.name(symbol), -1);
        }
        if (section >= sections.count()) {
            return null;
        }
        DataPlace place = new DataPlace(section, symbols.value(symbol) + addend);
        if (isCode(section)) {
            Integer function = functions.get(place);
            return new Slot(offset, true, function == null ? null : symbols.name(function), -1);
        }
        return new Slot(offset, false, null, objects.getOrDefault(place, -1));
    }

    private List<DataObject> variables() {
        Map<Integer, Integer> indices = new HashMap<>();
        slots.keySet().forEach(symbol -> indices.put(symbol, indices.size()));
        List<DataObject> found = new ArrayList<>();
        slots.forEach((symbol, written) -> {
            Map<Integer, Slot> ascending = new TreeMap<>();
            for (Slot slot : written) {
                int to = indices.getOrDefault(slot.variable(), -1);
                ascending.put(slot.offset(), new Slot(slot.offset(), slot.code(), slot.name(), to));
            }
            found.add(new DataObject(symbols.name(symbol), symbols.size(symbol), List.copyOf(ascending.values())));
        });
        return found;
    }
}
