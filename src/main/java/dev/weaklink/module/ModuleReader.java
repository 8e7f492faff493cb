package dev.weaklink.module;

import dev.weaklink.format.btf.BtfValidity;
import dev.weaklink.format.codec.Packing;
import dev.weaklink.format.elf.ElfHeader;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.ElfDefect.ElfDefectKind;
import dev.weaklink.module.KernelModule.ModuleBtf;
import dev.weaklink.module.SymbolTable.NameReader;
import dev.weaklink.sys.UnreadableException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the facts of one module from its uncompressed bytes, as the kernel would read them. Any bytes give a result,
 * because defects of the file are facts, too. The result keeps no reference to the array.
 */
public final class ModuleReader {
    private static final byte[] MODINFO = NamedSections.wanted(".modinfo");
    private static final byte[] BTF = NamedSections.wanted(".BTF");
    private static final byte[] BTF_BASE = NamedSections.wanted(".BTF.base");
    private static final byte[] CTORS = NamedSections.wanted(".ctors");
    private static final byte[] INIT_ARRAY = NamedSections.wanted(".init_array");

    private ModuleReader() {}

    /**
     * Reads a module.
     *
     * @param origin the source of the bytes
     * @param data the whole file, uncompressed; may be longer than the module
     * @param length number of bytes that belong to the module
     */
    public static KernelModule read(Origin origin, byte[] data, int length) {
        return read(origin, data, length, true);
    }

    /**
     * Reads a module like {@link #read}, but leaves the relocations unexamined: relocations are most of a module's
     * bytes, and the loader applies them last.
     */
    public static KernelModule readWithoutRelocations(Origin origin, byte[] data, int length) {
        return read(origin, data, length, false);
    }

    public static ModInfo readModInfo(byte[] data, int length) {
        ElfImage image = sound(data, length);
        return image == null ? ModInfo.ABSENT : new Contents(image, new ElfValidity()).readModInfo();
    }

    public static Relocations readRelocations(byte[] data, int length) {
        ElfImage image = sound(data, length);
        return image == null ? Relocations.NOT_EXAMINED : RelocationReader.read(image);
    }

    public static RuntimeNames readRuntimeNames(byte[] data, int length) {
        ElfImage image = sound(data, length);
        return image == null ? RuntimeNames.NONE : RuntimeNames.read(image);
    }

    private static KernelModule read(Origin origin, byte[] data, int length, boolean withRelocations) {
        SignatureReader.Trailer trailer = SignatureReader.read(data, length);
        ElfValidity validity = new ElfValidity();
        ElfHeader header = readHeader(data, length, trailer.elfLength(), validity);
        if (header == null) {
            return unreadable(origin, null, trailer.signature(), validity);
        }
        try {
            if (!validity.checkHeader(header, trailer.elfLength())) {
                return unreadable(origin, header.identity(), trailer.signature(), validity);
            }
            ElfImage image = ElfImage.open(data, trailer.elfLength(), header);
            if (!validity.checkSections(image)) {
                return unreadable(origin, header.identity(), trailer.signature(), validity);
            }
            return new ModuleReader.Contents(image, validity).toModule(origin, trailer.signature(), withRelocations);
        } catch (UnreadableException e) {
            throw new IllegalStateException("section table passed its checks: " + origin, e);
        }
    }

    /**
     * Copies the BTF sections of a module.
     *
     * @return null if the module has no {@code .BTF} or is damaged
     */
    public static @Nullable ModuleTypes types(byte[] data, int length) {
        ElfImage image = sound(data, length);
        return image == null ? null : types(data, image);
    }

    /**
     * Checks a module's types like {@link BtfValidity#of}. Returns UNCLEAR if the module has no types or is damaged.
     */
    public static BtfValidity.BtfAnswer judgeTypes(byte[] data, int length, int firstString) {
        ElfImage image = sound(data, length);
        ModuleTypes types = image == null ? null : types(data, image);
        return image == null || types == null
                ? BtfValidity.BtfAnswer.UNCLEAR
                : BtfValidity.of(types.section(), types.base(), order(image), firstString);
    }

    /**
     * Returns the result of {@link BtfValidity#firstString} for a module; -1 if the module is damaged, has no BTF or
     * has {@code .BTF.base}.
     */
    public static int firstString(byte[] data, int length) {
        ElfImage image = sound(data, length);
        ModuleTypes types = image == null ? null : types(data, image);
        return image == null || types == null || types.base() != null
                ? -1
                : BtfValidity.firstString(types.section(), order(image));
    }

