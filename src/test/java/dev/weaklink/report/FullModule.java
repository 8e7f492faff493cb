package dev.weaklink.report;

import dev.weaklink.format.codec.Packing;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.Exports;
import dev.weaklink.module.Imports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.Origin;
import dev.weaklink.module.Relocations;
import dev.weaklink.module.Relocations.RelocatedField;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import java.util.BitSet;
import java.util.List;

/** A hand-made module with at least one value of every kind. */
public final class FullModule {
    private FullModule() {}

    public static KernelModule create() {
        return new KernelModule(
                new Origin("kmod.rpm", "lib/modules/mlx5_core.ko.xz"),
                new ElfIdentity(ElfIdentity.EM_S390, true, false, 0),
                "mlx5_core",
                896,
                new ModInfo(
                        List.of(
                                "license=Dual BSD/GPL",
                                "author=Jos\u00c3\u00a9 <j@example.org>",
                                "depends=mlxfw,psample",
                                "import_ns=DMA_BUF",
                                "import_ns=IOMMUFD",
                                "version=5.8",
                                "vermagic=6.1.0-53-amd64 SMP mod_unload modversions "),
                        true,
                        true),
                new Imports(names("module_layout_user", "fput", "optional"), bits(2)),
                new VersionTable(VersionTable.Layout.CLASSIC, names("module_layout", "fput", "fput"), new long[] {
                    1, 0xfedcba98L, 2
                }),
                new VersionTable(VersionTable.Layout.EXTENDED, names("fput"), new long[] {0x1_0000_0000L}),
                new Exports(
                        names("mlx5_a", "mlx5_b"),
                        new int[] {0xfedcba98, 0},
                        bits(0),
                        bits(1),
                        new String[] {null, "MLX5"},
                        1,
                        2,
                        1),
                new ModuleSignature(ModuleSignature.SignatureKind.PKCS7, ModuleSignature.SignatureProblem.LENGTH, 714),
                "00ff",
                new KernelModule.ModuleBtf(true, true),
                new Relocations(
                        true,
                        List.of(
                                use(2, RelocatedField.FREE),
                                use(63, RelocatedField.FREE),
                                use(4, RelocatedField.NOT_ZERO))),
                List.of(new ElfDefect(ElfDefect.ElfDefectKind.COMMON_SYMBOL, 0, 0, "buffer")),
                false,
                Packing.NONE);
    }

    private static Relocations.Use use(int type, RelocatedField place) {
        return new Relocations.Use(9, 1, type, place, Relocations.Value.FITS);
    }

    private static SymbolNames names(String... names) {
        SymbolNames.SymbolNamesBuilder builder = new SymbolNames.SymbolNamesBuilder(names.length);
        for (String name : names) {
            builder.add(name);
        }
        return builder.build();
    }

    private static BitSet bits(int... indexes) {
        BitSet bits = new BitSet();
        for (int index : indexes) {
            bits.set(index);
        }
        return bits;
    }
}
