package dev.weaklink.format.dwarf;

import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.sys.UnreadableException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The entries of debug information, one compilation unit after the other, as far as they are of types, functions and
 * variables: what lies inside of functions is left out, but for their parameters.
 *
 * <p>Format: DWARF 5, section 7.5 (the same of version 4, sections 7.5 and 7.7). What is relocated in a file that is
 * not linked are offsets in other sections; the addend of the relocation is the offset.
 */
final class DwarfReader {
    static final int TAG_ARRAY = 0x01;
    static final int TAG_ENUMERATION = 0x04;
    static final int TAG_FORMAL_PARAMETER = 0x05;
    static final int TAG_MEMBER = 0x0d;
    static final int TAG_POINTER = 0x0f;
    static final int TAG_STRUCTURE = 0x13;
    static final int TAG_SUBROUTINE = 0x15;
    static final int TAG_TYPEDEF = 0x16;
    static final int TAG_UNION = 0x17;
    static final int TAG_UNSPECIFIED_PARAMETERS = 0x18;
    static final int TAG_SUBRANGE = 0x21;
    static final int TAG_BASE = 0x24;
    static final int TAG_CONST = 0x26;
    static final int TAG_ENUMERATOR = 0x28;
    static final int TAG_SUBPROGRAM = 0x2e;
    static final int TAG_VARIABLE = 0x34;
    static final int TAG_VOLATILE = 0x35;
    static final int TAG_RESTRICT = 0x37;
    static final int TAG_ATOMIC = 0x47;

    private static final int AT_LOCATION = 0x02;
    private static final int AT_NAME = 0x03;
    private static final int AT_BYTE_SIZE = 0x0b;
    private static final int AT_BIT_OFFSET = 0x0c;
    private static final int AT_BIT_SIZE = 0x0d;
    private static final int AT_LOW_PC = 0x11;
    private static final int AT_CONST_VALUE = 0x1c;
    private static final int AT_UPPER_BOUND = 0x2f;
    private static final int AT_ABSTRACT_ORIGIN = 0x31;
    private static final int AT_COUNT = 0x37;
    private static final int AT_MEMBER_LOCATION = 0x38;
    private static final int AT_DECLARATION = 0x3c;
    private static final int AT_ENCODING = 0x3e;
    private static final int AT_SPECIFICATION = 0x47;
    private static final int AT_TYPE = 0x49;
    private static final int AT_RANGES = 0x55;
    private static final int AT_DATA_BIT_OFFSET = 0x6b;

    private static final int FORM_IMPLICIT_CONST = 0x21;
    private static final int FORM_INDIRECT = 0x16;

    /** Codes of one unit; compilers use some hundred. */
    private static final int MAX_CODES = 10_000;

    /** Those of all units, which are kept. */
    private static final int MAX_ALL_CODES = 500_000;

    /** Attributes of all entries. */
    private static final long MAX_ALL_ATTRIBUTES = 200_000_000;

    /** Entries of one unit; large ones have a fifth of that. */
    private static final int MAX_ENTRIES = 2_000_000;

    private static final int MAX_ATTRIBUTES = 200;
    private static final int MAX_DEPTH = 1_000;
    private static final int MAX_NAME = 512;

    /** One kind of entry. */
    private record Abbreviation(int tag, boolean children, long[] attributes) {}

    /** An entry of the unit that was read last. */
    static final class Entry {
        int tag;
        int depth;

        /** Where its name stands in the file, 0 without. */
        int name;

        /** Its place in the unit's section, and of what it refers to; 0 without. */
        int offset;

        int type;
        int origin;

        /** -1 without. */
        long size;

        long location;
        long bitOffset;
        long oldBitOffset;
        long count;
        int bitSize;
        long value;
        int encoding;
        boolean declaration;
        boolean hasCode;

        void clear(int newTag, int newDepth, int newOffset) {
            tag = newTag;
            depth = newDepth;
            offset = newOffset;
            name = type = origin = bitSize = encoding = 0;
            size = location = bitOffset = oldBitOffset = count = -1;
            value = 0;
            declaration = hasCode = false;
        }
    }

    private final ElfImage image;
    private final int info;
    private final int infoEnd;
    private final int abbreviations;
    private final int abbreviationsEnd;
    private final int strings;
    private final int stringsEnd;
    private final int lineStrings;
    private final int lineStringsEnd;

