package dev.weaklink.loader;

import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The intermediate result of judging one module on one target. The steps add findings in order. */
final class VerdictBuilder {
    private final KernelModule module;
    private final String label;
    private final TargetKernel target;
    private final @Nullable String ownName;
    private final List<Finding> findings = new ArrayList<>(2);
    private final TreeMap<String, Provider> providers = new TreeMap<>();
    private final TreeSet<String> unchecked = new TreeSet<>();
    private final TreeSet<String> assumed = new TreeSet<>();
    private @Nullable String errno;
    private boolean unproven;
    private boolean ended;
    private boolean proprietary;
    private @Nullable String infoName;

    VerdictBuilder(KernelModule module, TargetKernel target) {
        this(module, target, null);
    }

    VerdictBuilder(KernelModule module, TargetKernel target, @Nullable String ownName) {
        this.ownName = ownName;
        this.module = module;
        this.label = target.label();
        this.target = target;
    }

    KernelModule module() {
        return module;
    }

    TargetKernel target() {
        return target;
    }

    LoaderBehavior rules() {
        return target.rules();
    }

    /**
     * Returns whether a rule has this value. If the value is only assumed, the verdict records the rule. Callers use
     * this method wherever the value can change the verdict.
     */
    boolean rule(LoaderRule rule, String value) {
        LoaderBehavior.Setting setting = rules().setting(rule);
        if (setting.assumed()) {
            assumed.add(rule.id());
        }
        return setting.value().equals(value);
    }

    /**
     * Returns the module information as the loader reads it: up to 6.3, the loader finds .modinfo only if the section
     * has SHF_ALLOC (find_sec).
     */
    ModInfo modInfo() {
        boolean seen = module.modInfo().allocated() || rules().version().atLeast(6, 4);
        return seen ? module.modInfo() : ModInfo.ABSENT;
    }

    /**
     * Returns the module's name in messages about versions and vermagic: {@code name=} from 4.14 on, else the name in
     * struct module.
     */
    String infoName() {
        if (infoName == null) {
            String name = rules().version().atLeast(4, 14) ? modInfo().first("name") : null;
            infoName = name != null ? name : module.name();
        }
        return infoName;
    }

    /**
     * Returns the module's name in the kernel's early messages, such as those about the ELF file. From 4.14 on, these
     * messages have a placeholder for a module without {@code name=}.
     */
    String earlyName() {
        if (modInfo().first("name") != null || !rules().version().atLeast(4, 14)) {
            return infoName();
        }
        boolean late = rules().version().atLeast(4, 19);
        return late ? "(missing .modinfo section or name field)" : "(missing .modinfo name field)";
    }

    /**
     * Adds a refusal. The loader returns the errno of the last refusal.
     *
     * @param dmesg the kernel's log message, null if the kernel logs nothing
     */
    void refuse(FindingKind kind, @Nullable String dmesg) {
        refuse(kind, dmesg, kind.meaning());
    }

    void refuse(FindingKind kind, @Nullable String dmesg, String detail) {
        add(kind, Effect.REFUSES, kind.errnoOrThrow(), null, dmesg, detail);
    }

    void unproven(FindingKind kind, @Nullable String symbol, String detail) {
        add(kind, Effect.UNPROVEN, null, symbol, null, detail);
    }

    void note(FindingKind kind, @Nullable String symbol, @Nullable String dmesg, String detail) {
        add(kind, Effect.NOTE, null, symbol, dmesg, detail);
    }

    void add(
            FindingKind kind,
            Effect effect,
            @Nullable String errno,
            @Nullable String symbol,
            @Nullable String dmesg,
            String detail) {
        add(new Finding(kind, effect, errno, symbol, null, null, null, dmesg, detail));
    }

    void add(Finding finding) {
        findings.add(finding);
        if (finding.effect() == Effect.REFUSES) {
            errno = finding.errno();
        } else if (finding.effect() == Effect.UNPROVEN) {
            unproven = true;
        }
    }

    void uncheck(Layer layer) {
        unchecked.add(layer.id());
    }

    void uses(Provider provider) {
        providers.put(provider.name(), provider);
    }

    @Nullable
    String ownName() {
        return ownName;
    }

    Collection<String> providerNames() {
        return providers.keySet();
    }

    boolean refused() {
        return errno != null;
    }

    boolean ended() {
        return ended || refused();
    }

    boolean isMissingWeak(@Nullable String symbol) {
        for (Finding finding : findings) {
            if (finding.kind() == FindingKind.SYMBOL_WEAK
                    && finding.symbol() != null
                    && finding.symbol().equals(symbol)) {
                return true;
            }
        }
        return false;
    }

    void end() {
        ended = true;
    }

    boolean proprietary() {
        return proprietary;
    }

    void setProprietary() {
        proprietary = true;
    }

    Verdict verdict() {
        Outcome outcome = errno != null ? Outcome.INCOMPATIBLE : unproven ? Outcome.UNDETERMINED : Outcome.COMPATIBLE;
        return new Verdict(
                module,
                label,
                outcome,
                errno,
                List.copyOf(findings),
                List.copyOf(providers.values()),
                List.copyOf(unchecked),
                List.copyOf(assumed));
    }
}
