package dev.weaklink.check;

import dev.weaklink.explain.CauseFinder;
import dev.weaklink.explain.DriverReport;
import dev.weaklink.explain.ExplainReport;
import dev.weaklink.explain.KernelDifference;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.codec.Streams;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Numbers;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.KernelFiles;
import dev.weaklink.system.ModuleArguments;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.cache.FactsCache;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Compares two kernels and finds the causes of changed CRCs. */
public final class Explainer {
    /**
     * The minimum number of unexplained CRC changes of vmlinux for a note that the kernels may differ in compiler, CRC
     * generator or configuration.
     */
    private static final int MANY = 20;

    private final ExplainRequest request;
    private final Root root;
    private final List<InputProblem> problems;
    private final Set<String> builtFor = new TreeSet<>();
    private @Nullable DriverFacts driver;

    private boolean damaged;

    private Explainer(ExplainRequest request, Root root, List<InputProblem> problems) {
        this.request = request;
        this.root = root;
        this.problems = problems;
    }

    /**
     * Compares the kernels of the request.
     *
     * @param problems receives problems with files, kernels and modules
     * @throws IOException if the root is not a directory
     */
    public static ExplainReport explain(ExplainRequest request, List<InputProblem> problems, Progress progress)
            throws IOException {
        Root root = request.root() == null ? Root.HOST : Root.of(request.root());
        return new Explainer(request, root, problems).run(progress);
    }

    private ExplainReport run(Progress progress) {
        Map<String, Set<String>> users = users();
        List<String> named = request.from().isEmpty() ? builtFor() : request.from();
        GivenPackages packages = request.reading().packages();
        List<String> kernels = new ArrayList<>(named);
        kernels.addAll(request.to());
        packages.readAll(kernels, progress);
        FoundKernel older = named.isEmpty() ? null : find(named, packages);
        FoundKernel newer = find(request.to(), packages);
        if (older == null || newer == null) {
            return nothing();
        }
        FactsCache cache = request.reading().cache();
        StoredKernels store = StoredKernels.in(root, request.store(), new ArrayList<>());
        BackgroundTask<KernelWithTypes> reading =
                BackgroundTask.start(() -> KernelWithTypes.read(newer, cache).orStored(store, cache));
        KernelWithTypes from = KernelWithTypes.read(older, cache).orStored(store, cache);
        KernelWithTypes to = reading.get();
        problems.addAll(from.problems());
        problems.addAll(to.problems());
        Set<String> asked = new TreeSet<>(request.symbols());
        asked.addAll(users.keySet());
        ExportTable before = from.exports();
        ExportTable after = to.exports();
        if (before == null || after == null) {
            return nothing();
        }
        boolean all = request.symbols().isEmpty() && request.modules().isEmpty();
        Predicate<String> wanted = all ? symbol -> true : asked::contains;
        List<String> incomparable = incomparable(from, to);
        KernelDifference difference = KernelDifference.between(
                before,
                after,
                wanted,
                incomparable.isEmpty(),
                causes(from, to, request.reading().threads()));
        return new ExplainReport(
                name(named, older),
                name(request.to(), newer),
                difference,
                unknown(before, after),
                users,
                driver(from, to, difference),
                incomparable.isEmpty() ? KernelWithTypes.generator(from, to) : null,
                from.generator() == null || to.generator() == null,
                incomparable,
                broken(difference),
                notes(from, to, difference));
    }

    private static List<String> notes(KernelWithTypes from, KernelWithTypes to, KernelDifference difference) {
        List<String> notes = new ArrayList<>();
        from.notes().forEach(note -> notes.add(from.label() + ": " + note));
        to.notes().forEach(note -> notes.add(to.label() + ": " + note));
        if (!difference.changed().isEmpty()) {
            addGenerators(from, to, difference, notes);
        }
        return notes;
    }

    private static void addGenerators(
            KernelWithTypes from, KernelWithTypes to, KernelDifference difference, List<String> notes) {
        String old = from.compiler();
        String now = to.compiler();
        boolean other = old != null && now != null && !old.equals(now);
        if (KernelWithTypes.haveCompilersCrcs(from, to)) {
            notes.add("gendwarfksyms computed the CRCs of at least one kernel from debug information, so no cause is"
                    + " certain: another compiler can change CRCs, too"
                    + (other ? "; " + compilers(from, to) : ""));
        }
        List<String> untold = Stream.of(from, to)
                .filter(kernel -> kernel.generator() == null && kernel.hasChoiceOfGenerator())
                .map(KernelWithTypes::label)
                .toList();
        if (!untold.isEmpty()) {
            notes.add(String.join(", ", untold)
                    + ": kernel configuration not found; assumed generator of the CRCs: "
                    + KernelWithTypes.generator(from, to));
        }
        if (from.types() != null && to.types() != null) {
            addUnexplained(from, to, difference, other ? "; " + compilers(from, to) : "", notes);
        }
    }

