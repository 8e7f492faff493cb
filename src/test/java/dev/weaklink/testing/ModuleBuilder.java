package dev.weaklink.testing;

import dev.weaklink.testing.ModuleSpec.Code;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.ModuleSpec.ExtendedVersions;
import dev.weaklink.testing.ModuleSpec.ExtraSymbol;
import dev.weaklink.testing.ModuleSpec.Import;
import dev.weaklink.testing.ModuleSpec.ModInfo;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.ModuleSpec.Table;
import dev.weaklink.testing.ModuleSpec.TextRelocation;
import dev.weaklink.testing.ModuleSpec.ThisModule;
import dev.weaklink.testing.ModuleSpec.Version;
import dev.weaklink.testing.ModuleSpec.Versions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A builder of descriptions of kernel modules. A minimal module has only a struct module; a kernel with modversions
 * would load a {@link #typical} module.
 */
public final class ModuleBuilder {
    /** The sizeof(struct module) of the typical module. */
    public static final int TYPICAL_SIZE = 0x380;

    private final Machine machine;
    private ThisModule thisModule;
    private final List<String> modInfo = new ArrayList<>();
    private Presence modInfoPresence = Presence.ALLOCATED;
    private final List<Import> imports = new ArrayList<>();
    private final List<ExtraSymbol> extraSymbols = new ArrayList<>();
    private final List<Version> versions = new ArrayList<>();
    private Versions.Layout versionsLayout = Versions.Layout.CLASSIC;
    private Presence versionsPresence = Presence.ABSENT;
    private int versionsMissingBytes;
    private @Nullable ExtendedVersions extendedVersions;
    private final List<Export> exports = new ArrayList<>();
    private ExportFormat exportFormat;
    private SignatureTrailer trailer = SignatureTrailer.NONE;
    private final List<TextRelocation> textRelocations = new ArrayList<>();
    private final List<Table> tables = new ArrayList<>();
    private final List<Code> functions = new ArrayList<>();
    private Oddities oddities = Oddities.NONE;

    private ModuleBuilder(Machine machine, ThisModule thisModule) {
        this.machine = machine;
        this.thisModule = thisModule;
        exportFormat = ExportFormat.current(machine);
    }

    /** Returns a builder of a module that has this name and nothing else. */
    public static ModuleBuilder minimal(Machine machine, String name) {
        return new ModuleBuilder(machine, new ThisModule(name, TYPICAL_SIZE, Presence.ALLOCATED));
    }

    /** Returns a builder of a GPL module with a vermagic and the version of {@code module_layout}. */
    public static ModuleBuilder typical(Machine machine, String name) {
        return minimal(machine, name)
                .modInfo("license=GPL")
                .modInfo("depends=")
                .modInfo("name=" + name)
                .modInfo("vermagic=6.1.0-1-test SMP mod_unload modversions ")
                .version("module_layout", 0x11223344L);
    }

    static ModuleBuilder from(ModuleSpec spec) {
        ModuleBuilder builder = new ModuleBuilder(spec.machine(), spec.thisModule());
        builder.modInfo.addAll(spec.modInfo().entries());
        builder.modInfoPresence = spec.modInfo().presence();
        builder.imports.addAll(spec.imports());
        builder.extraSymbols.addAll(spec.extraSymbols());
        if (spec.versions() != null) {
            builder.versions.addAll(spec.versions().entries());
            builder.versionsLayout = spec.versions().layout();
            builder.versionsPresence = spec.versions().presence();
            builder.versionsMissingBytes = spec.versions().missingBytes();
        }
        builder.extendedVersions = spec.extendedVersions();
        builder.exports.addAll(spec.exports());
        builder.exportFormat = spec.exportFormat();
        builder.trailer = spec.trailer();
        builder.textRelocations.addAll(spec.textRelocations());
        builder.tables.addAll(spec.tables());
        builder.functions.addAll(spec.functions());
        builder.oddities = spec.oddities();
        return builder;
    }

    /** Sets the name in struct module. */
    public ModuleBuilder structName(String name) {
        thisModule = new ThisModule(name, thisModule.size(), thisModule.presence());
        return this;
    }

    /** Sets the size of struct module in bytes. */
    public ModuleBuilder structSize(int size) {
        thisModule = new ThisModule(thisModule.name(), size, thisModule.presence());
        return this;
    }

    /** Sets the presence of {@code .gnu.linkonce.this_module}. */
    public ModuleBuilder thisModule(Presence presence) {
        thisModule = new ThisModule(thisModule.name(), thisModule.size(), presence);
        return this;
    }

    public ModuleBuilder modInfo(String entry) {
        modInfo.add(entry);
        return this;
    }

    /** Removes every {@code .modinfo} string with this key. */
    public ModuleBuilder withoutModInfo(String key) {
        modInfo.removeIf(entry -> entry.startsWith(key + "="));
        return this;
    }

    /** Sets the presence of {@code .modinfo}. */
    public ModuleBuilder modInfo(Presence presence) {
        modInfoPresence = presence;
        return this;
    }

    /** Adds an undefined symbol, without a version. */
    public ModuleBuilder importing(String name, boolean weak) {
        imports.add(new Import(name, weak));
        return this;
    }

    /** Adds an undefined symbol and its version. */
    public ModuleBuilder importing(String name, int crc) {
        return importing(name, false).version(name, Integer.toUnsignedLong(crc));
    }

    /** Adds a symbol that is neither an import nor an export. */
    public ModuleBuilder symbol(String name, ExtraSymbol.Kind kind) {
        extraSymbols.add(new ExtraSymbol(name, kind));
        return this;
    }

    /** Adds an entry to {@code __versions}; the section appears with the first one. */
    public ModuleBuilder version(String symbol, long crc) {
        versions.add(new Version(symbol, crc));
        return versionsPresence == Presence.ABSENT ? versions(Presence.ALLOCATED) : this;
    }

    /** Replaces the CRC of every entry of this name in {@code __versions}. */
    public ModuleBuilder changedVersion(String symbol, long crc) {
        versions.replaceAll(version -> version.symbol().equals(symbol) ? new Version(symbol, crc) : version);
        return this;
    }

    /** Removes every entry of this name from {@code __versions}. */
    public ModuleBuilder withoutVersion(String symbol) {
        versions.removeIf(version -> version.symbol().equals(symbol));
        return this;
    }

    /** Sets the layout of {@code __versions}. */
    public ModuleBuilder versions(Versions.Layout layout) {
        versionsLayout = layout;
        return this;
    }

    /** Sets the presence of {@code __versions}. */
    public ModuleBuilder versions(Presence presence) {
        versionsPresence = presence;
        return this;
    }

    /** Removes bytes from the end of {@code __versions}. */
    public ModuleBuilder versionsLack(int bytes) {
        versionsMissingBytes = bytes;
        return this;
    }

    /** Adds extended versions, or half of them; see {@link ExtendedVersions}. */
    public ModuleBuilder extendedVersions(@Nullable List<Integer> crcs, @Nullable List<String> names) {
        extendedVersions = new ExtendedVersions(crcs, names);
        return this;
    }

    /** Adds an export without a namespace. */
    public ModuleBuilder exporting(String name, Export.Table table, int crc) {
        return exporting(new Export(name, table, crc, null));
    }

    public ModuleBuilder exporting(Export export) {
        exports.add(export);
        return this;
    }

    public ModuleBuilder exportFormat(ExportFormat format) {
        exportFormat = format;
        return this;
    }

    /** Sets the trailer that follows the ELF data. */
    public ModuleBuilder signed(SignatureTrailer newTrailer) {
        trailer = newTrailer;
        return this;
    }

    /** Adds a relocation against {@code .text} to the first import. */
    public ModuleBuilder textRelocation(int type, long target) {
        textRelocations.add(new TextRelocation(type, target));
        return this;
    }

    /** Adds a variable that contains addresses. */
    public ModuleBuilder table(Table table) {
        tables.add(table);
        return this;
    }

    public ModuleBuilder function(Code function) {
        functions.add(function);
        return this;
    }

    public ModuleBuilder oddities(Oddities newOddities) {
        oddities = newOddities;
        return this;
    }

    public ModuleSpec spec() {
        Versions table = versionsPresence == Presence.ABSENT
                ? null
                : new Versions(versionsLayout, List.copyOf(versions), versionsPresence, versionsMissingBytes);
        return new ModuleSpec(
                machine,
                thisModule,
                new ModInfo(List.copyOf(modInfo), modInfoPresence),
                List.copyOf(imports),
                List.copyOf(extraSymbols),
                table,
                extendedVersions,
                List.copyOf(exports),
                exportFormat,
                trailer,
                List.copyOf(textRelocations),
                List.copyOf(tables),
                List.copyOf(functions),
                oddities);
    }

    public byte[] build() {
        return spec().toBytes();
    }
}
