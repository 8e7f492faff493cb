package dev.weaklink.module;

import dev.weaklink.format.dwarf.DwarfTypes;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.DataObject.Slot;
import dev.weaklink.module.Program.Convention;
import dev.weaklink.module.Program.Function;
import dev.weaklink.module.Program.Reference;
import dev.weaklink.module.Program.Target;
import dev.weaklink.sys.UnreadableException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds functions and variables: by the symbol table, the relocations that write a whole word into variables, and the
 * code. Symbols of one place count once.
 */
public final class ProgramReader {
    /** No module of a distribution has a third of that. */
    private static final int MAX_OBJECTS = 20_000;

    private static final int MAX_FUNCTIONS = 100_000;
    private static final int MAX_SLOTS = 200_000;
    private static final int MAX_SIZE = 1 << 20;
    private static final String[] DEBUG = {".debug_info", ".debug_abbrev", ".debug_str", ".debug_line_str"};
    private static final int R_X86_64_64 = 1;
    private static final int R_X86_64_PC32 = 2;
    private static final int R_X86_64_PLT32 = 4;
    private static final int R_X86_64_32 = 10;
    private static final int R_X86_64_32S = 11;
    private static final int R_AARCH64_ABS64 = 257;
    private static final int R_AARCH64_ADR_PREL_LO21 = 274;
    private static final int R_AARCH64_ADD_ABS_LO12_NC = 277;
    private static final int R_AARCH64_LDST8_ABS_LO12_NC = 278;
    private static final int R_AARCH64_JUMP26 = 282;
    private static final int R_AARCH64_CALL26 = 283;
    private static final int R_AARCH64_LDST16_ABS_LO12_NC = 284;
    private static final int R_AARCH64_LDST32_ABS_LO12_NC = 285;
    private static final int R_AARCH64_LDST64_ABS_LO12_NC = 286;
    private static final int R_AARCH64_LDST128_ABS_LO12_NC = 299;