    /** Where relocations stand in the section, ascending, and their addends. */
    private int[] places = new int[0];

    private int[] addends = new int[0];
    private int relocations;
    private int lastRelocation;

    private int at;
    private int end;
    private int offsetSize;
    private int addressSize;
    private int unit;
    private Entry[] entries = new Entry[1 << 10];
    private int count;
    private final Map<Integer, Map<Integer, Abbreviation>> known = new HashMap<>();
    private int allCodes;
    private long allAttributes;

    DwarfReader(ElfImage image, int[] sections, int relocationSection) {
        this.image = image;
        this.info = start(sections[0]);
        this.infoEnd = end(sections[0]);
        this.abbreviations = start(sections[1]);
        this.abbreviationsEnd = end(sections[1]);
        this.strings = start(sections[2]);
        this.stringsEnd = end(sections[2]);
        this.lineStrings = start(sections[3]);
        this.lineStringsEnd = end(sections[3]);
        this.unit = info;
        if (relocationSection > 0) {
            readRelocations(start(relocationSection), end(relocationSection));
        }
    }

    private int start(int section) {
        return section > 0 ? (int) image.sections().offset(section) : 0;
    }

    private int end(int section) {
        return section > 0 ? (int) (start(section) + image.sections().size(section)) : 0;
    }

    private void readRelocations(int from, int to) {
        int size = image.identity().is64() ? 24 : 12;
        places = new int[(to - from) / size];
        addends = new int[places.length];
        for (int i = 0; i < places.length && size == 24; i++) {
            long place = image.u64(from + i * size);
            boolean next = relocations == 0 || info + place > places[relocations - 1];
            if (place >= 0 && place < infoEnd - info && next) {
                places[relocations] = (int) (info + place);
                addends[relocations++] = (int) image.u64(from + i * size + 16);
            }
        }
    }

    /** What four or eight bytes say when they are relocated; both that and the reading go forward. */
    private long offset(int place, long read) {
        while (lastRelocation < relocations && places[lastRelocation] < place) {
            lastRelocation++;
        }
        boolean relocated = lastRelocation < relocations && places[lastRelocation] == place;
        return relocated ? addends[lastRelocation] : read;
    }

    /** Number of entries of the unit. */
    int count() {
        return count;
    }

    Entry entry(int index) {
        return entries[index];
    }

