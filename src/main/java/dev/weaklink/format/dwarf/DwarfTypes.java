package dev.weaklink.format.dwarf;

import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.dwarf.DwarfReader.Entry;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.sys.UnreadableException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes BTF of a module's debug information: its types, each definition once, and the functions and variables that it
 * has, by name. So does pahole where the kernel's types are at hand.
 */
public final class DwarfTypes {
    /** More than the debug information of any module has. */
    private static final int MAX_WORDS = 16_000_000;

    private static final int MAX_STRINGS = 64_000_000;

    /** Entries that are looked through for what lies below others. */
    private static final long MAX_STEPS = 200_000_000;

    private static final int MAX_DEPTH = 200;
    private static final int SIGNED = 1 << 24;
    private static final int CHAR = 2 << 24;
    private static final int BOOL = 4 << 24;
    private static final int ARRAY_INDEX = 1;

    private final DwarfReader reader;
    private final BtfWriter btf = new BtfWriter();

    /** Of the unit that is read: by numbers of entries the types that they are. */
    private int[] types = new int[1 << 10];

    /** Those that all units share: of a name, or of a pointer to one. */
    private final Map<List<Object>, Integer> known = new HashMap<>();

    private long steps;

    private DwarfTypes(DwarfReader reader) {
        this.reader = reader;
        btf.add(BtfKind.INT, "unsigned long", false, Long.BYTES, 0, Long.SIZE);
    }

    /**
     * Reads the debug information of a file that may not be linked.
     *
     * @param sections {@code .debug_info}, {@code .debug_abbrev}, {@code .debug_str}, {@code .debug_line_str} by their
     *     numbers; 0 for none
     * @return a section {@code .BTF}; null if there is no debug information
     * @throws UnreadableException if it is damaged; of another format if it is compressed
     */
    public static byte @Nullable [] read(ElfImage image, int... sections) throws UnreadableException {
        SectionTable all = image.sections();
        for (int section : sections) {
            if (section > 0 && !image.hasContents(section)) {
                return null;
            }
            if (section > 0 && (all.flags(section) & SectionTable.SHF_COMPRESSED) != 0) {
                throw new UnreadableException(UnreadableException.Kind.OTHER_FORMAT, "is compressed");
            }
        }
        int info = sections[0];
        if (info <= 0 || sections[1] <= 0 || !image.identity().is64()) {
            return null;
        }
        int relocations = 0;
        for (int i = 1; i < all.count(); i++) {
            boolean its = all.type(i) == SectionTable.SHT_RELA && all.info(i) == info;
            relocations = its && image.hasContents(i) ? i : relocations;
        }
        DwarfTypes types = new DwarfTypes(new DwarfReader(image, sections, relocations));
        types.readAll();
        return types.btf.section();
    }

    private void readAll() throws UnreadableException {
        while (reader.next()) {
            if (types.length < reader.count()) {
                types = new int[reader.count() * 2];
            }
            Arrays.fill(types, 0, reader.count(), -1);
            for (int i = 0; i < reader.count(); i++) {
                Entry entry = reader.entry(i);
                if (btf.size() > MAX_WORDS || btf.strings.size() > MAX_STRINGS || steps > MAX_STEPS) {
                    throw new UnreadableException("more types than any module has");
                }
                switch (entry.tag) {
                    case DwarfReader.TAG_SUBPROGRAM -> function(i, entry);
                    case DwarfReader.TAG_VARIABLE -> variable(entry);
                    case DwarfReader.TAG_STRUCTURE, DwarfReader.TAG_UNION -> {
                        if (entry.name != 0 && !entry.declaration) {
                            type(i, 0);
                        }
                    }
                    default -> {}
                }
            }
        }
    }

    /** A function that has code; what was inlined elsewhere only has none. */
    private void function(int index, Entry entry) {
        int declared = entry.origin > 0 ? reader.find(entry.origin) : index;
        if (!entry.hasCode || declared < 0) {
            return;
        }
        Entry declaration = reader.entry(declared);
        String name = reader.name(declaration);
        if (!name.isEmpty() && declaration.tag == DwarfReader.TAG_SUBPROGRAM) {
            int prototype = prototype(declared, declaration, 0);
            btf.add(BtfKind.FUNC, name, false, prototype, 0);
        }
    }

    private void variable(Entry entry) {
        int declared = entry.origin > 0 ? reader.find(entry.origin) : -1;
        Entry declaration = declared >= 0 ? reader.entry(declared) : entry;
        String name = reader.name(declaration);
        if (entry.hasCode && !name.isEmpty()) {
            btf.add(BtfKind.VAR, name, false, type(declaration, 0), 0, 0);
        }
    }

    /** The type of an entry that has one; void without. */
    private int type(Entry entry, int depth) {
        int index = entry.type > 0 ? reader.find(entry.type) : -1;
        return index < 0 || depth > MAX_DEPTH ? 0 : type(index, depth + 1);
    }

