package dev.weaklink.loader;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.ImageFacts.BuiltInModules;
import dev.weaklink.kernel.LoaderBehaviorReader;
import dev.weaklink.kernel.LoaderBehaviorReader.LoaderEvidence;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.SymversReader;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Row;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A builder of target kernels. By default, {@link ModuleBuilder#typical} modules fit the kernel. The kernel exports
 * only {@code module_layout}, has no in-tree modules, and decides like the upstream kernel of its version, without
 * forced loading.
 */
public final class Kernels {
    static final String RELEASE = "6.1.0-1-test";
    static final String VERMAGIC = RELEASE + " SMP mod_unload modversions ";
    static final int LAYOUT_CRC = 0x11223344;

    private final Machine machine;
    private final SymversBuilder symvers = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST);
    private final Map<LoaderRule, String> rules = new EnumMap<>(LoaderRule.class);
    private final Set<String> builtIn = new HashSet<>();
    private boolean isImageKnown = true;
    private final Set<String> possiblyBuiltIn = new HashSet<>();
    private @Nullable Boolean symbolSections;
    private @Nullable String vermagic = VERMAGIC;
    private @Nullable ElfIdentity identity;
    private long structModuleSize = ModuleBuilder.TYPICAL_SIZE;
    private boolean exportsComplete = true;
    private boolean ownModulesKnown = true;

    private Kernels(Machine machine, String version) {
        this.machine = machine;
        identity = identity(machine);
        rules.put(LoaderRule.VERSION, version);
        rules.put(LoaderRule.FORCE_LOAD, "no");
        rules.put(LoaderRule.MODVERSIONS, "yes");
    }

    /** Returns an x86-64 kernel with the loader's rules of this version. */
    public static Kernels version(String version) {
        return version(version, Machine.X86_64);
    }

    public static Kernels version(String version, Machine machine) {
        return bare(version, machine).row(new Row(LAYOUT_CRC, "module_layout", "vmlinux", Kind.EXPORT_SYMBOL, null));
    }

    /** Returns a kernel without exports, not even {@code module_layout}. */
    public static Kernels bare(String version, Machine machine) {
        return new Kernels(machine, version);
    }

    /** Returns a kernel with the loader's rules of Debian 12. */
    public static Kernels debian() {
        return version("6.1").rule(LoaderRule.FORCE_LOAD, "yes").rule(LoaderRule.MISSING_VERSION, "refuse");
    }

    public Kernels exporting(String symbol, int crc) {
        return row(new Row(crc, symbol, "vmlinux", Kind.EXPORT_SYMBOL, null));
    }

    public Kernels exportingGpl(String symbol, int crc) {
        return row(new Row(crc, symbol, "vmlinux", Kind.EXPORT_SYMBOL_GPL, null));
    }

    public Kernels exportingIn(String namespace, String symbol, int crc) {
        return row(new Row(crc, symbol, "vmlinux", Kind.EXPORT_SYMBOL, namespace));
    }

    public Kernels row(Row row) {
        symvers.row(row);
        return this;
    }

    public Kernels rows(List<Row> rows) {
        rows.forEach(this::row);
        return this;
    }

    public Kernels rule(LoaderRule rule, String value) {
        rules.put(rule, value);
        return this;
    }

    public Kernels vermagic(@Nullable String newVermagic) {
        vermagic = newVermagic;
        return this;
    }

    public Kernels withoutMachine() {
        identity = null;
        return this;
    }

    public Kernels structModuleSize(long size) {
        structModuleSize = size;
        return this;
    }

    public Kernels exportsIncomplete() {
        exportsComplete = false;
        return this;
    }

    /** Makes the kernel's own modules unavailable, so that their rows in its symvers count. */
    public Kernels ownModulesUnknown() {
        ownModulesKnown = false;
        return this;
    }

    public Kernels withoutImage() {
        isImageKnown = false;
        return this;
    }

    public Kernels builtIn(String name) {
        builtIn.add(name);
        return this;
    }

    public Kernels possiblyBuiltIn(String name) {
        possiblyBuiltIn.add(name);
        return this;
    }

    /** Makes the kernel's image show whether the loader checks the sections of symbols. */
    public Kernels symbolSections(boolean looks) {
        symbolSections = looks;
        return this;
    }

    public Machine machine() {
        return machine;
    }

    public TargetKernel build() {
        byte[] text = symvers.bytes();
        Symvers read = SymversReader.read(text, text.length);
        return new TargetKernel(
                RELEASE,
                RELEASE,
                identity,
                vermagic,
                structModuleSize,
                read.exports(),
                exportsComplete,
                ownModulesKnown,
                ImageFacts.of(new BuiltInModules(builtIn, possiblyBuiltIn, isImageKnown), symbolSections),
                LoaderBehaviorReader.read(new LoaderEvidence(RELEASE, null, read, null, rules)),
                Set.of());
    }

    private static ElfIdentity identity(Machine machine) {
        return new ElfIdentity(
                machine.number(), machine.is64(), machine.order() == ByteOrder.LITTLE_ENDIAN, machine.flags());
    }
}