    private static ByteOrder order(ElfImage image) {
        return image.identity().littleEndian() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    }

    private static @Nullable ModuleTypes types(byte[] data, ElfImage image) {
        NamedSections named = new NamedSections(image);
        ByteBuffer types = contents(data, image, named.find(BTF));
        return types == null ? null : new ModuleTypes(types, contents(data, image, named.find(BTF_BASE)));
    }

    private static @Nullable ByteBuffer contents(byte[] data, ElfImage image, int section) {
        if (section <= 0 || !image.hasContents(section)) {
            return null;
        }
        int start = (int) image.sections().offset(section);
        return ByteBuffer.wrap(
                Arrays.copyOfRange(data, start, start + (int) image.sections().size(section)));
    }

    static @Nullable ElfImage sound(byte[] data, int length) {
        int elfLength = SignatureReader.read(data, length).elfLength();
        ElfValidity validity = new ElfValidity();
        ElfHeader header = readHeader(data, length, elfLength, validity);
        try {
            if (header == null || !validity.checkHeader(header, elfLength)) {
                return null;
            }
            ElfImage image = ElfImage.open(data, elfLength, header);
            return validity.checkSections(image) ? image : null;
        } catch (UnreadableException e) {
            return null;
        }
    }

    private static @Nullable ElfHeader readHeader(byte[] data, int fileLength, int elfLength, ElfValidity validity) {
        if (fileLength == 0) {
            validity.add(ElfDefect.of(ElfDefectKind.EMPTY_FILE));
            return null;
        }
        ElfHeader header = ElfHeader.read(data, elfLength);
        if (header == null && (elfLength < 4 || ElfHeader.hasMagic(data, elfLength))) {
            validity.add(ElfDefect.of(ElfDefectKind.SHORT_HEADER, elfLength, 0));
            return null;
        }
        if (!ElfHeader.hasMagic(data, elfLength)) {
            validity.add(ElfDefect.of(ElfDefectKind.BAD_MAGIC));
            return null;
        }
        return header;
    }

    private static KernelModule unreadable(
            Origin origin, @Nullable ElfIdentity identity, ModuleSignature signature, ElfValidity validity) {
        return KernelModule.broken(origin, identity, signature, validity.defects());
    }

    private static final class Contents {
        private final ElfImage image;
        private final SectionTable sections;
        private final NamedSections named;
        private final ElfValidity validity;

        Contents(ElfImage image, ElfValidity validity) {
            this.image = image;
            this.sections = image.sections();
            this.named = new NamedSections(image);
            this.validity = validity;
        }

        KernelModule toModule(Origin origin, ModuleSignature signature, boolean withRelocations) {
            ModInfo modInfo = readModInfo();
            int symtab = findSymbolTable();
            StructModuleReader structModule = new StructModuleReader(image, named, validity);
            VersionTable versions = VersionReader.readBasic(image, named);
            VersionTable extended = VersionReader.readExtended(image, named, validity);
            new LoadedSections(image).check(validity);
            NameReader nameReader = new NameReader(image, validity);
            SymbolTable symbols = SymbolTable.read(image, symtab, nameReader, validity);
            if (named.findAllocated(CTORS) > 0 && named.findAllocated(INIT_ARRAY) > 0) {
                validity.add(ElfDefect.of(ElfDefectKind.CTORS_AND_INIT_ARRAY));
            }
            new ParameterTable(image, named).check(validity);
            new StackProtectorTable(image, named).check(validity);
            new StaticCallTable(image, named).check(validity);
            structModule.checkContents(validity);
            return new KernelModule(
                    origin,
                    image.identity(),
                    structModule.name(),
                    structModule.size(),
                    modInfo,
                    symbols.imports(),
                    versions,
                    extended,
                    ExportReader.read(image, named, symbols, nameReader),
                    signature,
                    BuildIdReader.read(image, named),
                    new ModuleBtf(named.find(BTF) > 0, named.find(BTF_BASE) > 0),
                    withRelocations ? RelocationReader.read(image) : Relocations.NOT_EXAMINED,
                    List.copyOf(validity.defects()),
                    false,
                    Packing.NONE);
        }