    private int type(int index, int depth) {
        if (types[index] < 0) {
            types[index] = make(index, reader.entry(index), depth);
        }
        return types[index];
    }

    private int make(int index, Entry entry, int depth) {
        String name = reader.name(entry);
        return switch (entry.tag) {
            case DwarfReader.TAG_BASE -> base(entry, name);
            case DwarfReader.TAG_POINTER -> referring(BtfKind.PTR, index, entry, depth);
            case DwarfReader.TAG_CONST -> referring(BtfKind.CONST, index, entry, depth);
            case DwarfReader.TAG_VOLATILE -> referring(BtfKind.VOLATILE, index, entry, depth);
            case DwarfReader.TAG_RESTRICT -> referring(BtfKind.RESTRICT, index, entry, depth);
            case DwarfReader.TAG_ATOMIC -> type(entry, depth);
            case DwarfReader.TAG_TYPEDEF -> referring(BtfKind.TYPEDEF, index, entry, depth);
            case DwarfReader.TAG_STRUCTURE, DwarfReader.TAG_UNION -> composite(index, entry, name, depth);
            case DwarfReader.TAG_ENUMERATION -> enumeration(index, entry, name);
            case DwarfReader.TAG_ARRAY -> array(index, entry, depth);
            case DwarfReader.TAG_SUBROUTINE -> prototype(index, entry, depth);
            default -> 0;
        };
    }

    private int base(Entry entry, String name) {
        int size = (int) Math.max(1, Math.min(16, entry.size));
        if (entry.encoding == 4) {
            return known.computeIfAbsent(
                    List.of(BtfKind.FLOAT, name, size), key -> btf.add(BtfKind.FLOAT, name, false, size, 0));
        }
        int encoding = switch (entry.encoding) {
            case 2 -> BOOL;
            case 5 -> SIGNED;
            case 6 -> SIGNED | CHAR;
            default -> 0;
        };
        return known.computeIfAbsent(
                List.of(BtfKind.INT, name, size, encoding),
                key -> btf.add(BtfKind.INT, name, false, size, 0, encoding | size * Byte.SIZE));
    }

    /** It may lead back to itself, and has its number before. */
    private int referring(BtfKind kind, int index, Entry entry, int depth) {
        int id = btf.reserve();
        types[index] = id;
        btf.set(id, kind, reader.name(entry), false, type(entry, depth), 0);
        return id;
    }

    /** The entries directly below one. */
    private List<Entry> below(int index, int tag) {
        int depth = reader.entry(index).depth + 1;
        List<Entry> below = new ArrayList<>();
        for (int i = index + 1; i < reader.count() && reader.entry(i).depth >= depth; i++) {
            Entry one = reader.entry(i);
            if (++steps > MAX_STEPS) {
                break;
            }
            if (one.depth == depth && one.tag == tag && below.size() < 0xffff) {
                below.add(one);
            }
        }
        return below;
    }

    private int composite(int index, Entry entry, String name, int depth) {
        boolean union = entry.tag == DwarfReader.TAG_UNION;
        if (entry.declaration) {
            Object key = union ? "union" : "struct";
            return known.computeIfAbsent(
                    List.of(BtfKind.FWD, name, key), any -> btf.add(BtfKind.FWD, name, union, 0, 0));
        }
        List<Entry> members = below(index, DwarfReader.TAG_MEMBER);
        BtfKind kind = union ? BtfKind.UNION : BtfKind.STRUCT;
        int last = members.isEmpty() ? 0 : members.get(members.size() - 1).name;
        // Units of one module may have different ones of a name.
        List<Object> key = List.of(kind, name, entry.size, members.size(), name(last, members));
        Integer other = name.isEmpty() ? null : known.get(key);
        if (other != null) {
            return other;
        }
        int id = btf.reserve();
        types[index] = id;
        if (!name.isEmpty()) {
            known.put(key, id);
        }
        boolean fields = members.stream().anyMatch(member -> member.bitSize > 0);
        int[] words = new int[members.size() * 3];
        for (int i = 0; i < members.size(); i++) {
            Entry member = members.get(i);
            words[i * 3] = btf.name(reader.name(member));
            words[i * 3 + 1] = type(member, depth);
            int offset = offset(member);
            words[i * 3 + 2] = fields ? offset & 0xffffff | member.bitSize << 24 : offset;
        }
        btf.set(id, kind, name, fields, (int) Math.max(0, entry.size), members.size(), words);
        return id;
    }

    private String name(int place, List<Entry> members) {
        return place == 0 ? "" : reader.name(members.get(members.size() - 1));
    }

