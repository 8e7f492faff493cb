package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.Progress;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.system.cache.PackageFacts;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks of packages: each package is unpacked once, and its facts are cached until the package changes. */
class KeptPackagesTest {
    private static final String RELEASE = "6.1.0-9-test";
    private static final String MODULES = "./lib/modules/" + RELEASE;
    private static final long HOUR = 3_600_000_000_000L;

    @TempDir
    Path directory;

    private Path modules;
    private Path kernel;

    @BeforeEach
    void twoPackages() throws IOException {
        modules = directory.resolve("modules");
        kernel = directory.resolve("kernel");
        writeModules(5);
        byte[] symvers = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5)
                .bytes();
        Files.write(
                kernel,
                new TarWriter()
                        .file(MODULES + "/kernel/own.ko", module("own", 5))
                        .file(MODULES + "/symvers", symvers)
                        .bytes());
    }

    private void writeModules(int printk) throws IOException {
        Files.write(
                modules,
                new TarWriter()
                        .file(MODULES + "/extra/m.ko", module("m", printk))
                        .file(MODULES + "/extra/asks.ko", asking())
                        .bytes());
    }

    private static byte[] module(String name, int printk) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + RELEASE + " SMP mod_unload modversions ")
                .importing("_printk", printk)
                .build();
    }

    /** Returns a module that requests a symbol at run time ({@code symbol_get}). */
    private static byte[] asking() {
        return ModuleBuilder.typical(Machine.X86_64, "asks")
                .importing("__symbol_get", 7)
                .build();
    }

    /** Returns a cache for which all files are old enough to be kept. */
    private FactsCache cache() throws IOException {
        return cache(System.currentTimeMillis() * 1_000_000 + HOUR);
    }

    private FactsCache cache(long now) throws IOException {
        int user = (int) Files.getAttribute(directory, "unix:uid");
        return FactsCache.in(directory.resolve("cache"), user, 1, () -> now);
    }

    private @Nullable PackageFacts kept(Path file) throws IOException {
        FileIdentity identity = Objects.requireNonNull(FileIdentity.of(file));
        return cache().find(file.toRealPath(), identity, "given");
    }

    private CheckReport check(FactsCache cache, Progress progress, Path... kernels) {
        CheckRequest request = new CheckRequest(
                directory,
                List.of(modules.toString()),
                Arrays.stream(kernels).map(Path::toString).toList(),
                null,
                false,
                Map.of(),
                List.of(),
                new ReadOptions(2, cache),
                InputStream.nullInputStream());
        return Checker.check(request, progress);
    }

    private static List<String> lines(CheckReport report) {
        List<String> lines = new ArrayList<>();
        report.problems().forEach(problem -> lines.add(problem.toString()));
        for (Verdict verdict : report.verdicts()) {
            lines.add(verdict.module().origin() + " " + verdict.outcome() + " " + verdict.findings());
        }
        return lines;
    }

    @Test
    void secondRunPrintsTheSameFromTheCache() throws IOException {
        List<String> first = lines(check(cache(), Progress.NONE, kernel));

        assertThat(first).hasSize(2);
        assertThat(Objects.requireNonNull(kept(modules)).modules()).hasSize(2);
        assertThat(Objects.requireNonNull(kept(kernel)).modules()).hasSize(1);
        assertThat(Objects.requireNonNull(kept(kernel)).files()).hasSize(1);
        assertThat(lines(check(cache(), Progress.NONE, kernel))).isEqualTo(first);
    }

    @Test
    void readsAChangedPackageAgainDespiteAnEqualModificationTime() throws IOException {
        FileTime time = Files.getLastModifiedTime(modules);
        assertThat(outcome()).isEqualTo(Outcome.COMPATIBLE);

        writeModules(6);
        Files.setLastModifiedTime(modules, time);

        assertThat(kept(modules)).isNull();
        assertThat(outcome()).isEqualTo(Outcome.INCOMPATIBLE);
    }

    private Outcome outcome() throws IOException {
        return check(cache(), Progress.NONE, kernel).verdicts().get(1).outcome();
    }

    @Test
    void reportsATruncatedPackageEachTimeAndDoesNotCacheIt() throws IOException {
        byte[] whole = Files.readAllBytes(modules);
        Files.write(modules, Arrays.copyOf(whole, whole.length / 2));

        List<String> first = lines(check(cache(), Progress.NONE, kernel));

        assertThat(first).anyMatch(line -> line.startsWith("InputProblem"));
        assertThat(kept(modules)).isNull();
        assertThat(lines(check(cache(), Progress.NONE, kernel))).isEqualTo(first);
    }

    @Test
    void doesNotCacheEmptyOrJustWrittenPackages() throws IOException {
        Path other = directory.resolve("other");
        Files.write(other, new TarWriter().file("./etc/motd", new byte[] {1}).bytes());
        check(cache(), Progress.NONE, kernel, other);
        assertThat(kept(other)).isNull();

        writeModules(5);
        check(cache(System.currentTimeMillis() * 1_000_000), Progress.NONE, kernel);
        assertThat(kept(modules)).isNull();
    }

    @Test
    void readsModulesAndKernelFromOnePackage() throws IOException {
        modules = kernel;

        assertThat(check(cache(), Progress.NONE, kernel).verdicts())
                .singleElement()
                .satisfies(verdict -> assertThat(verdict.outcome()).isEqualTo(Outcome.COMPATIBLE));
    }

    @Test
    void progressCountsTheBytesReadFromPackages() throws IOException {
        Files.write(kernel, new byte[1 << 20], java.nio.file.StandardOpenOption.APPEND);
        List<String> met = new ArrayList<>();
        Progress recorded = new Progress() {
            @Override
            public synchronized void start(int total, String things) {
                met.add(total > 0 ? things : "nothing");
            }

            @Override
            public synchronized void step(int count) {
                met.add("step");
            }

            @Override
            public synchronized void done() {
                met.add("done");
            }
        };

        check(FactsCache.NONE, recorded, kernel);

        assertThat(met).containsSubsequence("KiB of packages", "step", "done", "modules", "done");
    }
}
