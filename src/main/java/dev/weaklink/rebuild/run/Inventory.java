package dev.weaklink.rebuild.run;

import dev.weaklink.check.ModuleBatch;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.sys.Root;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.ModuleBuilds;
import dev.weaklink.system.ModuleBuilds.ModuleBuild;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.ModuleSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads the facts that a rebuild compares, of installed out-of-tree modules or of given module files. */
final class Inventory {
    private Inventory() {}

    static List<BuiltModule> installed(Root root, int threads) throws IOException {
        List<ModuleBuild> builds = new ArrayList<>();
        for (String release : InstalledKernels.list(root)) {
            builds.addAll(ModuleBuilds.of(root, release, new ArrayList<>()));
        }
        List<ModuleSource> sources = new ArrayList<>();
        List<String> units = new ArrayList<>();
        for (ModuleBuild build : builds) {
            sources.add(new ModuleSource(build.host(), build.inside()));
            String directory = build.isLinkable() ? build.directory() : "";
            int slash = directory.indexOf('/');
            units.add(slash < 0 ? directory : directory.substring(0, slash));
        }
        return read(sources, units, threads);
    }

    static List<BuiltModule> of(List<Path> files, int threads) {
        List<ModuleSource> sources = new ArrayList<>();
        List<String> units = new ArrayList<>();
        for (Path file : files) {
            sources.add(new ModuleSource(file, file.toString()));
            units.add("");
        }
        return read(sources, units, threads);
    }

    private static List<BuiltModule> read(List<ModuleSource> sources, List<String> units, int threads) {
        ModuleBatch batch = ModuleBatch.read(sources, ReadOptions.uncached(threads));
        List<BuiltModule> modules = new ArrayList<>();
        for (int i = 0; i < sources.size(); i++) {
            KernelModule module = batch.module(i);
            String file = sources.get(i).display();
            modules.add(new BuiltModule(
                    ModuleNames.ofFile(file.substring(file.lastIndexOf('/') + 1)),
                    units.get(i),
                    file,
                    text(module, "vermagic"),
                    text(module, "srcversion"),
                    Objects.requireNonNullElse(module.buildId(), ""),
                    depends(module),
                    module.signature().kind() != ModuleSignature.SignatureKind.UNSIGNED));
        }
        return modules;
    }

    private static String text(KernelModule module, String key) {
        @Nullable String value = module.modInfo().first(key);
        return value == null ? "" : value;
    }

    private static List<String> depends(KernelModule module) {
        String depends = text(module, "depends");
        return depends.isEmpty() ? List.of() : List.of(depends.replace('-', '_').split(","));
    }
}
