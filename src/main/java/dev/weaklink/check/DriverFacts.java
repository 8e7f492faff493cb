package dev.weaklink.check;

import dev.weaklink.explain.DriverReport;
import dev.weaklink.explain.KernelDifference;
import dev.weaklink.explain.KernelSide;
import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.ModuleReader.ModuleTypes;
import dev.weaklink.module.Program;
import dev.weaklink.module.ProgramReader;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.UnreadableException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a module's file has that tells what it does with a kernel's types.
 *
 * @param program its functions and variables
 * @param types its BTF, null if it has none
 * @param debug BTF of its debug information, null if it has none or BTF of its own
 * @param damage what is wrong with its debug information; null if nothing is
 */
record DriverFacts(
        KernelModule module,
        Program program,
        @Nullable ModuleTypes types,
        @Nullable ByteBuffer debug,
        @Nullable String damage) {
    /** Of the first file of these; null if it cannot be read. */
    static @Nullable DriverFacts read(ModuleBatch batch) {
        List<DriverFacts> read = new ArrayList<>(1);
        BitSet first = new BitSet();
        first.set(0);
        batch.again(first, (index, data, length) -> {
            ModuleTypes types = ModuleReader.types(data, length);
            ByteBuffer debug = null;
            String damage = null;
            try {
                debug = types == null ? ProgramReader.debugTypes(data, length) : null;
            } catch (UnreadableException e) {
                boolean damaged = e.kind() != UnreadableException.Kind.OTHER_FORMAT;
                damage = "debug information " + (damaged ? "is damaged: " : "") + e.reason();
            }
            Program program = ProgramReader.read(data, length);
            read.add(new DriverFacts(batch.module(0), program, types, debug, damage));
        });
        return read.isEmpty() ? null : read.get(0);
    }

    /** The names of what it imports. */
    List<String> imports() {
        SymbolNames names = module.imports().names();
        List<String> imports = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            imports.add(names.name(i));
        }
        return imports;
    }

    /** What it does with what changed; null if a kernel has no types. */
    @Nullable
    DriverReport report(TypedKernel from, TypedKernel to, KernelDifference difference) {
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
        String unusable = damage;
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
                program,
                imports,
                difference);
    }

    /** Its types as far as they go on from this kernel's, or were compiled with its headers. */
    private @Nullable TypeGraph types(TypedKernel kernel, TypeGraph kernelTypes) throws UnreadableException {
        if (types != null) {
            boolean own = types.base() != null || isOf(kernel);
            return own ? ModuleCauses.types(types, kernelTypes) : null;
        }
        return debug == null || !isOf(kernel) ? null : TypeGraph.of(Btf.read(debug));
    }

    private boolean isOf(TypedKernel kernel) {
        return kernel.release() != null && kernel.release().equals(module.release());
    }

    /** Which modules export these symbols. */
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
