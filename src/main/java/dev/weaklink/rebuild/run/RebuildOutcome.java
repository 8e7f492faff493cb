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

/**
 * The outcome of a rebuild.
 *
 * @param directory where all about it is kept
 * @param manifest what is written there
 * @param results what it brought about
 */
public record RebuildOutcome(Path directory, Manifest manifest, Results results) {
    /**
     * What a build brought about.
     *
     * @param files what it promised
     * @param packages packages with modules among them, or in them
     * @param modules module files, unpacked
     * @param overrides files for depmod.d(5) that come with them, unpacked
     * @param check what the kernel's loader would say to them; null if there are none
     * @param completeness whether all is there that was there before; null if there are none
     */
    public record Results(
            List<Path> files,
            List<Path> packages,
            List<Path> modules,
            List<Path> overrides,
            @Nullable CheckReport check,
            @Nullable Completeness completeness) {
        /** Nothing. */
        public static final Results NONE = new Results(List.of(), List.of(), List.of(), List.of(), null, null);

        public Results {
            files = List.copyOf(files);
            packages = List.copyOf(packages);
            modules = List.copyOf(modules);
            overrides = List.copyOf(overrides);
        }
    }

    /** Why it failed; null if it did not. */
    public @Nullable Diagnosis failure() {
        return manifest.diagnosis();
    }

    /** Whether modules were built that may be installed. */
    public boolean isUsable() {
        return failure() == null && !results.modules().isEmpty();
    }

    /** Names of modules that carry no signature. */
    public List<String> unsigned() {
        return manifest.modules().stream()
                .filter(module -> !module.signed())
                .map(BuiltModule::name)
                .toList();
    }

    /** What a caller learns from the exit status alone. */
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
