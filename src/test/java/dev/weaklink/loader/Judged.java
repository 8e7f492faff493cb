package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import java.util.List;
import java.util.Set;

/** A verdict with assertions for tests. */
public record Judged(Verdict verdict) {

    /** Returns the verdict on one module, with the target's own modules. */
    public static Judged alone(Kernels kernel, ModuleBuilder module, ModuleBuilder... inTreeModules) {
        return alone(kernel.build(), read(module.spec()), List.of(inTreeModules));
    }

    public static Judged alone(TargetKernel kernel, KernelModule module, List<ModuleBuilder> inTreeModules) {
        return new Judged(LoadSet.alone(
                        kernel,
                        List.of(module),
                        readAll(inTreeModules),
                        Set.of(),
                        new ExportRowCache(kernel.exports()),
                        1)
                .get(0));
    }

    /** Returns the verdicts on modules that are installed together, on a target without its own modules. */
    public static List<Judged> together(Kernels kernel, ModuleBuilder... given) {
        return together(kernel, List.of(given), List.of());
    }

    public static List<Judged> together(Kernels kernel, List<ModuleBuilder> given, List<ModuleBuilder> inTreeModules) {
        return together(kernel.build(), readAll(given), readAll(inTreeModules));
    }

    public static List<Judged> together(
            TargetKernel kernel, List<KernelModule> given, List<KernelModule> inTreeModules) {
        return LoadSet.sideBySide(kernel, given, inTreeModules, Set.of(), new ExportRowCache(kernel.exports()), 2)
                .stream()
                .map(Judged::new)
                .toList();
    }

    public static KernelModule read(ModuleSpec spec) {
        byte[] bytes = spec.toBytes();
        return ModuleReader.read(Origin.file(spec.thisModule().name() + ".ko"), bytes, bytes.length);
    }

    public static KernelModule read(byte[] bytes) {
        return ModuleReader.read(Origin.file("m.ko"), bytes, bytes.length);
    }

    public static List<KernelModule> readAll(List<ModuleBuilder> modules) {
        return modules.stream().map(module -> read(module.spec())).toList();
    }

    /** Asserts that the module loads and that nothing remains undetermined. */
    public Judged isCompatible() {
        assertThat(verdict.outcome()).as("%s", verdict.findings()).isEqualTo(Outcome.COMPATIBLE);
        assertThat(verdict.errno()).isNull();
        return this;
    }

    /** Asserts that the verdict is undetermined. */
    public Judged isUndetermined() {
        assertThat(verdict.outcome()).as("%s", verdict.findings()).isEqualTo(Outcome.UNDETERMINED);
        assertThat(verdict.errno()).isNull();
        return this;
    }

    /** Asserts that the kernel refuses the module with this errno. */
    public Judged isRefused(String errno) {
        assertThat(verdict.outcome()).as("%s", verdict.findings()).isEqualTo(Outcome.INCOMPATIBLE);
        assertThat(verdict.errno()).as("%s", verdict.findings()).isEqualTo(errno);
        return this;
    }

    /** Asserts that the kernel refuses the module with this errno, for one reason in this layer. */
    public Judged isRefused(String errno, Layer layer) {
        isRefused(errno);
        assertThat(refusals()).extracting(Finding::layer).containsExactly(layer);
        return this;
    }

    /** Asserts that the kernel logs exactly these lines for its refusals. */
    public Judged saying(String... lines) {
        assertThat(refusals()).extracting(Finding::dmesg).containsExactly(lines);
        return this;
    }

    /** Asserts that the kernel refuses the module without a message. */
    public Judged silently() {
        assertThat(refusals()).isNotEmpty().extracting(Finding::dmesg).containsOnlyNulls();
        return this;
    }

    /** Asserts that the kernel logs this line without refusing the module. */
    public Judged noting(String line) {
        assertThat(verdict.findings())
                .filteredOn(finding -> finding.effect() == Effect.NOTE)
                .extracting(Finding::dmesg)
                .contains(line);
        return this;
    }

    public List<Finding> refusals() {
        return verdict.findings().stream()
                .filter(finding -> finding.effect() == Effect.REFUSES)
                .toList();
    }

    /** Returns the refusals as layer and symbol, in the order of the findings. */
    public List<String> refusedSymbols() {
        return refusals().stream().map(f -> f.layer().id() + " " + f.symbol()).toList();
    }
}
