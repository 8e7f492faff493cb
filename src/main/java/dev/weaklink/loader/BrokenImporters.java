package dev.weaklink.loader;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.module.Exports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds modules that would stop loading because given modules are installed. Such a module imports symbols, directly or
 * through other modules, from a module that a given module replaces. Pure.
 */
public final class BrokenImporters {
    /** The number of changed CRCs below which another compiler is not the likely cause. */
    private static final int FEW = 4;

    private final Map<String, EnvironmentMember> before = new HashMap<>();
    private final Map<String, EnvironmentMember> after = new HashMap<>();
    private final Set<String> given = new TreeSet<>();
    private final Map<String, List<Finding>> found = new HashMap<>();

    private BrokenImporters() {}

    /**
     * A comparison between the exports of a module and those of the module that it replaces.
     *
     * @param common the number of symbols that both export
     * @param changed the number of these symbols whose CRCs differ, or of which only one has a CRC
     * @param lacking the number of symbols that only the replaced module exports
     * @param restricted true if a changed license, namespace or GPL-only mark may keep modules from using the exports
     */
    public record Exchange(int common, int changed, int lacking, boolean restricted) {
        public static Exchange of(KernelModule own, KernelModule other) {
            Exports used = own.exports();
            Exports offered = other.exports();
            Map<String, Integer> places = new HashMap<>();
            for (int i = 0; i < offered.names().size(); i++) {
                places.putIfAbsent(offered.names().name(i), i);
            }
            int common = 0;
            int changed = 0;
            // The license of a module that only a collector's report describes is unknown.
            boolean restricted = other.modInfo().knows("license")
                    && License.isProprietary(other.modInfo(), other.name())
                            != License.isProprietary(own.modInfo(), own.name());
            for (int i = 0; i < used.names().size(); i++) {
                Integer at = places.get(used.names().name(i));
                if (at != null) {
                    common++;
                    boolean same = offered.crcs()[at] == used.crcs()[i];
                    changed += same && offered.hasCrc().get(at) == used.hasCrc().get(i) ? 0 : 1;
                    restricted |= offered.gplOnly().get(at) && !used.gplOnly().get(i);
                    restricted |= !Objects.equals(offered.namespaces()[at], used.namespaces()[i]);
                }
            }
            return new Exchange(common, changed, used.names().size() - common, restricted);
        }

        public boolean mayBreak() {
            return changed > 0 || lacking > 0 || restricted && common > 0;
        }

        private @Nullable Finding meaning() {
            return changed < FEW || changed * 2 <= common
                    ? null
                    : Finding.note(
                            FindingKind.BREAKS_MOST,
                            null,
                            null,
                            changed
                                    + " of "
                                    + common
                                    + " common exports have other CRCs than in the replaced module: this module was"
                                    + " probably built with another compiler or CRC generator, or against other"
                                    + " headers");
        }
    }

    /**
     * Finds the modules that load before the installation and would not load after it.
     *
     * @param given the modules to install, one of each name; each replaces the module of its name
     * @param own the modules before the installation: the replaced modules, the modules that use them, and the
     *     dependencies of both
     * @param unreadable the names of the kernel's own modules that could not be read
     * @return findings by the name of the given module that causes them: at most one finding for each broken module. A
     *     note is added if most CRCs of the replaced module changed
     */
    public static Map<String, List<Finding>> of(
            TargetKernel target,
            List<KernelModule> given,
            List<KernelModule> own,
            Set<String> unreadable,
            ExportRowCache rows,
            int threads) {
        BrokenImporters broken = new BrokenImporters();
        given.forEach(module -> broken.given.add(module.name()));
        List<EnvironmentMember> without = new ArrayList<>();
        List<EnvironmentMember> with = new ArrayList<>();
        for (KernelModule module : given) {
            with.add(broken.member(module, true, broken.after));
        }
        for (KernelModule module : own) {
            without.add(broken.member(module, false, broken.before));
            if (!broken.given.contains(module.name())) {
                with.add(broken.member(module, false, broken.after));
            }
        }
        for (List<EnvironmentMember> members : List.of(without, with)) {
            ModuleEnvironment environment = new ModuleEnvironment(target, members, unreadable, rows);
            LoadSet.judgeAll(environment, threads);
        }
        for (EnvironmentMember member : without) {
            if (broken.isBroken(member.name())) {
                broken.blame(member.name());
            }
        }
        for (KernelModule module : given) {
            List<Finding> found = broken.found.get(module.name());
            EnvironmentMember replaced = broken.before.get(module.name());
            Finding meaning = replaced == null
                    ? null
                    : Exchange.of(replaced.module(), module).meaning();
            if (found != null && meaning != null) {
                found.add(meaning);
            }
        }
        return broken.found;
    }

    private EnvironmentMember member(KernelModule module, boolean isGiven, Map<String, EnvironmentMember> members) {
        EnvironmentMember member = new EnvironmentMember(module, isGiven);
        members.put(module.name(), member);
        return member;
    }

    private boolean isBroken(String name) {
        EnvironmentMember loaded = before.get(name);
        EnvironmentMember now = after.get(name);
        return loaded != null
                && now != null
                && !given.contains(name)
                && loaded.loads()
                && now.verdictOrThrow().outcome() == Outcome.INCOMPATIBLE;
    }

    private void blame(String importer) {
        Verdict verdict = Objects.requireNonNull(after.get(importer)).verdictOrThrow();
        Set<String> asked = new TreeSet<>();
        for (Finding finding : verdict.findings()) {
            if (finding.effect() == Finding.Effect.REFUSES) {
                String culprit = culprit(importer, finding, asked);
                if (culprit != null) {
                    found.computeIfAbsent(culprit, name -> new ArrayList<>()).add(finding.breaking(importer));
                    return;
                }
            }
        }
    }

    private @Nullable String culprit(String importer, Finding finding, Set<String> asked) {
        Verdict loaded = Objects.requireNonNull(before.get(importer)).verdictOrThrow();
        asked.add(importer);
        for (Provider provider : loaded.providers()) {
            EnvironmentMember exporter = before.get(provider.name());
            SymbolNames names = exporter == null
                    ? SymbolNames.NONE
                    : exporter.module().exports().names();
            String symbol = finding.symbol();
            if (symbol != null && names.indexOf(symbol) < 0) {
                continue;
            }
            if (given.contains(provider.name())) {
                return provider.name();
            }
            if (isBroken(provider.name()) && !asked.contains(provider.name())) {
                Verdict now = Objects.requireNonNull(after.get(provider.name())).verdictOrThrow();
                for (Finding further : now.findings()) {
                    boolean refuses = further.effect() == Finding.Effect.REFUSES;
                    String culprit = refuses ? culprit(provider.name(), further, asked) : null;
                    if (culprit != null) {
                        return culprit;
                    }
                }
            }
        }
        return null;
    }
}
