package dev.weaklink.hold;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.Checker;
import dev.weaklink.check.Gate;
import dev.weaklink.check.ModulesInUse;
import dev.weaklink.check.StoreWriter;
import dev.weaklink.check.report.GateText;
import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.hold.OfferAnswer.Fit;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ExportTableBuilder;
import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderBehaviorReader;
import dev.weaklink.kernel.LoaderBehaviorReader.LoaderEvidence;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.LoadSet;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Numbers;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.DkmsReader;
import dev.weaklink.system.DkmsTree;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import dev.weaklink.system.InstalledModules;
import dev.weaklink.system.InstalledModules.InstalledBuild;
import dev.weaklink.system.ModuleSource;
import dev.weaklink.system.PackageOwners;
import dev.weaklink.system.offers.OfferedKernel;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import dev.weaklink.system.offers.Offers.Driver;
import dev.weaklink.system.offers.PublishedSymbols;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Judges the modules in use on offered kernels, as far as these kernels are known. */
public final class OfferJudge {
    private final CheckRequest request;
    private final Root root;
    private final List<InputProblem> problems;
    private @Nullable InUse inUse;

    /**
     * The modules in use, as read from the root.
     *
     * @param modules a build of each module, from the newest kernel that has one
     * @param complete whether all modules in use could be read
     */
    private record InUse(
            List<KernelModule> modules, boolean complete, Gate.IgnoredModules ignored, List<InstalledBuild> builds) {
        List<KernelModule> on(String release) {
            return modules.stream()
                    .filter(module -> ignored.rule(module.name(), release) == null)
                    .toList();
        }
    }

    /**
     * Creates a judge for one run.
     *
     * @param request the request, whose modules and kernels are ignored
     * @param problems receives inputs that could not be read
     */
    public OfferJudge(CheckRequest request, Root root, List<InputProblem> problems) {
        this.request = request;
        this.root = root;
        this.problems = problems;
    }

    public boolean isAnythingInUse() {
        ModulesInUse inUse = ModulesInUse.find(new InstalledModules(root), root, request.root() == null, List.of());
        return !inUse.names().isEmpty() || !inUse.complete();
    }

    public Set<String> symbols() {
        return PublishedJudge.symbols(inUse().modules());
    }

    public List<Driver> drivers() {
        DkmsTree dkms = DkmsReader.read(root);
        Map<InstalledBuild, String> files = new LinkedHashMap<>();
        for (InstalledBuild build : inUse().builds()) {
            String file = build.file().inside();
            DkmsPackage source = dkms.ownerOf(file);
            files.put(
                    build, source == null ? file : "/usr/src/" + source.name() + "-" + source.version() + "/dkms.conf");
        }
        Map<String, String> owners = PackageOwners.of(files.values(), root);
        List<Driver> drivers = new ArrayList<>();
        files.forEach((build, file) -> {
            String[] owner = owners.getOrDefault(file, "").split(" ", 2);
            drivers.add(new Driver(
                    build.file().name(),
                    build.kernel(),
                    owner.length < 2 ? null : new OfferedPackage(owner[0], owner[1], "")));
        });
        return drivers;
    }

    private InUse inUse() {
        if (inUse == null) {
            InstalledModules installed = new InstalledModules(root);
            ModulesInUse found = ModulesInUse.find(installed, root, request.root() == null, List.of());
            Gate.IgnoredModules ignored = Gate.IgnoredModules.read(root, installed, found.names(), problems);
            List<ModuleSource> sources = new ArrayList<>();
            List<InstalledBuild> builds = new ArrayList<>();
            for (String name : found.names()) {
                InstalledBuild build = installed.build(name, null);
                if (build != null) {
                    builds.add(build);
                    Path file = build.file().host();
                    sources.add(new ModuleSource(
                            file, root.inside(file), build.file().identity()));
                }
            }
            List<KernelModule> modules = Checker.facts(sources, request.reading());
            boolean complete =
                    found.complete() && modules.size() == found.names().size();
            inUse = new InUse(List.copyOf(modules), complete, ignored, builds);
        }
        return inUse;
    }

    /**
     * Returns the name of an offered kernel's entry in the store; null if there is not exactly one entry, or if the
     * entry cannot be read.
     *
     * @param kept the name of the entry that an earlier run stored, else the kernel's release
     */
    public @Nullable String stored(OfferedKernel kernel, String kept) {
        try {
            KernelStore store = StoreWriter.open(request.root(), request.store());
            List<StoreEntry> entries = store.named(kept);
            if (entries.size() != 1) {
                return null;
            }
            store.read(entries.get(0));
            return entries.get(0).name();
        } catch (UnreadableException e) {
            return null;
        } catch (IOException e) {
            problems.add(new InputProblem(kernel.release(), IoReason.of(e)));
            return null;
        }
    }