        private ModInfo readModInfo() {
            int first = named.find(MODINFO);
            if (first < 0) {
                return ModInfo.ABSENT;
            }
            if (named.count(MODINFO) > 1) {
                validity.add(ElfDefect.of(ElfDefectKind.SEVERAL_MODINFO));
            }
            int allocated = named.findAllocated(MODINFO);
            int section = allocated > 0 ? allocated : first;
            if (!image.hasContents(section)) {
                return new ModInfo(List.of(), true, allocated > 0);
            }
            int start = (int) sections.offset(section);
            int end = (int) (start + sections.size(section));
            return ModInfo.read(image.data(), start, end, image.length(), allocated > 0);
        }

        private int findSymbolTable() {
            int found = -1;
            for (int i = 1; i < sections.count(); i++) {
                if (sections.type(i) == SectionTable.SHT_SYMTAB) {
                    if (found > 0) {
                        validity.add(ElfDefect.of(ElfDefectKind.SEVERAL_SYMBOL_TABLES));
                        return found;
                    }
                    found = i;
                }
            }
            if (found < 0) {
                validity.add(ElfDefect.of(ElfDefectKind.NO_SYMBOL_TABLE));
            }
            return found;
        }
    }

    /**
     * The section {@code __param}: an array of struct kernel_param (include/linux/moduleparam.h). Each entry has a
     * name. For most entries, the loader makes a file of that name in /sys/module before it calls the module's init
     * function (kernel/params.c: module_param_sysfs_setup).
     */
    private static final class ParameterTable {
        private static final byte[] PARAMETERS = NamedSections.wanted("__param");

        /**
         * The known layouts of an entry: the number of words, and the index of the word with the permissions. All words
         * before that index are relocated pointers. The layouts are those of kernels from 4.2 on, of 2.6.36 to 4.1, and
         * of older kernels.
         */
        private static final int[][] LAYOUTS = {{5, 3}, {4, 2}, {5, 1}};

        private static final int LONGEST_NAME = 256;

        private final ElfImage image;
        private final SectionTable sections;
        private final int section;

        ParameterTable(ElfImage image, NamedSections named) {
            this.image = image;
            sections = image.sections();
            section = named.findAllocated(PARAMETERS);
        }

        void check(ElfValidity validity) {
            if (section < 0 || !image.hasContents(section) || sections.size(section) == 0) {
                return;
            }
            RelocationTable relocations =
                    RelocationTable.of(image, section, image.identity().wordSize());
            for (int[] layout : LAYOUTS) {
                if (isSound(relocations, layout[0], layout[1])) {
                    return;
                }
            }
            validity.add(ElfDefect.of(ElfDefectKind.BROKEN_PARAMETERS));
        }

        private boolean isSound(RelocationTable relocations, int words, int permissions) {
            long size = sections.size(section);
            if (size % (words * image.identity().wordSize()) != 0 || relocations.isIrregular()) {
                return false;
            }
            SymbolTable symbols = SymbolTable.bare(image);
            Set<String> names = new HashSet<>();
            for (int entry = 0; entry < relocations.slots(); entry += words) {
                for (int i = 0; i <= permissions; i++) {
                    if ((relocations.symbol(entry + i) == RelocationTable.NONE) != (i == permissions)) {
                        return false;
                    }
                }
                String name = string(symbols, relocations.symbol(entry), relocations.addend(entry));
                if (name == null || isShown(entry + permissions) && !names.add(name)) {
                    return false;
                }
            }
            return true;
        }

        private boolean isShown(int permissions) {
            long at = sections.offset(section)
                    + (long) permissions * image.identity().wordSize();
            return image.u16((int) at) != 0;
        }

        private @Nullable String string(SymbolTable symbols, int symbol, long addend) {
            int in = symbol >= 0 && symbol < symbols.count() ? symbols.section(symbol) : 0;
            if (in <= 0 || in >= sections.count() || !image.hasContents(in)) {
                return null;
            }
            long inside = symbols.value(symbol) + addend;
            if (inside < 0 || inside >= sections.size(in)) {
                return null;
            }
            int start = (int) (sections.offset(in) + inside);
            int end = (int) (start + Math.min(sections.size(in) - inside, LONGEST_NAME));
            int length = image.stringLength(start, end);
            return length <= 0 ? null : new String(image.data(), start, length, StandardCharsets.ISO_8859_1);
        }
    }

