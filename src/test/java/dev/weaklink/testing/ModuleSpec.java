package dev.weaklink.testing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a written module contains: the truth that reading it back must reproduce.
 *
 * @param machine machine, class and byte order
 * @param thisModule section {@code .gnu.linkonce.this_module}
 * @param modInfo section {@code .modinfo}
 * @param imports undefined symbols in symtab order; the weak {@code __crc_} symbols of unresolved export CRCs, which
 *     follow them, are not listed here (see {@link #importsAsLoaded()})
 * @param extraSymbols further symbols that are neither imports nor exports
 * @param versions section {@code __versions}, null for none
 * @param extendedVersions sections {@code __version_ext_crcs} and {@code __version_ext_names}
 * @param exports export tables
 * @param exportFormat how the export tables are laid out
 * @param trailer what is appended behind the ELF data
 * @param textRelocations relocations against {@code .text}
 * @param tables variables that hold addresses
 * @param functions functions whose code refers to symbols
 * @param oddities everything else
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

    /** How a section appears, if it does. */
    public enum Presence {
        /** Once, with SHF_ALLOC. */
        ALLOCATED,
        /** Once, without SHF_ALLOC. */
        NOT_ALLOCATED,
        /** Once, with SHF_ALLOC and type SHT_NOBITS. */
        NOBITS,
        /** Two of the same contents, both with SHF_ALLOC. */
        TWICE,
        ABSENT
    }

    /**
     * struct module.
     *
     * @param name module name in it
     * @param size bytes of the section
     * @param presence how the section appears
     */
    public record ThisModule(String name, int size, Presence presence) {}

    /**
     * Module information.
     *
     * @param entries strings, {@code key=value} where well-formed, in order
     * @param presence how the section appears
     */
    public record ModInfo(List<String> entries, Presence presence) {}

    /** An undefined symbol, its name as it stands in the file. */
    public record Import(String name, boolean weak) {}

    /** A symbol that is neither import nor export. */
    public record ExtraSymbol(String name, Kind kind) {
        /** Where it is defined. */
        public enum Kind {
            /** In {@code .text}, global. */
            DEFINED,
            /** In {@code .text}, local. */
            LOCAL,
            /** SHN_COMMON. */
            COMMON,
            /** SHN_ABS. */
            ABSOLUTE
        }
    }

    /** A symbol's version: the whole CRC slot, of which 4 or 8 bytes are written. */
    public record Version(String symbol, long crc) {}

    /**
     * The table of versions.
     *
     * @param layout how it is stored
     * @param entries in table order
     * @param presence how the section appears
     * @param missingBytes how many bytes the section lacks at its end
     */
    public record Versions(Layout layout, List<Version> entries, Presence presence, int missingBytes) {
        /** How the table is stored. */
        public enum Layout {
            /** struct modversion_info: unsigned long crc, name; 64 bytes. */
            CLASSIC,
            /** Ubuntu's: u32 next, u32 crc, name padded to a multiple of 4; ends with 8 zero bytes. */
            PACKED
        }
    }

    /**
     * Extended versions of 6.14 and later; well-formed if both lists are there and equally long.
     *
     * @param crcs contents of {@code __version_ext_crcs}, null for no such section
     * @param names contents of {@code __version_ext_names}, null for no such section
     */
    public record ExtendedVersions(
            @Nullable List<Integer> crcs, @Nullable List<String> names) {}

    /**
     * An exported symbol.
     *
     * @param name its name
     * @param table which table it is in
     * @param crc its CRC; null leaves it unresolved, which reads as 0
     * @param namespace its namespace, null for none
     */
    public record Export(
            String name,
            Table table,
            @Nullable Integer crc,
            @Nullable String namespace) {
        /** The tables in the order the loader searches them. */
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

            /** What follows {@code __ksymtab} and {@code __kcrctab}. */
            public String suffix() {
                return suffix;
            }
        }
    }

    /** A relocation in a slot of 8 bytes of its own in {@code .text}, which hold {@code target}. */
    public record TextRelocation(int type, long target) {}

    /**
     * A variable.
     *
     * @param section the writable section that contains the variable
     * @param slots names of functions, of imports or of tables that were written before, by the place of their
     *     addresses in it
     */
    public record Table(String section, String name, int size, Map<Integer, String> slots) {
        public Table(String name, int size, Map<Integer, String> slots) {
            this(".data", name, size, slots);
        }
    }

    /**
     * A function.
     *
     * @param references the names of the imports, functions and variables whose addresses its code contains
     */
    public record Code(String name, List<String> references) {}

    /**
     * The undefined symbols as the loader sees them, in symtab order: on ppc64 without {@code .TOC.}, which it defines
     * itself, and without one leading dot; with the {@code __crc_} symbols that nothing defines.
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
     * The entries of {@code __versions} as the loader sees them: CRC slots as wide as the layout has them, names
     * without one leading dot on ppc64. Of no use if bytes are missing.
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
     * The extended versions as the loader sees them: as many as there are CRCs. Of no use if half of them is missing.
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

    /** The exports in the order of their tables, inside a table by the bytes of their names. */
    public List<Export> exportsInTableOrder() {
        return exports.stream()
                .sorted(
                        exportFormat.flagged()
                                ? Comparator.comparing(Export::name)
                                : Comparator.comparing(Export::table).thenComparing(Export::name))
                .toList();
    }

    /** The relocation types used against sections that are loaded. */
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

    /** A builder that starts with this module, to derive a variation. */
    public ModuleBuilder toBuilder() {
        return ModuleBuilder.from(this);
    }

    /** The file. */
    public byte[] toBytes() {
        return ModuleWriter.write(this);
    }
}
