package dev.weaklink.testing;

import dev.weaklink.testing.KernelSpec.Crcs;
import dev.weaklink.testing.KernelSpec.Export;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Writes the memory contents of a kernel: a page for headers, constants, then the export tables, the CRC tables and
 * their strings, in the order of asm-generic/vmlinux.lds.h.
 */
public final class KernelWriter {
    /** The address of the image's first byte. */
    static final long BASE_64 = 0xffffffff81000000L;

    static final long BASE_32 = 0xc0008000L;
    private static final int HEADER_SIZE = 0x1000;

    private final KernelSpec spec;
    private final ElfBytes bytes;
    private final long base;
    private final Map<String, Integer> crcLabels = new HashMap<>();
    private final Map<String, int[]> sections = new HashMap<>();

    private KernelWriter(KernelSpec spec) {
        this.spec = spec;
        this.bytes = new ElfBytes(spec.machine());
        this.base = spec.machine().is64() ? BASE_64 : BASE_32;
        bytes.zeros(HEADER_SIZE);
        section(".rodata", this::constants);
        exportTables();
        builtIn();
        bytes.zeros(64);
    }

    /**
     * Writes parameters that are visible, hidden and without a prefix, a version, and a call of an export with the name
     * of a driver.
     */
    private void builtIn() {
        bytes.align(8);
        Map<String, Integer> places = new HashMap<>();
        for (String text : List.of("a_shown.x", "a_hidden.x", "x", "version", "a_version", "a_driver")) {
            places.put(text, bytes.size());
            bytes.string(text);
        }
        bytes.align(8);
        section("__param", () -> {
            parameter(places.get("a_shown.x"), 0644);
            parameter(places.get("a_hidden.x"), 0);
            parameter(places.get("x"), 0444);
        });
        section("__modver", () -> {
            bytes.word(base + places.get("version"));
            for (int i = 1; i < 7; i++) {
                bytes.word(0);
            }
            bytes.word(base + places.get("a_version")).word(base + places.get("x"));
        });
        section(".text", () -> {
            bytes.bytes(new byte[] {0x48, (byte) 0xc7, (byte) 0xc2});
            bytes.u32((int) base + places.get("a_driver"));
            bytes.bytes(new byte[] {(byte) 0xe8});
            bytes.u32(HEADER_SIZE - bytes.size() - 4);
        });
    }

    private void parameter(int name, int permissions) {
        bytes.word(base + name)
                .word(0)
                .word(base)
                .u16(permissions)
                .u16(0)
                .align(spec.machine().wordSize());
        bytes.word(base);
    }

    /** Returns the image without a header, for machines that boot it without ELF. */
    public static byte[] raw(KernelSpec spec) {
        return new KernelWriter(spec).bytes.toArray();
    }

    /** Returns the image with the header of arm64's Image. */
    public static byte[] arm64(KernelSpec spec) {
        ElfBytes image = new KernelWriter(spec).bytes;
        return image.set(0x38, 0x644d5241L, 4).toArray();
    }

    /** Returns the kernel as an ELF file with program headers and, if {@code named}, with named sections. */
    public static byte[] elf(KernelSpec spec, boolean named) {
        return new KernelWriter(spec).elf(named);
    }

    /** Returns the kernel as an ELF file with named sections, including .BTF with these types. */
    public static byte[] elf(KernelSpec spec, BtfBuilder types) {
        KernelWriter writer = new KernelWriter(spec);
        writer.bytes.align(8);
        writer.section(
                ".BTF", () -> writer.bytes.bytes(types.build(spec.machine().order())));
        return writer.elf(true);
    }

    private void constants() {
        bytes.zeros(1).string(spec.banner() + "\n").string(spec.vermagic());
        spec.texts().forEach(bytes::string);
        bytes.string("module_layout").align(8);
        if (spec.crcs() == Crcs.DISTANCES) {
            for (Export export : spec.exports()) {
                crcLabels.put(export.name(), bytes.size());
                bytes.u32(export.crc());
            }
        }
        bytes.align(8);
    }

    private void section(String name, Runnable contents) {
        int start = bytes.size();
        contents.run();
        sections.put(name, new int[] {start, bytes.size() - start});
    }

    private void exportTables() {
        List<List<Export>> tables = tables();
        int entry = spec.fields() * fieldSize();
        int exports = bytes.size();
        int symbols = spec.exports().size();
        int crcWidth = crcWidth();
        int strings = exports + symbols * entry;
        strings = strings + (crcWidth == 8 ? -strings & 7 : 0) + symbols * crcWidth;
        strings += spec.flagged() ? symbols : 0;
        Map<String, Integer> places = new HashMap<>();
        StringBuilder text = new StringBuilder();
        for (Export export : spec.exports()) {
            places.put(export.name(), strings + text.length());
            text.append(export.name()).append('\0');
            if (spec.fields() == 3) {
                places.put("ns " + export.name(), strings + text.length());
                text.append(export.namespace()).append('\0');
            }
        }
        List<String> suffixes = List.of("", "_gpl");
        for (int i = 0; i < tables.size(); i++) {
            List<Export> table = tables.get(i);
            section("__ksymtab" + suffixes.get(i), () -> entries(table, places));
        }
        bytes.align(Math.max(crcWidth, 1));
        for (int i = 0; i < tables.size() && crcWidth > 0; i++) {
            List<Export> table = tables.get(i);
            section("__kcrctab" + suffixes.get(i), () -> crcs(table));
        }
        if (spec.flagged()) {
            section("__kflagstab", () -> flags(tables.get(0)));
        }
        section("__ksymtab_strings", () -> bytes.bytes(latin(text.toString())));
    }

