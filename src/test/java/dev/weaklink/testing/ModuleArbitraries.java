package dev.weaklink.testing;

import dev.weaklink.testing.ExportFormat.Crcs;
import dev.weaklink.testing.ExportFormat.Fields;
import dev.weaklink.testing.ExportFormat.NoNamespace;
import dev.weaklink.testing.ExportFormat.References;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.ModuleSpec.Versions;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;
import org.jspecify.annotations.Nullable;

/** Generates random descriptions of kernel modules that a kernel's build could have produced. */
public final class ModuleArbitraries {
    private static final int LONGEST_NAME = 55;
    private static final int MOST_SYMBOLS = 12;
    private static final Set<String> TAKEN = Set.of("init_module", "cleanup_module", "module_layout");

    private ModuleArbitraries() {}

    public static Arbitrary<Machine> machines() {
        return Arbitraries.of(Machine.class);
    }

    /** Returns C identifiers of 1 to 55 characters; every version table can store 55 characters. */
    public static Arbitrary<String> symbolNames() {
        Arbitrary<Character> starts =
                Arbitraries.chars().range('a', 'z').range('A', 'Z').with('_');
        Arbitrary<String> rests = Arbitraries.strings()
                .withCharRange('a', 'z')
                .withCharRange('A', 'Z')
                .withCharRange('0', '9')
                .withChars('_')
                .ofMaxLength(LONGEST_NAME - 1);
        return Combinators.combine(starts, rests)
                .as((start, rest) -> start + rest)
                .filter(name -> !TAKEN.contains(name));
    }

    public static Arbitrary<String> namespaces() {
        return Arbitraries.strings()
                .withCharRange('A', 'Z')
                .withChars('_')
                .ofMinLength(1)
                .ofMaxLength(9);
    }

    /** Returns CRCs; 0 and CRCs with the highest bit set are frequent. */
    public static Arbitrary<Integer> crcs() {
        return Arbitraries.frequencyOf(
                Tuple.of(6, Arbitraries.integers()),
                Tuple.of(1, Arbitraries.of(0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE)));
    }

    /** Returns the license strings that include/linux/license.h treats as compatible with the GPL. */
    public static Arbitrary<String> gplCompatibleLicenses() {
        return Arbitraries.of(
                "GPL", "GPL v2", "GPL and additional rights", "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL");
    }

    /** Returns license strings that include/linux/license.h treats as proprietary. */
    public static Arbitrary<String> otherLicenses() {
        return Arbitraries.of("Proprietary", "BSD", "MIT", "gpl", "GPL ", " GPL", "GPL v3", "GPLv2", "");
    }

    /** Returns layouts of export tables that kernels use on the machine. */
    public static Arbitrary<ExportFormat> exportFormats(Machine machine) {
        Arbitrary<Fields> fields = Arbitraries.of(Fields.class)
                .filter(f -> machine.hasRelativeExports() || f.relocationKind() != Relocation.Kind.RELATIVE_32);
        return Combinators.combine(
                        fields,
                        Arbitraries.of(Crcs.class),
                        Arbitraries.of(References.class),
                        Arbitraries.of(NoNamespace.class),
                        Arbitraries.of(true, false))
                .as(ExportFormat::new);
    }

    /** Returns trailers: none, or well-formed trailers of every kind. */
    public static Arbitrary<SignatureTrailer> trailers() {
        Arbitrary<byte[]> blobs = Arbitraries.bytes().array(byte[].class).ofMaxSize(40);
        return Arbitraries.oneOf(
                Arbitraries.just(SignatureTrailer.NONE),
                Combinators.combine(Arbitraries.integers().between(0, 2), blobs).as(SignatureTrailer::of),
                Combinators.combine(blobs, blobs, blobs).as(SignatureTrailer::x509));
    }

    /** Returns modules of any machine with imports, exports, versions and module information. */
    public static Arbitrary<ModuleSpec> modules() {
        return machines().flatMap(ModuleArbitraries::modules).withoutEdgeCases();
    }

