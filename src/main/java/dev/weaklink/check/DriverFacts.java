package dev.weaklink.check;

import dev.weaklink.explain.DriverReport;
import dev.weaklink.explain.KernelDifference;
import dev.weaklink.explain.KernelSide;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleData;
import dev.weaklink.module.ModuleDataReader;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.ModuleReader.ModuleTypes;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.UnreadableException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The facts of a module file that show how the module uses a kernel's types.
 *
 * @param data the module's variables
 * @param types the module's BTF, null if the module has none
 */
record DriverFacts(
        KernelModule module, ModuleData data, @Nullable ModuleTypes types) {
    /** Reads the first module of the batch; returns null if the module's file cannot be read. */
    static @Nullable DriverFacts read(ModuleBatch batch) {
        List<DriverFacts> read = new ArrayList<>(1);
        BitSet first = new BitSet();
        first.set(0);
        batch.again(first, (index, data, length) -> {
            ModuleTypes types = ModuleReader.types(data, length);
            read.add(new DriverFacts(batch.module(0), ModuleDataReader.read(data, length), types));
        });
        return read.isEmpty() ? null : read.get(0);
    }

    List<String> imports() {
        SymbolNames names = module.imports().names();
        List<String> imports = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            imports.add(names.name(i));
        }
        return imports;
    }

    /**
     * Returns how the module uses the changed types and symbols; null if one of the kernels has no types or exports.
     */
    @Nullable
    DriverReport report(KernelWithTypes from, KernelWithTypes to, KernelDifference difference) {
        TypeGraph before = from.types();
        TypeGraph after = to.types();
        ExportTable old = from.exports();
        ExportTable now = to.exports();
        if (before == null || after == null || old == null || now == null) {
            return null;
        }
        List<String> imports = imports();
        Set<String> exporters = Explainer.exporters(from);
        exporters.addAll(Explainer.exporters(to));
        ModuleCauses modules = new ModuleCauses(from, to, before, after, exporters);
        TypeGraph own = null;
        String unusable = null;
        try {
            own = types(from, before);
        } catch (UnreadableException e) {
            unusable = "BTF " + ModuleCauses.unusable(e, types, from) + ": " + e.reason();
        }
        return DriverReport.of(
                module.name(),
                new KernelSide(before, modules.graphs(owners(imports, old), true), old),
                new KernelSide(after, modules.graphs(owners(imports, now), false), now),
                own,
                unusable,
                data,
                imports,
                difference);
    }

    /**
     * Returns the module's types; null if the module has no BTF. Also returns null if the module has no section
     * {@code .BTF.base} and was not built for this kernel's release.
     */
    private @Nullable TypeGraph types(KernelWithTypes kernel, TypeGraph kernelTypes) throws UnreadableException {
        boolean extend = types != null && (types.base() != null || isOf(kernel));
        return types != null && extend ? ModuleCauses.types(types, kernelTypes) : null;
    }

    private boolean isOf(KernelWithTypes kernel) {
        return kernel.release() != null && kernel.release().equals(module.release());
    }

    private static Set<String> owners(List<String> imports, ExportTable exports) {
        Set<String> owners = new TreeSet<>();
        for (String symbol : imports) {
            int row = exports.find(symbol);
            if (row >= 0 && !exports.owner(row).equals(Symvers.VMLINUX)) {
                owners.add(exports.owner(row));
            }
        }
        return owners;
    }
}
