package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Progress;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import dev.weaklink.testing.SignedKernels;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A kernel with missing files: verdicts become less certain, but never different. */
class TargetSourcesTest {
    private static final String RELEASE = "6.1.0-7-test";
    private static final int MODULE_LAYOUT = 0x11223344;

    /** The files of an installed kernel that have facts about it. */
    private enum Source {
        HEADERS,
        IMAGE,
        CONFIG,
        MODULES,
        BUILTIN
    }

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(names = {"X86_64", "AARCH64"})
    void givesTheSameAnswersWithoutSomeOfTheFiles(Machine machine) throws IOException {
        Map<String, Verdict> all = check(machine, EnumSet.allOf(Source.class));

        assertThat(all.get("good").outcome()).isEqualTo(Outcome.COMPATIBLE);
        assertThat(all.get("flags").findings()).extracting(Finding::kind).hasToString("[VERMAGIC_MISMATCH]");
        assertThat(all.get("changed").findings()).extracting(Finding::kind).hasToString("[SIGNATURE_WRONG]");
        for (int bits = 1; bits < 1 << Source.values().length; bits++) {
            Set<Source> sources = EnumSet.noneOf(Source.class);
            for (Source source : Source.values()) {
                if ((bits >> source.ordinal() & 1) != 0) {
                    sources.add(source);
                }
            }
            if (sources.contains(Source.HEADERS)
                    || sources.contains(Source.IMAGE)
                    || sources.contains(Source.MODULES)) {
                check(machine, sources)
                        .forEach((name, verdict) -> assertThat(isAsGood(verdict, all.get(name), sources))
                                .as("%s with %s: %s, not %s", name, sources, verdict, all.get(name))
                                .isTrue());
            }
        }
    }

    /**
     * Returns whether a verdict is as good as the verdict with all files. A check may be left out only if no present
     * file records the fact.
     */
    private static boolean isAsGood(Verdict verdict, Verdict best, Set<Source> sources) {
        if (verdict.outcome() == best.outcome() || verdict.outcome() == Outcome.UNDETERMINED) {
            return true;
        }
        String layer = best.findings().get(0).layer().id();
        boolean isRecorded = switch (layer) {
            case "vermagic" -> sources.contains(Source.IMAGE) || sources.contains(Source.MODULES);
            case "signature" -> sources.contains(Source.IMAGE);
            default -> true;
        };
        return verdict.outcome() == Outcome.COMPATIBLE && verdict.unchecked().contains(layer) && !isRecorded;
    }

    @ParameterizedTest
    @EnumSource(names = {"X86_64", "AARCH64"})
    void readsRulesFromAnOwnModuleBesideTheHeaders(Machine machine) throws IOException {
        Path root = root(machine, EnumSet.of(Source.HEADERS, Source.CONFIG, Source.MODULES));

        CheckReport report = Checker.check(request(root), Progress.NONE);

        for (LoaderRule rule : List.of(LoaderRule.VERSIONS_LAYOUT, LoaderRule.SIGNATURE_KIND, LoaderRule.VERMAGIC)) {
            assertThat(report.targets().get(0).rules().setting(rule).assumed())
                    .as(rule.id())
                    .isFalse();
        }
    }

    private Map<String, Verdict> check(Machine machine, Set<Source> sources) throws IOException {
        Path root = root(machine, sources);
        CheckReport report = Checker.check(request(root), Progress.NONE);
        Map<String, Verdict> verdicts = new TreeMap<>();
        for (Verdict verdict : report.verdicts()) {
            verdicts.put(verdict.module().origin().moduleName(), verdict);
        }
        assertThat(verdicts).as("%s", report.problems()).hasSize(8);
        return verdicts;
    }

    private static CheckRequest request(Path root) {
        return new CheckRequest(
                root,
                List.of(root.resolve("given").toString()),
                List.of(RELEASE),
                null,
                true,
                Map.of(),
                List.of(),
                new ReadOptions(1, FactsCache.NONE),
                InputStream.nullInputStream());
    }