    public static Arbitrary<ModuleSpec> modules(Machine machine) {
        return Combinators.combine(
                        symbolNames(),
                        importSeeds(),
                        exportSeeds(),
                        exportFormats(machine),
                        Arbitraries.of(VersionTables.class),
                        Arbitraries.oneOf(gplCompatibleLicenses(), otherLicenses()),
                        Arbitraries.integers().between(0, 0x600),
                        trailers())
                .as((name, imports, exports, format, tables, license, size, trailer) -> {
                    ModuleBuilder builder = ModuleBuilder.minimal(machine, name)
                            .structSize(size)
                            .modInfo("license=" + license)
                            .modInfo("name=" + name)
                            .exportFormat(format)
                            .signed(trailer);
                    tables.describe(builder, imports);
                    addSymbols(builder, imports, exports);
                    return builder.spec();
                });
    }

    private static void addSymbols(ModuleBuilder builder, List<ImportSeed> imports, List<ExportSeed> exports) {
        ModuleSpec before = builder.spec();
        Set<String> imported = imports.stream().map(ImportSeed::name).collect(Collectors.toSet());
        imports.forEach(seed -> seed.addTo(builder, before.machine()));
        exports.stream()
                .filter(seed -> !imported.contains(seed.name()))
                .forEach(seed -> builder.exporting(seed.fitting(before.exportFormat())));
    }

    /**
     * Returns modules with a kernel that exports all of their imports. The loader accepts each module, and refuses it
     * after one change.
     */
    public static Arbitrary<CompatiblePair> compatiblePairs() {
        return Combinators.combine(machines(), symbolNames(), importSeeds(), gplCompatibleLicenses(), crcs())
                .as(CompatiblePair::of)
                .withoutEdgeCases();
    }

    private static Arbitrary<List<ImportSeed>> importSeeds() {
        Arbitrary<Boolean> seldom = Arbitraries.frequency(Tuple.of(4, false), Tuple.of(1, true));
        return Combinators.combine(
                        symbolNames(),
                        crcs(),
                        seldom,
                        seldom,
                        Arbitraries.of(Export.Table.NORMAL, Export.Table.GPL),
                        namespaces().injectNull(0.6))
                .as(ImportSeed::new)
                .list()
                .ofMaxSize(MOST_SYMBOLS)
                .uniqueElements(ImportSeed::name);
    }

    private static Arbitrary<List<ExportSeed>> exportSeeds() {
        return Combinators.combine(
                        symbolNames(),
                        Arbitraries.of(Export.Table.class),
                        crcs().injectNull(0.1),
                        namespaces().injectNull(0.6))
                .as(ExportSeed::new)
                .list()
                .ofMaxSize(MOST_SYMBOLS)
                .uniqueElements(ExportSeed::name);
    }

    /**
     * A planned import.
     *
     * @param dotted true if the name has a leading dot on machines whose loader drops it
     * @param table the table in which the kernel exports the symbol
     * @param namespace the namespace in which the kernel exports the symbol, null for none
     */
    record ImportSeed(
            String name,
            int crc,
            boolean weak,
            boolean dotted,
            Export.Table table,
            @Nullable String namespace) {

        /** Returns the name in a module of the machine. */
        String nameIn(Machine machine) {
            boolean dot = dotted && machine.dropsLeadingDot() && name.length() < LONGEST_NAME;
            return dot ? "." + name : name;
        }

        void addTo(ModuleBuilder builder, Machine machine) {
            builder.importing(nameIn(machine), weak);
        }
    }

    private record ExportSeed(
            String name,
            Export.Table table,
            @Nullable Integer crc,
            @Nullable String namespace) {

        Export fitting(ExportFormat format) {
            return new Export(name, table, crc, format.fields().count() == 3 ? namespace : null);
        }
    }

    /** The version tables of a module. */
    private enum VersionTables {
        NONE,
        CLASSIC,
        PACKED,
        EXTENDED,
        CLASSIC_AND_EXTENDED;

        void describe(ModuleBuilder builder, List<ImportSeed> imports) {
            Machine machine = builder.spec().machine();
            if (this == PACKED) {
                builder.versions(Versions.Layout.PACKED);
            }
            if (this != NONE && this != EXTENDED) {
                builder.version("module_layout", 1);
                for (ImportSeed seed : imports) {
                    builder.version(seed.nameIn(machine), Integer.toUnsignedLong(seed.crc()));
                }
            }
            if (this == EXTENDED || this == CLASSIC_AND_EXTENDED) {
                builder.extendedVersions(
                        imports.stream().map(ImportSeed::crc).toList(),
                        imports.stream().map(seed -> seed.nameIn(machine)).toList());
            }
        }
    }
}
