package dev.weaklink.testing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The description of a written module, which reading the file must reproduce.
 *
 * @param machine the machine, with class and byte order
 * @param thisModule the section {@code .gnu.linkonce.this_module}
 * @param modInfo the section {@code .modinfo}
 * @param imports the undefined symbols in symtab order; without the weak {@code __crc_} symbols of unresolved export
 *     CRCs, which follow them (see {@link #importsAsLoaded()})
 * @param extraSymbols further symbols that are neither imports nor exports
 * @param versions the section {@code __versions}, null for none
 * @param extendedVersions the sections {@code __version_ext_crcs} and {@code __version_ext_names}, null for none
 * @param exports the exports
 * @param exportFormat the layout of the export tables
 * @param trailer the trailer after the ELF data
 * @param textRelocations the relocations against {@code .text}
 * @param tables the variables that contain addresses
 * @param functions the functions whose code refers to symbols
 * @param oddities the rare features
 */
public record ModuleSpec(
        Machine machine,
        ThisModule thisModule,
        ModInfo modInfo,
        List<Import> imports,
        List<ExtraSymbol> extraSymbols,
        @Nullable Versions versions,
        @Nullable ExtendedVersions extendedVersions,
        List<Export> exports,
        ExportFormat exportFormat,
        SignatureTrailer trailer,
        List<TextRelocation> textRelocations,
        List<Table> tables,
        List<Code> functions,
        Oddities oddities) {

    /** The presence of a section. */
    public enum Presence {
        /** A single section with SHF_ALLOC. */
        ALLOCATED,
        /** A single section without SHF_ALLOC. */
        NOT_ALLOCATED,
        /** A single section with SHF_ALLOC and type SHT_NOBITS. */
        NOBITS,
        /** Two sections with the same contents, both with SHF_ALLOC. */
        TWICE,
        ABSENT
    }

    /**
     * The section of struct module.
     *
     * @param name the module's name in struct module
     * @param size the size of the section in bytes
     * @param presence the presence of the section
     */
    public record ThisModule(String name, int size, Presence presence) {}

    /**
     * The module information.
     *
     * @param entries the strings in order, {@code key=value} if well-formed
     * @param presence the presence of the section
     */
    public record ModInfo(List<String> entries, Presence presence) {}

    /**
     * An undefined symbol.
     *
     * @param name the name as written in the file
     */
    public record Import(String name, boolean weak) {}

    /** A symbol that is neither an import nor an export. */
    public record ExtraSymbol(String name, Kind kind) {
        /** The definition of an extra symbol. */
        public enum Kind {
            /** A global symbol in {@code .text}. */
            DEFINED,
            /** A local symbol in {@code .text}. */
            LOCAL,
            /** A symbol with SHN_COMMON. */
            COMMON,
            /** A symbol with SHN_ABS. */
            ABSOLUTE
        }
    }

    /**
     * A symbol's version.
     *
     * @param crc the whole CRC slot, of which 4 or 8 bytes are written
     */
    public record Version(String symbol, long crc) {}

    /**
     * The version table.
     *
     * @param layout the layout of the table
     * @param entries the entries in table order
     * @param presence the presence of the section
     * @param missingBytes the number of bytes that the section lacks at its end
     */
    public record Versions(Layout layout, List<Version> entries, Presence presence, int missingBytes) {
        /** The layout of a version table. */
        public enum Layout {
            /** The layout of struct modversion_info: unsigned long crc, name; 64 bytes. */
            CLASSIC,
            /** Ubuntu's layout: u32 next, u32 crc, name padded to a multiple of 4; 8 zero bytes at the end. */
            PACKED
        }
    }

    /**
     * Extended versions of 6.14 and later; well-formed if both lists exist and are equally long.
     *
     * @param crcs the contents of {@code __version_ext_crcs}, null for no such section
     * @param names the contents of {@code __version_ext_names}, null for no such section
     */
    public record ExtendedVersions(
            @Nullable List<Integer> crcs, @Nullable List<String> names) {}

    /**
     * An exported symbol.
     *
     * @param name the symbol's name
     * @param table the table that contains the export
     * @param crc the CRC; null for an unresolved CRC, which reads as 0
     * @param namespace the namespace, null for none
     */
    public record Export(
            String name,
            Table table,
            @Nullable Integer crc,
            @Nullable String namespace) {
        /** The export tables in the order in which the loader searches them. */
        public enum Table {
            NORMAL(""),
            GPL("_gpl"),
            /** Up to 5.11. */
            GPL_FUTURE("_gpl_future"),
            /** Up to 5.11. */
            UNUSED("_unused"),
            /** Up to 5.11. */
            UNUSED_GPL("_unused_gpl");

            private final String suffix;

            Table(String suffix) {
                this.suffix = suffix;
            }

            /** Returns the suffix of the names {@code __ksymtab} and {@code __kcrctab}. */
            public String suffix() {
                return suffix;
            }
        }
    }

    /**
     * A relocation in its own slot of 8 bytes in {@code .text}.
     *
     * @param target the contents of the slot
     */
    public record TextRelocation(int type, long target) {}

    /**
     * A variable that contains addresses.
     *
     * @param section the writable section that contains the variable
     * @param slots the names of functions, imports or earlier tables, by the offset of their address in the variable
     */
    public record Table(String section, String name, int size, Map<Integer, String> slots) {
        public Table(String name, int size, Map<Integer, String> slots) {
            this(".data", name, size, slots);
        }
    }

    /**
     * A function whose code contains addresses.
     *
     * @param references the names of the imports, functions and variables whose addresses the code contains
     */
    public record Code(String name, List<String> references) {}

    /**
     * Returns the undefined symbols as the loader sees them, in symtab order. On ppc64, {@code .TOC.}, which the loader
     * defines itself, is left out, and so is one leading dot of each name. The {@code __crc_} symbols that nothing
     * defines are included.
     */
    public List<Import> importsAsLoaded() {
        List<Import> seen = new ArrayList<>();
        for (Import entry : imports) {
            if (!machine.dropsLeadingDot() || !entry.name().equals(".TOC.")) {
                seen.add(new Import(undotted(entry.name()), entry.weak()));
            }
        }
        if (exportFormat.crcs().usesSymbols()) {
            for (Export export : exportsInTableOrder()) {
                if (export.crc() == null) {
                    seen.add(new Import("__crc_" + export.name(), true));
                }
            }
        }
        return seen;
    }

    /**
     * Returns the entries of {@code __versions} as the loader sees them: with CRC slots of the layout's width, and on
     * ppc64 without one leading dot of each name. The result is wrong if bytes are missing.
     */
    public List<Version> versionsAsLoaded() {
        if (versions == null) {
            return List.of();
        }
        boolean wide = versions.layout() == Versions.Layout.CLASSIC && machine.is64();
        return versions.entries().stream()
                .map(v -> new Version(undotted(v.symbol()), wide ? v.crc() : v.crc() & 0xffffffffL))
                .toList();
    }

    /**
     * Returns the extended versions as the loader sees them: as many as there are CRCs. The result is empty if a
     * section is missing.
     */
    public List<Version> extendedVersionsAsLoaded() {
        List<Version> seen = new ArrayList<>();
        if (extendedVersions != null && extendedVersions.crcs() != null && extendedVersions.names() != null) {
            for (int i = 0; i < extendedVersions.crcs().size(); i++) {
                long crc = Integer.toUnsignedLong(extendedVersions.crcs().get(i));
                seen.add(new Version(undotted(extendedVersions.names().get(i)), crc));
            }
        }
        return seen;
    }

    private String undotted(String name) {
        return machine.dropsLeadingDot() && name.startsWith(".") ? name.substring(1) : name;
    }

    /** Returns the exports in the order of their tables, and in each table by the bytes of their names. */
    public List<Export> exportsInTableOrder() {
        return exports.stream()
                .sorted(
                        exportFormat.flagged()
                                ? Comparator.comparing(Export::name)
                                : Comparator.comparing(Export::table).thenComparing(Export::name))
                .toList();
    }

    /** Returns the relocation types in sections that are loaded. */
    public Set<Integer> relocationTypes() {
        Set<Integer> types = new TreeSet<>();
        textRelocations.forEach(relocation -> types.add(relocation.type()));
        if (thisModule.presence() == Presence.ALLOCATED || thisModule.presence() == Presence.TWICE) {
            if (thisModule.size() >= ThisModuleSection.smallestWithFunctions(machine)) {
                types.add(machine.relocationType(Relocation.Kind.WORD));
            }
        }
        if (!tables.isEmpty() || !functions.isEmpty()) {
            types.add(machine.relocationType(Relocation.Kind.WORD));
        }
        if (!exports.isEmpty()) {
            types.add(machine.relocationType(exportFormat.fields().relocationKind()));
            if (exportFormat.crcs().relocationKind() != null) {
                types.add(machine.relocationType(exportFormat.crcs().relocationKind()));
            }
        }
        return types;
    }

    /** Returns a builder that starts with this module. */
    public ModuleBuilder toBuilder() {
        return ModuleBuilder.from(this);
    }

    public byte[] toBytes() {
        return ModuleWriter.write(this);
    }
}