    /** The entry that begins there; -1 if none does. */
    int find(int offset) {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int there = entries[middle].offset;
            if (there == offset) {
                return middle;
            }
            if (there < offset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    String name(Entry entry) {
        if (entry.name == 0) {
            return "";
        }
        int limit = Math.min(image.length(), entry.name + MAX_NAME);
        int length = image.stringLength(entry.name, limit);
        return length <= 0 ? "" : new String(image.data(), entry.name, length, StandardCharsets.ISO_8859_1);
    }

    /**
     * Reads the next unit.
     *
     * @return whether there is one
     * @throws UnreadableException if it breaks off, or is of another version
     */
    boolean next() throws UnreadableException {
        count = 0;
        if (unit >= infoEnd) {
            return false;
        }
        at = unit;
        end = infoEnd;
        long length = u32();
        offsetSize = length == 0xffffffffL ? 8 : 4;
        length = offsetSize == 8 ? u64() : length;
        if (length < 0 || length > infoEnd - at) {
            throw damaged("a unit breaks off");
        }
        int start = unit;
        end = (int) (at + length);
        unit = end;
        int version = u16();
        int kind = 1;
        if (version >= 5) {
            kind = u8();
            addressSize = u8();
        }
        long table = relocated();
        if (version < 5) {
            addressSize = u8();
        }
        if (version < 2 || version > 5 || kind != 1 || addressSize != 8 && addressSize != 4) {
            // Partial and type units are not made of C code.
            return true;
        }
        readEntries(start, abbreviations(table));
        return true;
    }

    private void readEntries(int start, Map<Integer, Abbreviation> table) throws UnreadableException {
        int depth = 0;
        // Within a function only its parameters are of interest.
        int function = MAX_DEPTH;
        while (at < end) {
            int offset = at - start;
            int code = (int) leb();
            if (code == 0) {
                depth--;
                if (depth <= 0) {
                    return;
                }
                continue;
            }
            Abbreviation kind = table.get(code);
            if (kind == null || depth >= MAX_DEPTH) {
                throw damaged("an entry of an unknown kind");
            }
            function = depth <= function ? MAX_DEPTH : function;
            boolean kept = depth < function
                    || depth == function + 1 && kind.tag == TAG_FORMAL_PARAMETER
                    || depth == function + 1 && kind.tag == TAG_UNSPECIFIED_PARAMETERS;
            Entry entry = next(kind.tag, depth, offset);
            readAttributes(kind, entry, start);
            count += kept ? 1 : 0;
            if (kind.children) {
                if (kind.tag == TAG_SUBPROGRAM && function == MAX_DEPTH) {
                    function = depth;
                }
                depth++;
            }
            if (depth == 0) {
                return;
            }
        }
    }

    /** The place of the next entry that is kept; entries of the last unit are used again. */
    private Entry next(int tag, int depth, int offset) throws UnreadableException {
        if (count == MAX_ENTRIES) {
            throw damaged("too many entries in one unit");
        }
        if (count == entries.length) {
            entries = Arrays.copyOf(entries, count * 2);
        }
        Entry entry = entries[count];
        if (entry == null) {
            entry = new Entry();
            entries[count] = entry;
        }
        entry.clear(tag, depth, offset);
        return entry;
    }

    private void readAttributes(Abbreviation kind, Entry entry, int start) throws UnreadableException {
        allAttributes += kind.attributes.length / 3;
        if (allAttributes > MAX_ALL_ATTRIBUTES) {
            throw damaged("too many attributes");
        }
        for (int i = 0; i < kind.attributes.length; i += 3) {
            int form = (int) kind.attributes[i + 1];
            int attribute = (int) kind.attributes[i];
            long value = value(form, kind.attributes[i + 2], attribute, entry, start);
            switch (attribute) {
                case AT_BYTE_SIZE -> entry.size = value;
                case AT_BIT_OFFSET -> entry.oldBitOffset = value;
                case AT_BIT_SIZE -> entry.bitSize = (int) value;
                case AT_DATA_BIT_OFFSET -> entry.bitOffset = value;
                case AT_MEMBER_LOCATION -> entry.location = value;
                case AT_UPPER_BOUND -> entry.count = isBlock(form) ? -1 : value + 1;
                case AT_COUNT -> entry.count = isBlock(form) ? -1 : value;
                case AT_CONST_VALUE -> entry.value = value;
                case AT_ENCODING -> entry.encoding = (int) value;
                case AT_TYPE -> entry.type = (int) value;
                case AT_ABSTRACT_ORIGIN, AT_SPECIFICATION -> entry.origin = (int) value;
                case AT_DECLARATION -> entry.declaration = value != 0;
                case AT_LOW_PC, AT_RANGES, AT_LOCATION -> entry.hasCode = true;
                default -> {}
            }
        }
    }

    /** Whether a form is an expression, or says where one stands. */
    private static boolean isBlock(int form) {
        return form == 0x03
                || form == 0x04
                || form == 0x09
                || form == 0x0a
                || form == 0x18
                || form == 0x17
                || form == 0x13;
    }

    /** The value of an attribute as far as it is a number or a place; a name goes into the entry. */
    private long value(int form, long constant, int attribute, Entry entry, int start) throws UnreadableException {
        return switch (form) {
            case 0x01 -> skip(addressSize);
            case 0x03 -> skip(u16());
            case 0x04 -> skip(u32());
            case 0x09, 0x18 -> skip(leb());
            case 0x0a -> skip(u8());
            case 0x1e -> skip(16);
            case 0x27, 0x2b -> skip(3);
            case 0x0b, 0x0c, 0x11, 0x25, 0x29 -> u8();
            case 0x05, 0x12, 0x26, 0x2a -> u16();
            case 0x06, 0x13, 0x1c, 0x28, 0x2c -> u32();
            case 0x07, 0x14, 0x20, 0x24 -> u64();
            case 0x0d -> signed();
            case 0x0f, 0x15, 0x1a, 0x1b, 0x22, 0x23 -> leb();
            // A place in the whole section; of this unit only.
            case 0x10 -> Math.max(0, relocated() - (start - info));
            case 0x17, 0x1d -> relocated();
            case 0x19 -> 1;
            case 0x08 -> nameHere(attribute, entry);
            case 0x0e -> name(strings, stringsEnd, attribute, entry);
            case 0x1f -> name(lineStrings, lineStringsEnd, attribute, entry);
            case FORM_IMPLICIT_CONST -> constant;
            case FORM_INDIRECT -> {
                int real = (int) leb();
                if (real == FORM_INDIRECT || real == FORM_IMPLICIT_CONST) {
                    throw damaged("an attribute of an unknown form");
                }
                yield value(real, 0, attribute, entry, start);
            }
            default -> throw damaged("an attribute of the unknown form " + form);
        };
    }

    /** An offset in a section. */
    private long relocated() throws UnreadableException {
        int place = at;
        return offset(place, offsetSize == 8 ? u64() : u32());
    }

    private long nameHere(int attribute, Entry entry) throws UnreadableException {
        int from = at;
        int length = image.stringLength(at, end);
        if (length < 0) {
            throw damaged("a name without end");
        }
        at += length + 1;
        setName(attribute, entry, from);
        return 0;
    }

    /** A name in another section. */
    private long name(int from, int to, int attribute, Entry entry) throws UnreadableException {
        long where = relocated();
        if (where >= 0 && where < to - from) {
            setName(attribute, entry, (int) (from + where));
        }
        return 0;
    }

    private static void setName(int attribute, Entry entry, int place) {
        if (attribute == AT_NAME) {
            entry.name = place;
        }
    }

    private Map<Integer, Abbreviation> abbreviations(long table) throws UnreadableException {
        if (table < 0 || table >= abbreviationsEnd - abbreviations) {
            throw damaged("a unit whose kinds of entries lie outside of .debug_abbrev");
        }
        Map<Integer, Abbreviation> all = known.get((int) table);
        if (all != null) {
            return all;
        }
        int back = at;
        int backEnd = end;
        at = (int) (abbreviations + table);
        end = abbreviationsEnd;
        all = new HashMap<>();
        for (int code = (int) leb(); code != 0; code = (int) leb()) {
            if (all.size() > MAX_CODES || ++allCodes > MAX_ALL_CODES) {
                throw damaged("too many kinds of entries");
            }
            int tag = (int) leb();
            boolean children = u8() != 0;
            long[] attributes = new long[24];
            int size = 0;
            long attribute = leb();
            long form = leb();
            while (attribute != 0 || form != 0) {
                if (size == attributes.length) {
                    attributes = Arrays.copyOf(attributes, size * 2);
                }
                if (size > MAX_ATTRIBUTES * 3) {
                    throw damaged("too many attributes");
                }
                attributes[size] = attribute;
                attributes[size + 1] = form;
                attributes[size + 2] = form == FORM_IMPLICIT_CONST ? signed() : 0;
                size += 3;
                attribute = leb();
                form = leb();
            }
            all.put(code, new Abbreviation(tag, children, Arrays.copyOf(attributes, size)));
        }
        known.put((int) table, all);
        at = back;
        end = backEnd;
        return all;
    }

    /** What is wrong, and where. */
    private UnreadableException damaged(String what) {
        boolean kinds = end == abbreviationsEnd;
        String place = Integer.toHexString(at - (kinds ? abbreviations : info));
        return new UnreadableException(what + " at 0x" + place + " of " + (kinds ? ".debug_abbrev" : ".debug_info"));
    }

    private int need(int size) throws UnreadableException {
        if (size < 0 || size > end - at) {
            throw damaged("the end comes too early");
        }
        int from = at;
        at += size;
        return from;
    }

    private long skip(long size) throws UnreadableException {
        need(size > Integer.MAX_VALUE ? -1 : (int) size);
        return 0;
    }

    private int u8() throws UnreadableException {
        return image.u8(need(1));
    }

    private int u16() throws UnreadableException {
        return image.u16(need(2));
    }

    private long u32() throws UnreadableException {
        return image.u32(need(4));
    }

    private long u64() throws UnreadableException {
        return image.u64(need(8));
    }

    private long leb() throws UnreadableException {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            int part = u8();
            value |= shift < 64 ? (long) (part & 0x7f) << shift : 0;
            if (part < 0x80) {
                return value;
            }
        }
        throw damaged("a number without end");
    }

    private long signed() throws UnreadableException {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            int part = u8();
            value |= shift < 64 ? (long) (part & 0x7f) << shift : 0;
            if (part < 0x80) {
                return shift < 57 && (part & 0x40) != 0 ? value | -1L << shift + 7 : value;
            }
        }
        throw damaged("a number without end");
    }
}
