package dev.weaklink.module;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Formats all facts of a module as text, so that two results can be compared. */
public final class Facts {
    private Facts() {}

    public static List<String> of(KernelModule module) {
        Exports exports = module.exports();
        List<String> facts = new ArrayList<>();
        facts.add("elf " + module.elf());
        facts.add("struct " + module.structName() + " " + module.structSize());
        facts.add("modinfo " + module.modInfo());
        facts.add("imports " + names(module.imports().names()) + " "
                + module.imports().weak());
        facts.add("versions " + table(module.versions()));
        facts.add("extended " + table(module.extendedVersions()));
        facts.add("exports " + names(exports.names()) + " gpl " + exports.gplOnly());
        facts.add("crcs " + Arrays.toString(exports.crcs()) + " " + exports.hasCrc());
        facts.add("namespaces " + Arrays.toString(exports.namespaces()));
        facts.add("signature " + module.signature() + " build-id " + module.buildId());
        facts.add("btf " + module.btf() + " relocations " + module.relocations());
        facts.add("defects " + module.defects());
        return facts;
    }

    private static List<String> names(SymbolNames names) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            texts.add(names.name(i));
        }
        return texts;
    }

    private static String table(@Nullable VersionTable table) {
        return table == null
                ? "none"
                : table.layout() + " " + names(table.names()) + " " + Arrays.toString(table.crcs());
    }
}