    /** Where a symbol lies. */
    private record Place(int section, long value) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int order = Integer.compare(section, other.section);
            return order == 0 ? Long.compare(value, other.value) : order;
        }
    }

    private final ElfImage image;
    private final SectionTable sections;
    private final SymbolTable symbols;
    private final int wordType;
    private final TreeMap<Place, Integer> objects = new TreeMap<>();
    private final TreeMap<Place, Integer> functions = new TreeMap<>();

    /** By the symbol of a function. */
    private final Map<Integer, Integer> numbers = new HashMap<>();

    private final Map<Integer, List<Slot>> slots = new TreeMap<>();
    private final Map<Reference, Integer> references = new HashMap<>();
    private final List<Reference> inOrder = new ArrayList<>();

    /** References by symbols and offsets of relocations. */
    private final Map<Long, Integer> bySymbol = new HashMap<>();

    private int count;

    private ProgramReader(ElfImage image, int wordType) {
        this.image = image;
        this.sections = image.sections();
        this.symbols = SymbolTable.bare(image);
        this.wordType = wordType;
    }

    /**
     * Functions and variables; none if the file's structure is not sound, or relocations of its machine are not known.
     */
    public static Program read(byte[] data, int length) {
        ElfImage image = ModuleReader.sound(data, length);
        return image == null ? Program.NONE : read(image);
    }

    /**
     * The types that a module's debug information (DWARF) has, as BTF that needs no kernel's.
     *
     * @return null if it has none, or its sections cannot be told
     * @throws UnreadableException if the debug information is damaged
     */
    public static @Nullable ByteBuffer debugTypes(byte[] data, int length) throws UnreadableException {
        ElfImage image = ModuleReader.sound(data, length);
        if (image == null) {
            return null;
        }
        NamedSections named = new NamedSections(image);
        int[] sections = new int[DEBUG.length];
        for (int i = 0; i < sections.length; i++) {
            sections[i] = named.find(NamedSections.wanted(DEBUG[i]));
        }
        byte[] types = DwarfTypes.read(image, sections);
        return types == null ? null : ByteBuffer.wrap(types);
    }

    private static Program read(ElfImage image) {
        int wordType = image.identity().is64() ? wordType(image.identity().machine()) : 0;
        return wordType == 0 ? Program.NONE : new ProgramReader(image, wordType).readAll();
    }

    /** The relocation that writes an address of 64 bits; 0 if it is not known. */
    private static int wordType(int machine) {
        return switch (machine) {
            case ElfIdentity.EM_X86_64 -> R_X86_64_64;
            case ElfIdentity.EM_AARCH64 -> R_AARCH64_ABS64;
            case ElfIdentity.EM_S390 -> 22; // R_390_64
            case ElfIdentity.EM_PPC64 -> 38; // R_PPC64_ADDR64
            case ElfIdentity.EM_RISCV -> 2; // R_RISCV_64
            default -> 0;
        };
    }

    private Program readAll() {
        for (int i = 1; i < symbols.count(); i++) {
            int type = symbols.type(i);
            Place place = new Place(symbols.section(i), symbols.value(i));
            if (type == SymbolTable.STT_FUNC && functions.size() < MAX_FUNCTIONS) {
                functions.putIfAbsent(place, i);
            } else if (type == SymbolTable.STT_OBJECT && objects.size() < MAX_OBJECTS) {
                objects.putIfAbsent(place, i);
            }
        }
        functions.keySet().removeIf(place -> !isCode(place.section));
        functions.values().forEach(symbol -> numbers.put(symbol, numbers.size()));
        Map<Integer, Integer> relocations = new HashMap<>();
        for (int i = 1; i < sections.count(); i++) {
            int target = sections.info(i);
            if (sections.type(i) == SectionTable.SHT_RELA
                    && image.hasContents(i)
                    && target > 0
                    && target < sections.count()
                    && sections.isAllocated(target)) {
                if (isCode(target)) {
                    relocations.put(target, i);
                } else {
                    readSection(i, target);
                }
            }
        }
        Map<Integer, Integer> variables = new HashMap<>();
        slots.keySet().forEach(symbol -> variables.put(symbol, variables.size()));
        boolean code = isArm64() || image.identity().machine() == ElfIdentity.EM_X86_64;
        List<Function> read = code ? readCode(relocations, variables) : List.of();
        if (isArm64()) {
            // Code reaches one variable by the address of another one.
            objects.values().forEach(symbol -> variables.computeIfAbsent(symbol, key -> variables.size()));
        }
        Convention convention = isArm64() ? Convention.ARM64 : Convention.X86_64;
        return new Program(variables(variables), read, inOrder, convention);
    }

    private boolean isArm64() {
        ElfIdentity identity = image.identity();
        return identity.machine() == ElfIdentity.EM_AARCH64 && identity.littleEndian();
    }

    private boolean isCode(int section) {
        return section > 0 && section < sections.count() && (sections.flags(section) & SectionTable.SHF_EXECINSTR) != 0;
    }

    private void readSection(int section, int target) {
        long end = sections.offset(section) + sections.size(section) - RelocationReader.RELA_SIZE;
        for (long at = sections.offset(section); at <= end && count < MAX_SLOTS; at += RelocationReader.RELA_SIZE) {
            int entry = (int) at;
            long info = image.u64(entry + 8);
            Map.Entry<Place, Integer> object = objects.floorEntry(new Place(target, image.u64(entry)));
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

    /** What is written there; null if the symbol is none. Of data it has the symbol's number. */
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
        Place place = new Place(section, symbols.value(symbol) + addend);
        if (isCode(section)) {
            Integer function = functions.get(place);
            return function == null
                    ? new Slot(offset, true, null, -1)
                    : new Slot(offset, true, symbols.name(function), numbers.getOrDefault(function, -1));
        }
        return new Slot(offset, false, null, objects.getOrDefault(place, -1));
    }

    /** A function ends where the next one begins at the latest, so that no byte counts twice. */
    private List<Function> readCode(Map<Integer, Integer> relocations, Map<Integer, Integer> variables) {
        List<Function> read = new ArrayList<>();
        Code code = null;
        CodeSteps steps = null;
        for (Map.Entry<Place, Integer> entry : functions.entrySet()) {
            Place place = entry.getKey();
            String name = symbols.name(entry.getValue());
            if (code == null || steps == null || code.section != place.section) {
                code = new Code(place.section, relocations.getOrDefault(place.section, 0), variables);
                steps = isArm64() ? new Arm64Steps(image, code) : new X86Steps(image, code);
            }
            Place following = functions.higherKey(place);
            long limit = image.hasContents(place.section) ? sections.size(place.section) : 0;
            if (following != null && following.section == place.section) {
                limit = Math.min(limit, following.value);
            }
            long size = symbols.size(entry.getValue());
            boolean inside = place.value >= 0 && size >= 0 && place.value <= limit;
            long end = inside ? place.value + Math.min(size, limit - place.value) : place.value;
            int start = code.start;
            read.add(
                    inside
                            ? steps.function(name, (int) (start + place.value), (int) (start + end))
                            : new Function(name, new long[0]));
        }
        return read;
    }

    /** Those that hold pointers, each pointer with the number that the other has among these. */
    private List<DataObject> variables(Map<Integer, Integer> variables) {
        DataObject[] found = new DataObject[variables.size()];
        variables.forEach((symbol, number) -> {
            Map<Integer, Slot> numbered = new TreeMap<>();
            for (Slot slot : slots.getOrDefault(symbol, List.of())) {
                int to = slot.code() ? slot.number() : variables.getOrDefault(slot.number(), -1);
                numbered.put(slot.offset(), new Slot(slot.offset(), slot.code(), slot.name(), to));
            }
            List<Slot> ascending = List.copyOf(numbered.values());
            long place = (long) symbols.section(symbol) << Integer.SIZE;
            found[number] = new DataObject(
                    symbols.name(symbol), symbols.size(symbol), ascending, place + symbols.value(symbol));
        });
        return Arrays.asList(found);
    }

    /** What the code of one section refers to. */
    private final class Code implements CodeSteps.References {
        final int section;

        /** Where it begins in the file. */
        final int start;

        private final Map<Integer, Integer> variables;

        /** Where relocations stand in the file, ascending, and their entries. */
        private int[] places = new int[0];

        private int[] entries = new int[0];
        private int size;
        private int last;

        /** By the places of functions that are called without a relocation. */
        private final Map<Integer, Integer> byPlace = new HashMap<>();

        Code(int section, int relocations, Map<Integer, Integer> variables) {
            this.section = section;
            this.start = image.hasContents(section) ? (int) sections.offset(section) : 0;
            this.variables = variables;
            if (relocations > 0 && image.hasContents(section)) {
                long bytes = sections.size(relocations);
                places = new int[(int) (bytes / RelocationReader.RELA_SIZE)];
                entries = new int[places.length];
                for (int i = 0; i < places.length; i++) {
                    add((int) sections.offset(relocations) + i * RelocationReader.RELA_SIZE);
                }
            }
        }

        /** Those that go back are left out: compilers write none. */
        private void add(int entry) {
            long place = image.u64(entry);
            boolean inside = place >= 0 && place < sections.size(section);
            if (inside && (size == 0 || start + place > places[size - 1])) {
                places[size] = (int) (start + place);
                entries[size++] = entry;
            }
        }

        private int index(int at) {
            // Nearly always the next one.
            for (int i = last; i < Math.min(size, last + 2); i++) {
                if (places[i] == at) {
                    last = i;
                    return i;
                }
            }
            int found = Arrays.binarySearch(places, 0, size, at);
            last = Math.max(0, found < 0 ? -found - 1 : found);
            return found;
        }

        @Override
        public boolean has(int at) {
            return at >= 0 && index(at) >= 0;
        }

        @Override
        public int find(int at, int next) {
            int index = index(at);
            if (index < 0) {
                return NONE;
            }
            int entry = entries[index];
            int type = (int) image.u64(entry + 8);
            int symbol = (int) (image.u64(entry + 8) >>> 32);
            long offset = image.u64(entry + 16);
            if (symbol <= 0 || symbol >= symbols.count() || offset != (int) offset) {
                return NONE;
            }
            switch (type) {
                case R_X86_64_PC32, R_X86_64_PLT32 -> offset += next - at;
                case R_X86_64_64, R_X86_64_32, R_X86_64_32S -> {}
                case R_AARCH64_ADR_PREL_LO21,
                        R_AARCH64_ADD_ABS_LO12_NC,
                        R_AARCH64_LDST8_ABS_LO12_NC,
                        R_AARCH64_LDST16_ABS_LO12_NC,
                        R_AARCH64_LDST32_ABS_LO12_NC,
                        R_AARCH64_LDST64_ABS_LO12_NC,
                        R_AARCH64_LDST128_ABS_LO12_NC,
                        R_AARCH64_CALL26,
                        R_AARCH64_JUMP26 -> {}
                default -> {
                    return NONE;
                }
            }
            long key = (long) symbol << 32 | offset & 0xffffffffL;
            Integer known = bySymbol.get(key);
            if (known == null) {
                known = symbols.section(symbol) == SymbolTable.SHN_UNDEF
                        ? number(new Reference(Target.IMPORT, symbols.name(symbol), -1, offset))
                        : number(new Place(symbols.section(symbol), symbols.value(symbol) + offset));
                bySymbol.put(key, known);
            }
            return known;
        }

        @Override
        public int data(int at, int bytes) {
            int index = index(at);
            int symbol = index < 0 ? 0 : (int) (image.u64(entries[index] + 8) >>> 32);
            int of = symbol <= 0 || symbol >= symbols.count() ? 0 : symbols.section(symbol);
            if (of <= 0 || of >= sections.count() || !image.hasContents(of)) {
                return -1;
            }
            long from = symbols.value(symbol) + image.u64(entries[index] + 16);
            boolean inside = from >= 0 && from <= sections.size(of) - bytes;
            return inside ? (int) (sections.offset(of) + from) : -1;
        }

        private int number(Place place) {
            boolean code = isCode(place.section);
            NavigableMap<Place, Integer> among = code ? functions : objects;
            Map.Entry<Place, Integer> found = among.floorEntry(place);
            boolean any = !code && isArm64();
            if (any && (found == null || found.getKey().section != place.section)) {
                found = among.ceilingEntry(place);
            }
            if (found == null || found.getKey().section != place.section) {
                return NONE;
            }
            int symbol = found.getValue();
            long offset = place.value - found.getKey().value;
            if (any ? offset != (int) offset : offset != 0 && offset >= symbols.size(symbol)) {
                return NONE;
            }
            if (code) {
                return number(new Reference(Target.FUNCTION, "", numbers.getOrDefault(symbol, -1), offset));
            }
            int number = variables.computeIfAbsent(symbol, key -> variables.size());
            return number(new Reference(Target.VARIABLE, "", number, offset));
        }

        @Override
        public int function(int at) {
            Integer known = byPlace.get(at);
            if (known == null) {
                Integer symbol = functions.get(new Place(section, at - start));
                known = symbol == null
                        ? NONE
                        : number(new Reference(Target.FUNCTION, "", numbers.getOrDefault(symbol, -1), 0));
                byPlace.put(at, known);
            }
            return known;
        }

        private int number(Reference reference) {
            Integer known = references.get(reference);
            if (known == null) {
                known = inOrder.size();
                references.put(reference, known);
                inOrder.add(reference);
            }
            return known;
        }

        @Override
        public Reference get(int number) {
            return inOrder.get(number);
        }
    }
}
