package dev.weaklink.loader;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
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

/** What has been found out so far about one module on one target. Filled by the steps in order. */
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

    /** For facts of one module on one target, without any other modules. */
    VerdictBuilder(KernelModule module, TargetKernel target) {
        this(module, target, null);
    }

    /**
     * Nothing found yet.
     *
     * @param ownName as for {@link Loader#judge}
     */
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

    /** How its loader decides. */
    LoaderRules rules() {
        return target.rules();
    }

    /** Whether a rule has this value; notes it if the rule is only assumed. For decisive questions. */
    boolean rule(LoaderRule rule, String value) {
        LoaderRules.Setting setting = rules().setting(rule);
        if (setting.assumed()) {
            assumed.add(rule.id());
        }
        return setting.value().equals(value);
    }

    /** The module information as the loader sees it: up to 6.3 only with SHF_ALLOC (find_sec). */
    ModInfo modInfo() {
        boolean seen = module.modInfo().allocated() || rules().version().atLeast(6, 4);
        return seen ? module.modInfo() : ModInfo.ABSENT;
    }

    /** Name in messages about versions and vermagic: {@code name=} from 4.14 on, else struct module. */
    String infoName() {
        if (infoName == null) {
            String name = rules().version().atLeast(4, 14) ? modInfo().first("name") : null;
            infoName = name != null ? name : module.name();
        }
        return infoName;
    }

    /** The same in messages about the ELF file, while struct module has not been looked at. */
    String earlyName() {
        if (modInfo().first("name") != null || !rules().version().atLeast(4, 14)) {
            return infoName();
        }
        boolean late = rules().version().atLeast(4, 19);
        return late ? "(missing .modinfo section or name field)" : "(missing .modinfo name field)";
    }

    /**
     * The loader refuses at this point. The errno of the last refusal is the one that is returned.
     *
     * @param dmesg the line it logs, null if it is silent
     */
    void refuse(FindingKind kind, @Nullable String dmesg) {
        refuse(kind, dmesg, kind.meaning());
    }

    /** As {@link #refuse(FindingKind, String)}, with a sentence about this very case. */
    void refuse(FindingKind kind, @Nullable String dmesg, String detail) {
        add(kind, Effect.REFUSES, kind.errnoOrThrow(), null, dmesg, detail);
    }

    /** The loader may accept, but that is not proven. */
    void unproven(FindingKind kind, @Nullable String symbol, String detail) {
        add(kind, Effect.UNPROVEN, null, symbol, null, detail);
    }

    /** Worth knowing. */
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

    /** A layer that could not be checked. */
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

    /** Names of the modules used so far. */
    Collection<String> providerNames() {
        return providers.keySet();
    }

    boolean refused() {
        return errno != null;
    }

    /** Whether no further step is taken. */
    boolean ended() {
        return ended || refused();
    }

    /** Returns whether a weak symbol was found to be exported by nothing. */
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

    /** No more can be looked at. */
    void end() {
        ended = true;
    }

    /** Whether the module has, or has inherited, the taint of a proprietary module. */
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