    /** In bits from the beginning of its struct: DWARF 5, section 5.7.6; DWARF 3 counted backwards. */
    private static int offset(Entry member) {
        long at = Math.max(0, member.location) * Byte.SIZE;
        if (member.bitOffset >= 0) {
            at += member.bitOffset;
        } else if (member.oldBitOffset >= 0 && member.bitSize > 0) {
            at += Math.max(1, member.size) * Byte.SIZE - member.oldBitOffset - member.bitSize;
        }
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, at));
    }

    private int enumeration(int index, Entry entry, String name) {
        List<Entry> constants = below(index, DwarfReader.TAG_ENUMERATOR);
        List<Object> key = List.of(BtfKind.ENUM, name, entry.size, constants.size());
        Integer other = name.isEmpty() ? null : known.get(key);
        if (other != null) {
            return other;
        }
        int[] words = new int[constants.size() * 2];
        for (int i = 0; i < constants.size(); i++) {
            words[i * 2] = btf.name(reader.name(constants.get(i)));
            words[i * 2 + 1] = (int) constants.get(i).value;
        }
        int size = (int) Math.max(1, Math.min(8, entry.size));
        int id = btf.add(BtfKind.ENUM, name, false, size, constants.size(), words);
        if (!name.isEmpty()) {
            known.put(key, id);
        }
        return id;
    }

    /** One with several dimensions is one of arrays. */
    private int array(int index, Entry entry, int depth) {
        List<Entry> dimensions = below(index, DwarfReader.TAG_SUBRANGE);
        if (dimensions.isEmpty()) {
            return 0;
        }
        int id = btf.reserve();
        types[index] = id;
        int of = type(entry, depth);
        for (int i = dimensions.size() - 1; i >= 0; i--) {
            int length = (int) Math.max(0, Math.min(Integer.MAX_VALUE, dimensions.get(i).count));
            int one = i == 0 ? id : btf.reserve();
            btf.set(one, BtfKind.ARRAY, "", false, 0, 0, of, ARRAY_INDEX, length);
            of = one;
        }
        return id;
    }

    private int prototype(int index, Entry entry, int depth) {
        List<Entry> parameters = below(index, DwarfReader.TAG_FORMAL_PARAMETER);
        boolean more = !below(index, DwarfReader.TAG_UNSPECIFIED_PARAMETERS).isEmpty();
        int id = btf.reserve();
        types[index] = id;
        int returned = type(entry, depth);
        int[] words = new int[(parameters.size() + (more ? 1 : 0)) * 2];
        for (int i = 0; i < parameters.size(); i++) {
            Entry parameter = parameters.get(i);
            words[i * 2] = btf.name(reader.name(parameter));
            words[i * 2 + 1] = type(parameter, depth);
        }
        btf.set(id, BtfKind.FUNC_PROTO, "", false, returned, words.length / 2, words);
        return id;
    }

    /** Writes a section {@code .BTF} (Documentation/bpf/btf.rst). */
    private static final class BtfWriter {
        private static final int HEADER_SIZE = 24;
        private static final int MAGIC = 0xeb9f;
        private static final int MAX_MEMBERS = 0xffff;

        private final List<int[]> types = new ArrayList<>();
        private final ByteArrayOutputStream strings = new ByteArrayOutputStream();
        private final Map<String, Integer> names = new HashMap<>();
        private int words;

        BtfWriter() {
            strings.write(0);
            names.put("", 0);
        }

        int name(String name) {
            Integer known = names.get(name);
            if (known == null) {
                known = strings.size();
                names.put(name, known);
                strings.writeBytes(name.getBytes(StandardCharsets.ISO_8859_1));
                strings.write(0);
            }
            return known;
        }

        /** How many words there are so far. */
        int size() {
            return words;
        }

        /** Takes the next number for a type that {@link #set} says. */
        int reserve() {
            types.add(new int[3]);
            words += 3;
            return types.size();
        }

        /**
         * A type.
         *
         * @param flag the highest bit of its second word
         * @param size or the type it refers to
         * @param trailing what follows, all of it for so many members
         */
        void set(int id, BtfKind kind, String name, boolean flag, int size, int members, int... trailing) {
            int[] type = new int[3 + trailing.length];
            type[0] = name(name);
            type[1] = kind.ordinal() << 24 | members & MAX_MEMBERS | (flag ? 1 << 31 : 0);
            type[2] = size;
            System.arraycopy(trailing, 0, type, 3, trailing.length);
            types.set(id - 1, type);
            words += trailing.length;
        }

        int add(BtfKind kind, String name, boolean flag, int size, int members, int... trailing) {
            int id = reserve();
            set(id, kind, name, flag, size, members, trailing);
            return id;
        }

        byte[] section() {
            int typesLength = words * Integer.BYTES;
            ByteBuffer bytes = ByteBuffer.allocate(HEADER_SIZE + typesLength + strings.size())
                    .order(ByteOrder.LITTLE_ENDIAN);
            bytes.putShort((short) MAGIC).put((byte) 1).put((byte) 0).putInt(HEADER_SIZE);
            bytes.putInt(0).putInt(typesLength).putInt(typesLength).putInt(strings.size());
            for (int[] type : types) {
                for (int word : type) {
                    bytes.putInt(word);
                }
            }
            return bytes.put(strings.toByteArray()).array();
        }
    }
}