    private static byte[] latin(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    /** Returns one table of all exports, or one of the plain exports and one of the GPL-only exports. */
    private List<List<Export>> tables() {
        if (spec.flagged()) {
            return List.of(table(export -> true));
        }
        return List.of(table(export -> !export.gpl()), table(Export::gpl));
    }

    private List<Export> table(Predicate<Export> wanted) {
        return spec.exports().stream()
                .filter(wanted)
                .sorted(Comparator.comparing(Export::name))
                .toList();
    }

    private void flags(List<Export> table) {
        StringBuilder flags = new StringBuilder();
        table.forEach(export -> flags.append(export.gpl() ? '\1' : '\0'));
        bytes.bytes(latin(flags.toString()));
    }

    private int fieldSize() {
        return spec.relative() ? 4 : spec.machine().wordSize();
    }

    private int crcWidth() {
        return switch (spec.crcs()) {
            case NONE -> 0;
            case PLAIN, DISTANCES -> 4;
            case WORDS -> spec.machine().wordSize();
        };
    }

    private void entries(List<Export> table, Map<String, Integer> places) {
        for (Export export : table) {
            field(HEADER_SIZE);
            field(places.get(export.name()));
            if (spec.fields() == 3) {
                field(places.get("ns " + export.name()));
            }
        }
    }

    private void field(int target) {
        if (spec.relative()) {
            bytes.u32(target - bytes.size());
        } else {
            bytes.word(base + target);
        }
    }

    private void crcs(List<Export> table) {
        for (Export export : table) {
            switch (spec.crcs()) {
                case DISTANCES -> bytes.u32(crcLabels.get(export.name()) - bytes.size());
                case WORDS -> bytes.word(export.crc() & 0xffffffffL);
                default -> bytes.u32(export.crc());
            }
        }
    }

    private byte[] elf(boolean named) {
        boolean is64 = spec.machine().is64();
        int length = bytes.size();
        int[] table = named ? sectionTable() : new int[] {0, 0};
        int at = 0;
        at = put(at, 0x7f, 1);
        at = put(at, 'E', 1);
        at = put(at, 'L', 1);
        at = put(at, 'F', 1);
        at = put(at, is64 ? 2 : 1, 1);
        at = put(at, spec.machine().order() == java.nio.ByteOrder.LITTLE_ENDIAN ? 1 : 2, 1);
        at = put(at, 1, 1);
        put(16, 2, 2);
        put(18, spec.machine().number(), 2);
        put(20, 1, 4);
        int word = spec.machine().wordSize();
        int programs = is64 ? 64 : 52;
        put(is64 ? 32 : 28, programs, word);
        put(is64 ? 40 : 32, table[0], word);
        int counts = is64 ? 52 : 40;
        put(counts, programs, 2);
        put(counts + 2, is64 ? 56 : 32, 2);
        put(counts + 4, 1, 2);
        put(counts + 6, is64 ? 64 : 40, 2);
        put(counts + 8, table[1], 2);
        put(counts + 10, Math.max(table[1] - 1, 0), 2);
        put(programs, 1, 4);
        put(programs + (is64 ? 8 : 4), 0, word);
        put(programs + (is64 ? 16 : 8), base, word);
        put(programs + (is64 ? 32 : 16), length, word);
        return bytes.toArray();
    }

    private int put(int at, long value, int width) {
        bytes.set(at, value, width);
        return at + width;
    }

    /** Writes section names and headers; returns the offset and the number of the headers. */
    private int[] sectionTable() {
        ElfBytes names = new ElfBytes(spec.machine()).zeros(1);
        List<String> order = new ArrayList<>(sections.keySet());
        order.sort(null);
        Map<String, Integer> nameAt = new HashMap<>();
        for (String name : order) {
            nameAt.put(name, names.size());
            names.string(name);
        }
        nameAt.put(".shstrtab", names.size());
        names.string(".shstrtab");
        sections.put(".shstrtab", new int[] {bytes.size(), names.size()});
        order.add(".shstrtab");
        bytes.bytes(names.toArray()).align(8);
        int start = bytes.size();
        bytes.zeros(spec.machine().is64() ? 64 : 40);
        for (String name : order) {
            int[] place = sections.get(name);
            bytes.u32(nameAt.get(name)).u32(name.equals(".shstrtab") ? 3 : 1).word(2);
            bytes.word(base + place[0]).word(place[0]).word(place[1]);
            bytes.u32(0).u32(0).word(1).word(0);
        }
        return new int[] {start, order.size() + 1};
    }
}
