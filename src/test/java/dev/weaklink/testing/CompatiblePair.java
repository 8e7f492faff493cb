package dev.weaklink.testing;

import dev.weaklink.testing.ModuleArbitraries.ImportSeed;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A module and the exports of a kernel that accepts the module. The kernel exports every strong import with the
 * module's CRC and in a namespace that the module imports. The module's license allows GPL-only symbols. Nothing
 * exports the weak imports.
 *
 * @param module the module
 * @param kernel the exports of the kernel; the first row is {@code module_layout}
 */
public record CompatiblePair(ModuleSpec module, List<Row> kernel) {

    static CompatiblePair of(Machine machine, String name, List<ImportSeed> imports, String license, int layoutCrc) {
        ModuleBuilder module = ModuleBuilder.typical(machine, name)
                .withoutModInfo("license")
                .modInfo("license=" + license)
                .changedVersion("module_layout", Integer.toUnsignedLong(layoutCrc));
        List<Row> kernel = new ArrayList<>();
        kernel.add(new Row(layoutCrc, "module_layout", "vmlinux", Kind.EXPORT_SYMBOL, null));
        for (ImportSeed seed : imports) {
            seed.addTo(module, machine);
            if (!seed.weak()) {
                module.version(seed.nameIn(machine), Integer.toUnsignedLong(seed.crc()));
                if (seed.namespace() != null) {
                    module.modInfo("import_ns=" + seed.namespace());
                }
                kernel.add(offerOf(seed));
            }
        }
        return new CompatiblePair(module.spec(), List.copyOf(kernel));
    }

    /** Returns the rows that the module imports: all except {@code module_layout}. */
    public List<Row> used() {
        return kernel.subList(1, kernel.size());
    }

    public SymversBuilder symvers() {
        SymversBuilder symvers = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST);
        kernel.forEach(symvers::row);
        return symvers;
    }

    /** Returns this pair with one bit (0 to 31) of the kernel's CRC of a symbol flipped. */
    public CompatiblePair flippingCrc(String symbol, int bit) {
        return replacing(
                symbol, row -> new Row(row.crc() ^ 1 << bit, row.symbol(), row.module(), row.kind(), row.namespace()));
    }

    public CompatiblePair renaming(String symbol, String newName) {
        return replacing(symbol, row -> new Row(row.crc(), newName, row.module(), row.kind(), row.namespace()));
    }

    public CompatiblePair movingTo(String namespace, String symbol) {
        return replacing(symbol, row -> new Row(row.crc(), row.symbol(), row.module(), row.kind(), namespace));
    }

    public CompatiblePair licensed(String license) {
        ModuleSpec changed = module.toBuilder()
                .withoutModInfo("license")
                .modInfo("license=" + license)
                .spec();
        return new CompatiblePair(changed, kernel);
    }

    private CompatiblePair replacing(String symbol, UnaryOperator<Row> change) {
        List<Row> changed = kernel.stream()
                .map(row -> row.symbol().equals(symbol) ? change.apply(row) : row)
                .toList();
        return new CompatiblePair(module, changed);
    }

    private static Row offerOf(ImportSeed seed) {
        Kind kind = seed.table() == Export.Table.GPL ? Kind.EXPORT_SYMBOL_GPL : Kind.EXPORT_SYMBOL;
        return new Row(seed.crc(), seed.name(), "vmlinux", kind, seed.namespace());
    }
}