    private static void addUnexplained(
            KernelWithTypes from,
            KernelWithTypes to,
            KernelDifference difference,
            String compilers,
            List<String> notes) {
        int changed = difference.changedOf(true);
        int unexplained = difference.unexplainedOf(true);
        if (unexplained >= MANY && unexplained * 2 > changed) {
            notes.add("no changed type was found for most of the changed CRCs of vmlinux: the kernels may differ"
                    + " in compiler, CRC generator or configuration"
                    + compilers);
        }
        int ofModules = difference.unexplainedOf(false);
        if (ofModules > 0 && (!from.mayHaveModuleTypes() || !to.mayHaveModuleTypes())) {
            notes.add(Numbers.grouped(ofModules)
                    + " of the "
                    + Numbers.of(ofModules + unexplained, "symbol")
                    + " without a cause "
                    + (ofModules == 1 ? "is" : "are")
                    + " exported by modules, which have no BTF before Linux 5.11");
        }
    }

    private static String compilers(KernelWithTypes from, KernelWithTypes to) {
        return from.label() + " by " + from.compiler() + ", " + to.label() + " by " + to.compiler();
    }

    private static List<String> incomparable(KernelWithTypes from, KernelWithTypes to) {
        List<String> sentences = new ArrayList<>();
        for (KernelWithTypes kernel : List.of(from, to)) {
            if (!kernel.hasCrcs()) {
                sentences.add(kernel.label() + " has no CRCs: built without CONFIG_MODVERSIONS");
            }
        }
        String before = from.architecture();
        String after = to.architecture();
        if (before != null && after != null && !before.equals(after)) {
            sentences.add(from.label() + " is for " + before + ", " + to.label() + " for " + after);
        }
        String older = from.generator();
        String newer = to.generator();
        if (older != null && newer != null && !older.equals(newer)) {
            sentences.add(from.label() + " has CRCs of " + older + ", " + to.label() + " of " + newer);
        }
        return sentences;
    }

    /**
     * Returns the broken symbols that the stablelist contains; null if no list was requested or the list cannot be
     * read. A stablelist has one symbol on each line, below a heading in brackets.
     */
    private @Nullable List<String> broken(KernelDifference difference) {
        String file = request.stablelist();
        List<String> lines = file == null ? null : lines(file);
        if (lines == null) {
            return null;
        }
        Set<String> listed = new HashSet<>();
        lines.forEach(line -> listed.add(line.strip()));
        Set<String> broken = difference.breaking();
        broken.retainAll(listed);
        return List.copyOf(broken);
    }