    /**
     * Returns for each kernel whether it would load the modules in use, in the order of {@code kernels}.
     *
     * @param stored for each kernel that the store contains, the kernel's name in the store
     */
    public List<OfferAnswer> judge(List<OfferedKernel> kernels, Map<OfferedKernel, String> stored) {
        Map<String, GateAnswer> known = new LinkedHashMap<>();
        Set<String> names = new TreeSet<>(stored.values());
        if (!names.isEmpty()) {
            GateReport report = Gate.judge(request.with(List.of(), List.copyOf(names)), List.of());
            problems.addAll(report.problems());
            report.answers().forEach(answer -> known.put(answer.target().label(), answer));
        }
        List<OfferAnswer> answers = new ArrayList<>();
        for (OfferedKernel kernel : kernels) {
            String name = stored.get(kernel);
            GateAnswer answer = name == null ? null : known.get(name);
            answers.add(answer == null ? published(kernel) : of(kernel, answer));
        }
        return answers;
    }

    private OfferAnswer published(OfferedKernel kernel) {
        PublishedSymbols published = kernel.published();
        return published == null
                ? unknown(kernel)
                : PublishedJudge.judge(
                        kernel, published, inUse().modules(), inUse().on(kernel.release()), inUse().complete());
    }

    private static OfferAnswer unknown(OfferedKernel kernel) {
        String reason = kernel.headers() == null
                ? "the package lists contain no CRCs of the kernel's symbols, and weaklink found no headers"
                : "its headers (" + kernel.headers().name() + ") were not read";
        return new OfferAnswer(kernel, Fit.UNKNOWN, List.of(), reason);
    }

    public static Set<String> refused(CheckRequest request, String release) {
        GateReport report = Gate.judge(request.with(List.of(), List.of(release)), List.of());
        Set<String> refused = new TreeSet<>();
        report.answers().forEach(answer -> refused.addAll(refused(answer)));
        return refused;
    }

    private static Set<String> refused(GateAnswer answer) {
        Set<String> refused = new TreeSet<>(answer.names(Outcome.INCOMPATIBLE));
        for (Verdict verdict : answer.verdicts()) {
            if (verdict.breaksOthers()) {
                refused.add(verdict.module().name());
            }
        }
        return refused;
    }

    private static OfferAnswer of(OfferedKernel kernel, GateAnswer answer) {
        Set<String> refused = refused(answer);
        Fit fit = switch (answer.word()) {
            case YES -> Fit.FITS;
            case NO -> Fit.REFUSED;
            case UNKNOWN -> Fit.UNKNOWN;
        };
        return new OfferAnswer(kernel, fit, List.copyOf(refused), GateText.reason(answer));
    }

    /**
     * Judges modules by the symbols that a kernel's packages publish. A module counts as refused only if the loader
     * must refuse it. The packages do not publish further reasons for a refusal, such as vermagic or signatures.
     */
    private static final class PublishedJudge {
        private static final String LAYOUT = "module_layout";

        private static final FindingKind LAYOUT_DIFFERS = FindingKind.LAYOUT_CRC_MISMATCH;

        /** The kinds of findings that are certain although packages publish only symbols and CRCs. */
        private static final Set<FindingKind> SURE =
                EnumSet.of(FindingKind.SYMBOL_CRC_MISMATCH, LAYOUT_DIFFERS, FindingKind.SYMBOL_MISSING);

        private PublishedJudge() {}

        static Set<String> symbols(List<KernelModule> modules) {
            Set<String> symbols = new TreeSet<>(Set.of(LAYOUT));
            for (KernelModule module : modules) {
                addAll(module.imports().names(), symbols);
            }
            return symbols;
        }

        private static void addAll(SymbolNames names, Set<String> symbols) {
            for (int i = 0; i < names.size(); i++) {
                symbols.add(names.name(i));
            }
        }

