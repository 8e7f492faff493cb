package dev.weaklink.module;

import dev.weaklink.testing.FuzzTarget;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Code;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.ModuleSpec.Table;
import dev.weaklink.testing.ModuleSpec.Versions.Layout;
import dev.weaklink.testing.Pkcs7;
import dev.weaklink.testing.SignatureTrailer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Module files. */
public final class ModuleTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) {
        KernelModule whole = ModuleReader.read(Origin.file("m.ko"), bytes, bytes.length);
        KernelModule first = ModuleReader.readWithoutRelocations(Origin.file("m.ko"), bytes, bytes.length);
        KernelModule both = first.with(ModuleReader.readRelocations(bytes, bytes.length));
        // No caller needs the relocations of a module with defects.
        if (whole.defects().isEmpty() && !both.relocations().equals(whole.relocations())) {
            throw new IllegalStateException("relocations differ when they are read later");
        }
        ModuleDataReader.read(bytes, bytes.length);
        ModuleReader.types(bytes, bytes.length);
        SignedContents place = SignedContents.of(bytes, bytes.length);
        if (place != null && (place.start() < place.length() || place.end() > bytes.length)) {
            throw new IllegalStateException("a signature out of place");
        }
    }

    @Override
    public List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (Machine machine : Machine.values()) {
            seeds.add(ModuleBuilder.typical(machine, "m")
                    .exporting("mine", Export.Table.NORMAL, 5)
                    .build());
        }
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, "m");
        seeds.add(module.signed(SignatureTrailer.pkcs7(Pkcs7.TYPICAL.toBytes())).build());
        ModuleBuilder tables = ModuleBuilder.typical(Machine.X86_64, "m").importing("add", 1);
        tables.table(new Table("inner", 16, Map.of(0, "one", 8, "two")));
        tables.table(new Table("outer", 32, Map.of(8, "inner", 16, "add", 24, "three")));
        tables.function(new Code("call", List.of("outer", "add")));
        seeds.add(tables.build());
        for (Layout layout : Layout.values()) {
            seeds.add(
                    ModuleBuilder.typical(Machine.X86_64, "m").versions(layout).build());
        }
        return seeds;
    }
}