    private @Nullable List<String> lines(String file) {
        try (InputStream in = Streams.open(Path.of(file), Limits.TEXT)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (InvalidPathException e) {
            problems.add(new InputProblem(file, "not a valid file name"));
        } catch (IOException e) {
            problems.add(new InputProblem(file, IoReason.of(e)));
        }
        return null;
    }

    private ExplainReport nothing() {
        return new ExplainReport(
                String.join(" ", request.from()),
                String.join(" ", request.to()),
                null,
                List.of(),
                Map.of(),
                null,
                null,
                true,
                List.of(),
                null,
                List.of());
    }

    /**
     * Returns a source of causes that compares the types of two kernels; the source finds nothing if one kernel has no
     * types.
     *
     * @param threads the number of threads that search
     */
    static KernelDifference.Causes causes(KernelWithTypes from, KernelWithTypes to, int threads) {
        TypeGraph before = from.types();
        TypeGraph after = to.types();
        if (before == null || after == null) {
            return KernelDifference.Causes.none();
        }
        ModuleCauses modules = new ModuleCauses(from, to, before, after, exporters(from));
        CauseFinder kernel =
                new CauseFinder(before, after, from.release(), !KernelWithTypes.haveCompilersCrcs(from, to));
        return new KernelDifference.Causes() {
            @Override
            public Map<String, CrcCause> find(Map<String, String> owners) {
                Map<String, List<String>> unchanged = byOwner(owners.isEmpty() ? Map.of() : unchanged(from, to));
                Map<String, CrcCause> causes = new HashMap<>();
                byOwner(owners).forEach((owner, symbols) -> {
                    boolean own = owner.equals(Symvers.VMLINUX);
                    CauseFinder finder = own ? kernel : modules.finder(owner, kernel);
                    if (finder != null) {
                        causes.putAll(finder.find(symbols, unchanged.getOrDefault(owner, List.of()), threads));
                    }
                });
                return causes;
            }

            @Override
            public Map<String, TypeChange> unnoticed(Map<String, String> owners) {
                return kernel.moved(byOwner(owners).getOrDefault(Symvers.VMLINUX, List.of()));
            }
        };
    }

    /**
     * Returns each symbol with the same CRC in both kernels, and its exporter in the newer kernel. Such symbols show
     * {@link CauseFinder} which definitions their source files do not include.
     */
    static Map<String, String> unchanged(KernelWithTypes from, KernelWithTypes to) {
        ExportTable before = from.exports();
        ExportTable after = to.exports();
        Map<String, String> owners = new HashMap<>();
        for (int row = 0; before != null && after != null && row < before.size(); row++) {
            int now = after.find(before.symbol(row));
            if (now >= 0 && before.hasCrc(row) && after.hasCrc(now) && before.crc(row) == after.crc(now)) {
                owners.put(before.symbol(row), after.owner(now));
            }
        }
        return owners;
    }

    private static Map<String, List<String>> byOwner(Map<String, String> owners) {
        Map<String, List<String>> byOwner = new TreeMap<>();
        owners.forEach((symbol, owner) ->
                byOwner.computeIfAbsent(owner, name -> new ArrayList<>()).add(symbol));
        return byOwner;
    }

    static Set<String> exporters(KernelWithTypes kernel) {
        Set<String> names = new HashSet<>();
        ExportTable exports = kernel.exports();
        for (int row = 0; exports != null && row < exports.size(); row++) {
            names.add(ModuleNames.ofPath(exports.owner(row)));
        }
        return names;
    }

    /**
     * Returns the only kernel with this name or in these packages; null with a problem if there is none or more than
     * one.
     */
    private @Nullable FoundKernel find(List<String> named, GivenPackages packages) {
        List<FoundKernel> found = FoundKernel.find(root, request.store(), named, packages, problems);
        if (found.size() > 1) {
            List<String> labels =
                    found.stream().map(reading -> reading.files().label()).toList();
            problems.add(new InputProblem(
                    String.join(" ", named),
                    "several kernels: " + String.join(", ", labels) + "; give one, or the packages of one kernel"));
        }
        return found.size() == 1 ? found.get(0) : null;
    }

    private static String name(List<String> named, FoundKernel found) {
        KernelFiles files = found.files();
        return named.size() == 1 ? named.get(0) : Objects.requireNonNullElse(files.release(), files.label());
    }

    private List<String> unknown(ExportTable before, ExportTable after) {
        return request.symbols().stream()
                .filter(symbol -> before.find(symbol) < 0 && after.find(symbol) < 0)
                .toList();
    }

    private Map<String, Set<String>> users() {
        Map<String, Set<String>> users = new TreeMap<>();
        if (request.modules().isEmpty()) {
            return users;
        }
        List<String> kernels = new ArrayList<>(request.from());
        kernels.addAll(request.to());
        ModuleArguments found = ModuleArguments.expand(request.modules(), InputStream.nullInputStream(), root, kernels);
        problems.addAll(found.problems());
        ModuleBatch batch = ModuleBatch.read(found.modules(), request.reading());
        for (int i = 0; i < found.modules().size(); i++) {
            KernelModule module = batch.module(i);
            addImports(module, users);
            String failure = batch.failure(i);
            if (failure != null) {
                problems.add(new InputProblem(found.modules().get(i).origin().file(), failure));
            } else if (module.release() != null) {
                builtFor.add(module.release());
            } else if (!module.defects().isEmpty()) {
                problems.add(new InputProblem(
                        found.modules().get(i).origin().file(),
                        "damaged, or not a kernel module; get or build the file again"));
                damaged = true;
            }
        }
        if (found.modules().size() == 1) {
            driver = DriverFacts.read(batch);
        }
        return users;
    }

    private @Nullable DriverReport driver(KernelWithTypes from, KernelWithTypes to, KernelDifference difference) {
        return driver == null ? null : driver.report(from, to, difference);
    }

    private static void addImports(KernelModule module, Map<String, Set<String>> users) {
        SymbolNames names = module.imports().names();
        for (int i = 0; i < names.size(); i++) {
            users.computeIfAbsent(names.name(i), name -> new TreeSet<>()).add(module.name());
        }
    }

    /**
     * Returns the kernel that all requested modules were built for; an empty list if that kernel is unknown or the
     * modules were built for different kernels.
     */
    private List<String> builtFor() {
        if (builtFor.size() == 1) {
            return List.copyOf(builtFor);
        }
        if (builtFor.isEmpty() && damaged) {
            return List.of();
        }
        problems.add(new InputProblem(
                "--from",
                "name the kernel to compare with: the modules were built for "
                        + (builtFor.isEmpty() ? "an unknown kernel" : String.join(", ", builtFor))));
        return List.of();
    }
}
