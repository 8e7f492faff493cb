package dev.weaklink.rebuild.run;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Completeness;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.Manifest.PackageResult;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

public record RebuildOutcome(Path directory, Manifest manifest, Results results) {
    /**
     * The results of a build.
     *
     * @param files the output files
     * @param packages the packages with modules, among the files or inside them
     * @param modules the module files, among the output files or unpacked from them
     * @param overrides the unpacked files for depmod.d(5)
     * @param check the loader's verdicts on the modules; null without modules
     * @param completeness the comparison with the modules that were installed before; null without modules
     */
    public record Results(
            List<Path> files,
            List<Path> packages,
            List<Path> modules,
            List<Path> overrides,
            @Nullable CheckReport check,
            @Nullable Completeness completeness) {
        public static final Results NONE = new Results(List.of(), List.of(), List.of(), List.of(), null, null);

        public Results {
            files = List.copyOf(files);
            packages = List.copyOf(packages);
            modules = List.copyOf(modules);
            overrides = List.copyOf(overrides);
        }
    }

    public @Nullable Diagnosis failure() {
        return manifest.diagnosis();
    }

    public boolean isUsable() {
        return failure() == null && !results.modules().isEmpty();
    }

    public List<String> unsigned() {
        return manifest.modules().stream()
                .filter(module -> !module.signed())
                .map(BuiltModule::name)
                .toList();
    }

    public ExitCode exitCode() {
        if (!isUsable()) {
            return ExitCode.ROLLED_BACK;
        }
        for (PackageResult one : manifest.packages()) {
            if (one.isMissing()) {
                return ExitCode.INCOMPATIBLE;
            }
        }
        CheckReport check = results.check();
        return check == null ? ExitCode.UNDETERMINED : check.exitCode();
    }
}
