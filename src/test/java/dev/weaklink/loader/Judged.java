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

/** A verdict and what tests ask of it. */
record Judged(Verdict verdict) {

    /** The verdict for one module among the target's own. */
    static Judged alone(Kernels kernel, ModuleBuilder module, ModuleBuilder... inTreeModules) {
        return alone(kernel.build(), read(module.spec()), List.of(inTreeModules));
    }

    static Judged alone(TargetKernel kernel, KernelModule module, List<ModuleBuilder> inTreeModules) {
        return new Judged(LoadSet.alone(
                        kernel,
                        List.of(module),
                        readAll(inTreeModules),
                        Set.of(),
                        new ExportRowCache(kernel.exports()),
                        1)
                .get(0));
    }

    /** The verdicts for modules that come together, on a target without modules of its own. */
    static List<Judged> together(Kernels kernel, ModuleBuilder... given) {
        return together(kernel, List.of(given), List.of());
    }

    static List<Judged> together(Kernels kernel, List<ModuleBuilder> given, List<ModuleBuilder> inTreeModules) {
        return together(kernel.build(), readAll(given), readAll(inTreeModules));
    }

    static List<Judged> together(TargetKernel kernel, List<KernelModule> given, List<KernelModule> inTreeModules) {
        return LoadSet.sideBySide(kernel, given, inTreeModules, Set.of(), new ExportRowCache(kernel.exports()), 2)
                .stream()
                .map(Judged::new)
                .toList();
    }

    static KernelModule read(ModuleSpec spec) {
        byte[] bytes = spec.toBytes();
        return ModuleReader.read(Origin.file(spec.thisModule().name() + ".ko"), bytes, bytes.length);
    }

    static KernelModule read(byte[] bytes) {
        return ModuleReader.read(Origin.file("m.ko"), bytes, bytes.length);
    }

    static List<KernelModule> readAll(List<ModuleBuilder> modules) {
        return modules.stream().map(module -> read(module.spec())).toList();
    }

    /** It loads, and everything was compared. */
    Judged isCompatible() {
        assertThat(verdict.outcome()).as("%s", verdict.findings()).isEqualTo(Outcome.COMPATIBLE);
        assertThat(verdict.errno()).isNull();
        return this;
    }

    /** It loads as far as is known, but something could not be compared. */
    Judged isUndetermined() {
        assertThat(verdict.outcome()).as("%s", verdict.findings()).isEqualTo(Outcome.UNDETERMINED);
        assertThat(verdict.errno()).isNull();
        return this;
    }

    /** It is refused with this errno. */
    Judged isRefused(String errno) {
        assertThat(verdict.outcome()).as("%s", verdict.findings()).isEqualTo(Outcome.INCOMPATIBLE);
        assertThat(verdict.errno()).as("%s", verdict.findings()).isEqualTo(errno);
        return this;
    }

    /** It is refused with this errno, for one reason in this layer. */
    Judged isRefused(String errno, Layer layer) {
        isRefused(errno);
        assertThat(refusals()).extracting(Finding::layer).containsExactly(layer);
        return this;
    }

    /** The kernel logs exactly these lines with its refusals. */
    Judged saying(String... lines) {
        assertThat(refusals()).extracting(Finding::dmesg).containsExactly(lines);
        return this;
    }

    /** The kernel refuses without a word. */
    Judged silently() {
        assertThat(refusals()).isNotEmpty().extracting(Finding::dmesg).containsOnlyNulls();
        return this;
    }

    /** The kernel logs this line, and it changes nothing. */
    Judged noting(String line) {
        assertThat(verdict.findings())
                .filteredOn(finding -> finding.effect() == Effect.NOTE)
                .extracting(Finding::dmesg)
                .contains(line);
        return this;
    }

    List<Finding> refusals() {
        return verdict.findings().stream()
                .filter(finding -> finding.effect() == Effect.REFUSES)
                .toList();
    }

    /** Symbols it is refused for, layer and name, in the order of the findings. */
    List<String> refusedSymbols() {
        return refusals().stream().map(f -> f.layer().id() + " " + f.symbol()).toList();
    }
}