        /**
         * Judges whether a kernel would load the modules, as far as the published symbols show.
         *
         * @param modules all readable modules in use, because they may import symbols from each other
         * @param counted the modules that no rule ignores for this kernel; only their refusal counts
         * @param complete whether {@code modules} is complete; if not, only a changed CRC of module_layout counts,
         *     because an unknown module could export any other symbol
         */
        static OfferAnswer judge(
                OfferedKernel kernel,
                PublishedSymbols published,
                List<KernelModule> modules,
                List<KernelModule> counted,
                boolean complete) {
            TargetKernel target = target(kernel, published, modules);
            List<Verdict> verdicts =
                    LoadSet.together(target, modules, List.of(), Set.of(), new ExportRowCache(target.exports()), 1);
            Set<String> names = new HashSet<>();
            counted.forEach(module -> names.add(module.name()));
            Map<String, Finding> refused = new TreeMap<>();
            for (Verdict verdict : verdicts) {
                Finding sure = sure(verdict, published, complete);
                if (sure != null && names.contains(verdict.module().name())) {
                    refused.put(verdict.module().name(), sure);
                }
            }
            if (!refused.isEmpty()) {
                return new OfferAnswer(kernel, Fit.REFUSED, List.copyOf(refused.keySet()), reason(refused));
            }
            if (!complete) {
                return new OfferAnswer(kernel, Fit.UNKNOWN, List.of(), "some modules in use could not be checked");
            }
            int known = 0;
            Set<String> symbols = symbols(counted);
            modules.forEach(module -> removeAll(module.exports().names(), symbols));
            for (String symbol : symbols) {
                int row = published.exports().find(symbol);
                known += row >= 0 && published.exports().hasCrc(row) ? 1 : 0;
            }
            return new OfferAnswer(
                    kernel,
                    known == 0 ? Fit.UNKNOWN : Fit.FITS_AS_FAR_AS_KNOWN,
                    List.of(),
                    known == 0
                            ? "its packages list no CRC of any symbol that the modules in use import"
                            : "its packages list the CRCs of "
                                    + (known < symbols.size() ? known + " of " : "all ")
                                    + Numbers.of(symbols.size(), "symbol")
                                    + " in use, and all match; unchecked: vermagic, namespaces and signatures"
                                    + " (not in package lists)");
        }

        private static void removeAll(SymbolNames names, Set<String> symbols) {
            for (int i = 0; i < names.size(); i++) {
                symbols.remove(names.name(i));
            }
        }

        private static @Nullable Finding sure(Verdict verdict, PublishedSymbols published, boolean complete) {
            for (Finding finding : verdict.findings()) {
                boolean counts = complete ? SURE.contains(finding.kind()) : finding.kind() == LAYOUT_DIFFERS;
                boolean isUnusual = finding.kind() == FindingKind.SYMBOL_MISSING
                        && !published.usual().contains(String.valueOf(finding.symbol()));
                if (finding.effect() == Finding.Effect.REFUSES && counts && !isUnusual) {
                    return finding;
                }
            }
            return null;
        }

        private static String reason(Map<String, Finding> refused) {
            List<String> modules = new ArrayList<>();
            refused.forEach((name, finding) -> modules.add(Escape.text(name
                    + " ("
                    + (finding.kind() == FindingKind.SYMBOL_MISSING
                            ? finding.symbol() + " is not exported"
                            : "another CRC of " + finding.symbol())
                    + ")")));
            int most = Math.min(modules.size(), 3);
            String more = modules.size() > most ? " and " + (modules.size() - most) + " more" : "";
            return "would refuse " + String.join(", ", modules.subList(0, most)) + more + ", according to its packages";
        }

        private static TargetKernel target(
                OfferedKernel kernel, PublishedSymbols published, List<KernelModule> modules) {
            LoaderBehavior rules = LoaderBehaviorReader.read(
                    new LoaderEvidence(kernel.release(), null, null, null, Map.of(LoaderRule.MODVERSIONS, "yes")));
            return new TargetKernel(
                    kernel.release(),
                    kernel.release(),
                    null,
                    null,
                    -1,
                    withoutReplaced(published.exports(), modules),
                    published.complete(),
                    false,
                    ImageFacts.NONE,
                    rules,
                    Set.of());
        }

        /**
         * Returns the export table without the symbols that the modules export, because the modules may replace the
         * kernel's own exporters.
         */
        private static ExportTable withoutReplaced(ExportTable rows, List<KernelModule> modules) {
            Set<String> exported = new HashSet<>();
            for (KernelModule module : modules) {
                addAll(module.exports().names(), exported);
            }
            ExportTableBuilder kept = new ExportTableBuilder(rows.size());
            for (int row = 0; row < rows.size(); row++) {
                if (!exported.contains(rows.symbol(row))) {
                    kept.add(rows, row);
                }
            }
            return kept.build();
        }
    }
}
