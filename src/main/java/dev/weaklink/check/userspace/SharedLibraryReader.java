package dev.weaklink.check.userspace;

import dev.weaklink.check.userspace.SharedLibrary.LibraryImport;
import dev.weaklink.check.userspace.SharedLibrary.RequiredVersion;
import dev.weaklink.format.elf.ElfHeader;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.sys.UnreadableException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.fornwall.jelf.ElfDynamicSection;
import net.fornwall.jelf.ElfDynamicSection.ElfDynamicStructure;
import net.fornwall.jelf.ElfFile;
import net.fornwall.jelf.ElfSection;
import net.fornwall.jelf.ElfSectionHeader;
import net.fornwall.jelf.ElfSymbol;
import net.fornwall.jelf.ElfSymbolTableSection;
import org.jspecify.annotations.Nullable;

/**
 * Reads a shared library by its section headers. The Java library jelf parses the dynamic section and the dynamic
 * symbols. Because jelf trusts offsets and sizes, these sections are checked first. Symbol versions are parsed without
 * jelf (Linux Standard Base, chapter "Symbol Versioning"). Fields are in the file's byte order.
 */
final class SharedLibraryReader {
    private static final int ET_DYN = 3;
    private static final int SHT_GNU_VERDEF = 0x6ffffffd;
    private static final int SHT_GNU_VERNEED = 0x6ffffffe;
    private static final int SHT_GNU_VERSYM = 0x6fffffff;
    private static final int VER_FLG_BASE = 1;
    private static final int VER_FLG_WEAK = 2;

    /**
     * The mask without the highest bit of an entry in .gnu.version; that bit hides the symbol from references without a
     * version.
     */
    private static final int VERSION_MASK = 0x7fff;

    /** The lowest number in .gnu.version that means a version: 0 means local, 1 global. */
    private static final int FIRST_VERSION = 2;

    /**
     * The maximum number of characters of all names together; the names of the largest C library have a tenth of this
     * number.
     */
    private static final int MOST_TEXT = 16 << 20;

    private final ElfImage image;
    private final SectionTable sections;
    private final int symbolVersions;
    private int text;
    private final List<String> needed = new ArrayList<>();
    private final List<RequiredVersion> demands = new ArrayList<>();
    private final Set<String> versions = new HashSet<>();
    private final Map<Integer, String> versionNames = new HashMap<>();
    private final List<LibraryImport> imports = new ArrayList<>();
    private final Set<String> exports = new HashSet<>();
    private @Nullable String soname;
    private String searchPath = "";
    private String oldSearchPath = "";

    private SharedLibraryReader(ElfImage image) {
        this.image = image;
        this.sections = image.sections();
        this.symbolVersions = find(SHT_GNU_VERSYM);
    }

    /**
     * Reads the library in a file's contents.
     *
     * @throws UnreadableException if the file is not a shared library, or if its tables are missing or invalid
     */
    static SharedLibrary read(byte[] file) throws UnreadableException {
        return read(open(file));
    }

    static ElfImage open(byte[] file) throws UnreadableException {
        ElfHeader header = ElfHeader.hasMagic(file, file.length) ? ElfHeader.read(file, file.length) : null;
        if (header == null || header.type() != ET_DYN) {
            throw new UnreadableException("not a shared library");
        }
        return ElfImage.open(file, file.length, header);
    }

    static SharedLibrary read(ElfImage image) throws UnreadableException {
        SharedLibraryReader reader = new SharedLibraryReader(image);
        reader.dynamicSection(reader.section(ElfSectionHeader.SHT_DYNAMIC));
        int defined = reader.find(SHT_GNU_VERDEF);
        if (defined >= 0) {
            reader.definedVersions(reader.checked(defined));
        }
        int wanted = reader.find(SHT_GNU_VERNEED);
        if (wanted >= 0) {
            reader.neededVersions(reader.checked(wanted));
        }
        reader.symbols(reader.section(ElfSectionHeader.SHT_DYNSYM));
        return reader.library();
    }

    private SharedLibrary library() {
        String path = searchPath.isEmpty() ? oldSearchPath : searchPath;
        return new SharedLibrary(
                image.identity(),
                soname,
                needed,
                path.isEmpty() ? List.of() : List.of(path.split(":", -1)),
                demands,
                versions,
                imports,
                exports);
    }

    private int find(int type) {
        for (int section = 0; section < sections.count(); section++) {
            if (sections.type(section) == type) {
                return section;
            }
        }
        return -1;
    }

    private int section(int type) throws UnreadableException {
        int section = find(type);
        if (section < 0) {
            throw new UnreadableException("no section headers for the library's dynamic symbols");
        }
        return checked(section);
    }

    /** Returns the section; throws if the section's contents or its string table are not inside the file. */
    private int checked(int section) throws UnreadableException {
        int strings = sections.link(section);
        if (!image.hasContents(section) || strings < 0 || strings >= sections.count() || !image.hasContents(strings)) {
            throw new UnreadableException("a dynamic section or its string table is not completely in the file");
        }
        return section;
    }

