package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.Exports;
import dev.weaklink.module.Imports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import dev.weaklink.testing.CompatiblePair;
import dev.weaklink.testing.ModuleArbitraries;
import dev.weaklink.testing.Records;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/** A module whose names are from a shared pool gets the same verdict as a module with its own names. */
class PooledNamesProperties {
    @Provide
    Arbitrary<CompatiblePair> pairs() {
        return ModuleArbitraries.compatiblePairs();
    }

    @Property
    void theVerdictsAreTheSame(
            @ForAll("pairs") CompatiblePair pair,
            @ForAll("pairs") CompatiblePair other,
            @ForAll @IntRange(max = 31) int bit,
            @ForAll @IntRange(max = 3) int broken) {
        CompatiblePair changed = pair;
        for (int i = 0; i < broken && i < pair.used().size(); i++) {
            changed = changed.flippingCrc(pair.used().get(i).symbol(), bit);
        }
        TargetKernel kernel = Kernels.bare("6.1", changed.module().machine())
                .rows(changed.kernel())
                .build();
        List<KernelModule> own = List.of(Judged.read(pair.module()), Judged.read(other.module()));
        Pool pool = new Pool();
        own.forEach(pool::add);
        List<KernelModule> pooled = own.stream().map(pool::pooled).toList();

        List<Verdict> expected = judge(kernel, own);
        List<Verdict> actual = judge(kernel, pooled);

        for (int i = 0; i < own.size(); i++) {
            assertThat(actual.get(i).findings()).isEqualTo(expected.get(i).findings());
            assertThat(actual.get(i).outcome()).isEqualTo(expected.get(i).outcome());
            assertThat(actual.get(i).errno()).isEqualTo(expected.get(i).errno());
            assertThat(actual.get(i).unchecked()).isEqualTo(expected.get(i).unchecked());
        }
    }

    private static List<Verdict> judge(TargetKernel kernel, List<KernelModule> modules) {
        ExportRowCache rows = new ExportRowCache(kernel.exports());
        rows.prepare(modules, 1);
        return LoadSet.sideBySide(kernel, modules, List.of(), Set.of(), rows, 1);
    }

    private static final class Pool {
        private final Map<String, Integer> indexes = new LinkedHashMap<>();
        private @Nullable SymbolNames names;

        void add(KernelModule module) {
            add(module.imports().names());
            add(module.exports().names());
            VersionTable versions = module.versions();
            if (versions != null) {
                add(versions.names());
            }
        }

        private void add(SymbolNames list) {
            for (int i = 0; i < list.size(); i++) {
                indexes.putIfAbsent(list.name(i), indexes.size());
            }
        }

        private SymbolNames pick(SymbolNames list) {
            if (names == null) {
                SymbolNames.SymbolNamesBuilder builder = new SymbolNames.SymbolNamesBuilder(indexes.size());
                indexes.keySet().forEach(builder::add);
                names = builder.build();
            }
            int[] picks = new int[list.size()];
            for (int i = 0; i < picks.length; i++) {
                picks[i] = indexes.get(list.name(i));
            }
            return names.pick(picks);
        }

        KernelModule pooled(KernelModule m) {
            VersionTable v = m.versions();
            Exports e = m.exports();
            return Records.with(
                    m,
                    "imports",
                    new Imports(pick(m.imports().names()), m.imports().weak()),
                    "versions",
                    v == null ? null : new VersionTable(v.layout(), pick(v.names()), v.crcs()),
                    "exports",
                    new Exports(
                            pick(e.names()),
                            e.crcs(),
                            e.hasCrc(),
                            e.gplOnly(),
                            e.namespaces(),
                            e.plain(),
                            e.current(),
                            e.flagged()));
        }
    }
}