    private Path root(Machine machine, Set<Source> sources) throws IOException {
        TreeBuilder root = TreeBuilder.in(Files.createTempDirectory(directory, "root"));
        root.modulesDep(RELEASE);
        if (sources.contains(Source.HEADERS)) {
            root.symvers(SymversPlace.USR_SRC_HEADERS, RELEASE, symvers());
        }
        if (sources.contains(Source.IMAGE)) {
            root.file("boot/vmlinuz-" + RELEASE, image(machine));
        }
        if (sources.contains(Source.CONFIG)) {
            root.config(
                    RELEASE,
                    "CONFIG_MODVERSIONS=y",
                    "CONFIG_MODULE_SIG=y",
                    "# CONFIG_MODULE_FORCE_LOAD is not set",
                    "# CONFIG_MODULE_ALLOW_MISSING_NAMESPACE_IMPORTS is not set");
        }
        if (sources.contains(Source.MODULES)) {
            byte[] own = withoutLaterSections(
                    module(machine, "own").importing("kfree", 2).build());
            root.module(RELEASE, "kernel/own.ko", SignedKernels.BUILD.sign(own), Compression.NONE);
        }
        if (sources.contains(Source.BUILTIN)) {
            root.file("lib/modules/" + RELEASE + "/modules.builtin.modinfo", "loop.license=GPL\0".getBytes());
        }
        give(root, "good", module(machine, "good").importing("kfree", 2).build());
        give(root, "crc", module(machine, "crc").importing("kfree", 3).build());
        give(
                root,
                "missing",
                module(machine, "missing").importing("nobody_has_it", 3).build());
        give(
                root,
                "gpl",
                module(machine, "gpl")
                        .withoutModInfo("license")
                        .importing("gpl_only", 4)
                        .build());
        give(
                root,
                "namespace",
                module(machine, "namespace").importing("spaced", 5).build());
        give(root, "flags", vermagic(machine, "flags", RELEASE + " SMP preempt mod_unload modversions "));
        give(root, "signed", SignedKernels.BUILD.sign(module(machine, "signed").build()));
        byte[] changed = SignedKernels.BUILD.sign(module(machine, "changed").build());
        changed[text(changed).indexOf("license=GPL") + "license=".length()] = 'g';
        give(root, "changed", changed);
        return root.root();
    }

    /** Returns the module as kernels before 6.18 build modules for arm64. */
    private static byte[] withoutLaterSections(byte[] module) {
        String section = ".init.text.ftrace_trampoline";
        int at = text(module).indexOf(section);
        if (at >= 0) {
            module[at + 1] = 'I';
        }
        return module;
    }

    private static String text(byte[] file) {
        return new String(file, StandardCharsets.ISO_8859_1);
    }

    private static void give(TreeBuilder root, String name, byte[] module) {
        root.file("given/" + name + ".ko", module);
    }

    private static byte[] vermagic(Machine machine, String name, String vermagic) {
        return module(machine, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + vermagic)
                .build();
    }

    private static ModuleBuilder module(Machine machine, String name) {
        return ModuleBuilder.typical(machine, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + RELEASE + " SMP mod_unload modversions ");
    }

    private static SymversBuilder symvers() {
        return new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", Kind.EXPORT_SYMBOL, MODULE_LAYOUT)
                .kernel("kfree", Kind.EXPORT_SYMBOL, 2)
                .kernel("gpl_only", Kind.EXPORT_SYMBOL_GPL, 4)
                .row(new SymversBuilder.Row(5, "spaced", "vmlinux", Kind.EXPORT_SYMBOL, "SPACE"));
    }

    private static byte[] image(Machine machine) {
        KernelSpec kernel = KernelSpec.of(machine)
                .released(RELEASE)
                .exporting(List.of(
                        new Export("module_layout", false, MODULE_LAYOUT, ""),
                        new Export("kfree", false, 2, ""),
                        new Export("gpl_only", true, 4, ""),
                        new Export("spaced", false, 5, "SPACE")))
                .saying(List.of(
                        "%s: no symbol version for %s",
                        "%s: module verification failed: signature and/or required key missing",
                        "%s: PKCS#7 signature info has unexpected non-zero params",
                        "\u00013%s: module uses symbol (%s) from namespace %s, but does not import it.\n",
                        "%s: module uses symbols from proprietary module %s, inheriting taint.\n",
                        "version magic '%s' should be '%s'"));
        byte[] certificate = SignedKernels.BUILD.certificate();
        if (machine == Machine.AARCH64) {
            return Payloads.concat(KernelWriter.arm64(kernel), new byte[5], certificate);
        }
        byte[] unpacked = Payloads.concat(KernelWriter.elf(kernel, true), new byte[5], certificate);
        return Payloads.bzImage(Packing.GZIP.packWithSize(unpacked));
    }
}