    /**
     * The section {@code __stack_protector_loc} of s390x: the addresses of {@code larl} and {@code lgrl} instructions
     * that the loader changes (arch/s390/kernel/stackprotector.c: __stack_protector_apply, 7.2). The loader refuses any
     * other instruction. An address outside of the module crashes the kernel.
     */
    private static final class StackProtectorTable {
        private static final byte[] LOCATIONS = NamedSections.wanted("__stack_protector_loc");
        private static final int INSTRUCTION = 6;

        private final ElfImage image;
        private final SectionTable sections;
        private final int section;

        StackProtectorTable(ElfImage image, NamedSections named) {
            this.image = image;
            sections = image.sections();
            boolean s390x = image.identity().machine() == ElfIdentity.EM_S390
                    && image.identity().is64();
            section = s390x ? named.findAllocated(LOCATIONS) : -1;
        }

        void check(ElfValidity validity) {
            if (section < 0 || !image.hasContents(section)) {
                return;
            }
            RelocationTable table = RelocationTable.of(image, section, Long.BYTES);
            SymbolTable symbols = SymbolTable.bare(image);
            boolean sound = !table.isIrregular();
            for (int slot = 0; slot < table.slots() && sound; slot++) {
                sound = isExpected(symbols, table.symbol(slot), table.addend(slot));
            }
            if (!sound) {
                validity.add(ElfDefect.of(ElfDefectKind.STACK_PROTECTOR_LOCATION));
            }
        }

        private boolean isExpected(SymbolTable symbols, int symbol, long addend) {
            int in = symbol >= 0 && symbol < symbols.count() ? symbols.section(symbol) : 0;
            if (in <= 0 || in >= sections.count() || !image.hasContents(in)) {
                return false;
            }
            long inside = symbols.value(symbol) + addend;
            if (inside < 0 || inside > sections.size(in) - INSTRUCTION) {
                return false;
            }
            int operation = image.u16((int) (sections.offset(in) + inside)) & 0xff0f;
            return operation == 0xc000 || operation == 0xc408;
        }
    }

    /**
     * The section {@code .static_call_sites} of x86-64: pairs of place-relative 32-bit fields. The second field leads
     * to the key of a static call or, if the key is not exported, to its trampoline (kernel/static_call_inline.c:
     * static_call_add_module).
     */
    private static final class StaticCallTable {
        private static final byte[] SITES = NamedSections.wanted(".static_call_sites");
        private static final int FIELDS = 2;

        private final ElfImage image;
        private final int section;

        StaticCallTable(ElfImage image, NamedSections named) {
            this.image = image;
            boolean x86 = image.identity().machine() == ElfIdentity.EM_X86_64;
            section = x86 ? named.findAllocated(SITES) : -1;
        }

        void check(ElfValidity validity) {
            if (section < 0 || !image.hasContents(section)) {
                return;
            }
            RelocationTable table = RelocationTable.of(image, section, Integer.BYTES);
            SymbolTable symbols = SymbolTable.bare(image);
            boolean sound = !table.isIrregular() && table.slots() % FIELDS == 0;
            for (int slot = 1; slot < table.slots() && sound; slot += FIELDS) {
                sound = isKey(symbols, table.symbol(slot));
            }
            if (!sound) {
                validity.add(ElfDefect.of(ElfDefectKind.STATIC_CALL_KEY));
            }
        }

        private boolean isKey(SymbolTable symbols, int symbol) {
            if (symbol <= 0 || symbol >= symbols.count()) {
                return false;
            }
            String name = symbols.name(symbol);
            int in = symbols.section(symbol);
            if (name == null || name.isEmpty()) {
                // the symbol of a section; any section without code may contain the key
                boolean inside = in > 0 && in < image.sections().count();
                return inside && (image.sections().flags(in) & SectionTable.SHF_EXECINSTR) == 0;
            }
            return name.startsWith("__SCK__") || name.startsWith("__SCT__");
        }
    }

    /**
     * The BTF sections of a module, not decoded.
     *
     * @param section the section {@code .BTF}, copied
     * @param base the section {@code .BTF.base}, copied; null if the types continue the BTF of the kernel that the
     *     module was built with
     */
    public record ModuleTypes(ByteBuffer section, @Nullable ByteBuffer base) {}
}