    private void dynamicSection(int section) throws UnreadableException {
        for (ElfDynamicStructure entry : parsed(ElfDynamicSection.class, section, 2 * word()).entries) {
            switch ((int) entry.d_tag) {
                case ElfDynamicSection.DT_NULL -> {
                    return;
                }
                case ElfDynamicSection.DT_NEEDED -> needed.add(string(section, entry.d_val_or_ptr));
                case ElfDynamicSection.DT_SONAME -> soname = string(section, entry.d_val_or_ptr);
                case ElfDynamicSection.DT_RUNPATH -> searchPath = string(section, entry.d_val_or_ptr);
                case ElfDynamicSection.DT_RPATH -> oldSearchPath = string(section, entry.d_val_or_ptr);
                default -> {}
            }
        }
    }

    private int word() {
        return image.identity().wordSize();
    }

    /**
     * Returns a section, parsed by the library jelf.
     *
     * @param entrySize the required size of an entry in bytes; with any other size, an entry could reach beyond the
     *     section
     */
    private <T extends ElfSection> T parsed(Class<T> type, int section, int entrySize) throws UnreadableException {
        if (sections.entrySize(section) != entrySize) {
            throw new UnreadableException("a dynamic section has entries of an unexpected size");
        }
        try {
            return type.cast(ElfFile.from(image.data()).getSection(section));
        } catch (RuntimeException e) {
            throw new UnreadableException("a dynamic section cannot be parsed", e);
        }
    }

    private String string(int section, long offset) throws UnreadableException {
        int table = sections.link(section);
        long size = sections.size(table);
        if (offset < 0 || offset >= size) {
            throw new UnreadableException("a name is outside its string table");
        }
        int start = (int) (sections.offset(table) + offset);
        int length = image.stringLength(start, (int) (sections.offset(table) + size));
        if (length < 0) {
            throw new UnreadableException("a name has no end");
        }
        text += length + 1;
        if (text > MOST_TEXT) {
            throw new UnreadableException(
                    "the library's names are longer than 16 MiB in total, the most that weaklink" + " reads");
        }
        return new String(image.data(), start, length, StandardCharsets.ISO_8859_1);
    }

    /** Reads entries of Elf_Verdef: u16 version, flags, index, count; u32 hash, first name, next. */
    private void definedVersions(int section) throws UnreadableException {
        long at = sections.offset(section);
        long end = at + sections.size(section);
        for (long next = 1; next != 0; at += next) {
            requireEntry(at, 20, end);
            int flags = image.u16((int) at + 2);
            long name = at + image.u32((int) at + 12);
            requireEntry(name, 8, end);
            String version = string(section, image.u32((int) name));
            versionNames.put(image.u16((int) at + 4) & VERSION_MASK, version);
            if ((flags & VER_FLG_BASE) == 0) {
                versions.add(version);
            }
            next = image.u32((int) at + 16);
        }
    }

    /**
     * Reads entries of Elf_Verneed: u16 version, count; u32 file, first, next. Each has entries of Elf_Vernaux, see
     * {@link #demand}.
     */
    private void neededVersions(int section) throws UnreadableException {
        long at = sections.offset(section);
        long end = at + sections.size(section);
        for (long next = 1; next != 0; at += next) {
            requireEntry(at, 16, end);
            String library = string(section, image.u32((int) at + 4));
            long entry = at + image.u32((int) at + 8);
            for (int left = image.u16((int) at + 2); left > 0; left--) {
                requireEntry(entry, 16, end);
                demand(section, library, (int) entry);
                entry += image.u32((int) entry + 12);
            }
            next = image.u32((int) at + 12);
        }
    }

    /** Reads an entry of Elf_Vernaux: u32 hash; u16 flags, index; u32 name, next. */
    private void demand(int section, String library, int at) throws UnreadableException {
        String version = string(section, image.u32(at + 8));
        versionNames.put(image.u16(at + 6) & VERSION_MASK, version);
        demands.add(new RequiredVersion(library, version, (image.u16(at + 4) & VER_FLG_WEAK) != 0));
        if (demands.size() > sections.size(section) / 16) {
            throw new UnreadableException("the symbol version table lists more required versions than fit into it");
        }
    }

    private static void requireEntry(long at, int size, long end) throws UnreadableException {
        if (at < 0 || at > end - size) {
            throw new UnreadableException("an entry of a symbol version table is not completely in its section");
        }
    }

    private void symbols(int section) throws UnreadableException {
        ElfSymbol[] symbols =
                parsed(ElfSymbolTableSection.class, section, image.identity().is64() ? 24 : 16).symbols;
        for (int i = 1; i < symbols.length; i++) {
            ElfSymbol symbol = symbols[i];
            if (symbol.getBinding() == ElfSymbol.BINDING_LOCAL) {
                continue;
            }
            String name = string(section, Integer.toUnsignedLong(symbol.st_name));
            String version = versionOf(i);
            if (symbol.st_shndx != 0) {
                exports.add(name);
                exports.add(name + "@" + version);
            } else if (symbol.getBinding() != ElfSymbol.BINDING_WEAK) {
                imports.add(new LibraryImport(name, version));
            }
        }
    }

    private String versionOf(int symbol) {
        if (symbolVersions < 0
                || !image.hasContents(symbolVersions)
                || sections.size(symbolVersions) < 2L * symbol + 2) {
            return "";
        }
        int at = (int) sections.offset(symbolVersions) + 2 * symbol;
        int number = image.u16(at) & VERSION_MASK;
        return number < FIRST_VERSION ? "" : versionNames.getOrDefault(number, "");
    }
}
