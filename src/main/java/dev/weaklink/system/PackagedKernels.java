package dev.weaklink.system;

import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.ModuleTree.ModuleFile;
import dev.weaklink.system.cache.PackageFacts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Assembles kernels from packages. Packages such as an image and headers, or core and modules, form one kernel if their
 * releases and versions are equal.
 */
public final class PackagedKernels {
    private static final PackageFacts NOTHING = new PackageFacts(List.of(), List.of(), List.of(), null);

    private final GivenPackages packages;
    private final List<InputProblem> problems;
    private final Map<PackagedKernelKey, PackagedKernelParts> kernels = new LinkedHashMap<>();
    private final Set<String> bare = new HashSet<>();

    private record PackagedKernelKey(String release, String version) {}

    public PackagedKernels(GivenPackages packages, List<InputProblem> problems) {
        this.packages = packages;
        this.problems = problems;
    }

    public void add(Path file, String given) {
        PackageFacts facts = packages.read(file, given);
        for (PackagedModule module : facts.modules()) {
            KernelPath place = KernelPath.of(module.path());
            if (place != null) {
                parts(place, module.info()).addModule(given, file, module.path(), module);
            }
        }
        for (PackageFacts.KernelFile met : facts.files()) {
            KernelPath place = KernelPath.of(met.path());
            if (place != null) {
                FoundFile found = new FoundFile(given + "!" + met.member(), file, met.bytes());
                parts(place, met.info()).addFile(given, place, found);
            }
        }
        GivenPackages.report(facts, given, problems);
        if (facts.equals(NOTHING)) {
            bare.add(given);
        }
    }

    /**
     * Returns whether a package contains neither modules nor kernel files, such as a package that only depends on
     * others. A package with problems is not bare.
     */
    public boolean isBare(String given) {
        return bare.contains(given);
    }

    private PackagedKernelParts parts(KernelPath place, PackageInfo info) {
        PackagedKernelParts parts = kernels.computeIfAbsent(
                new PackagedKernelKey(place.release(), info.version()),
                key -> new PackagedKernelParts(place.release()));
        parts.addOwner(info);
        return parts;
    }

    public List<String> unused(List<String> packages) {
        List<String> unused = new ArrayList<>(packages);
        for (PackagedKernelParts parts : kernels.values()) {
            if (parts.isKernel()) {
                unused.removeAll(parts.packages());
            }
        }
        return unused;
    }

    public List<KernelFiles> kernels() {
        List<PackagedKernelParts> found = new ArrayList<>(kernels.values());
        found.removeIf(parts -> !parts.isKernel());
        List<KernelFiles> all = new ArrayList<>(found.size());
        for (PackagedKernelParts parts : found) {
            all.add(parts.kernel(isOnlyOneOfItsPackage(parts, found)));
        }
        return all;
    }

    private static boolean isOnlyOneOfItsPackage(PackagedKernelParts parts, List<PackagedKernelParts> all) {
        for (PackagedKernelParts other : all) {
            if (other != parts && other.firstPackage().equals(parts.firstPackage())) {
                return false;
            }
        }
        return true;
    }

    /**
     * Collects the parts of one kernel from packages. If two packages contain a module at the same path, the later
     * package counts.
     */
    private static final class PackagedKernelParts {
        private final String release;
        private final Set<String> packages = new LinkedHashSet<>();
        private final Set<String> owners = new LinkedHashSet<>();
        private final Map<String, ModuleFile> files = new TreeMap<>();
        private final Map<String, PackagedModule> modules = new TreeMap<>();
        private final Map<String, PlacedFile> parts = new TreeMap<>();

        private record PlacedFile(KernelPath place, FoundFile file) {}

        PackagedKernelParts(String release) {
            this.release = release;
        }

        void addOwner(PackageInfo owner) {
            if (!owner.name().isEmpty()) {
                owners.add(owner.name() + " " + owner.version() + " ("
                        + owner.kind().id() + ")");
            }
        }

        void addModule(String given, Path host, String path, PackagedModule module) {
            packages.add(given);
            String inside = path.startsWith("/usr/") ? path.substring("/usr".length()) : path;
            String name = ModuleNames.ofFile(inside.substring(inside.lastIndexOf('/') + 1));
            files.put(inside, new ModuleFile(name, inside, host));
            modules.put(inside, module);
        }

        void addFile(String given, KernelPath place, FoundFile file) {
            packages.add(given);
            parts.put(file.inside(), new PlacedFile(place, file));
        }

        boolean isKernel() {
            if (!parts.isEmpty()) {
                return true;
            }
            for (String path : files.keySet()) {
                if (path.startsWith("/lib/modules/" + release + "/kernel/")) {
                    return true;
                }
            }
            return false;
        }

        String firstPackage() {
            return packages.iterator().next();
        }

        Set<String> packages() {
            return packages;
        }

        /**
         * Returns the kernel, labelled with its first package.
         *
         * @param only true if no other kernel has the same first package; if false, the label includes the release
         */
        KernelFiles kernel(boolean only) {
            String first = firstPackage();
            return new KernelFiles(
                    only ? first : first + "!" + release,
                    TargetKind.PACKAGE,
                    release,
                    byRole(),
                    files.isEmpty() ? null : tree(),
                    modules,
                    notes(first),
                    null);
        }

        private List<String> notes(String first) {
            List<String> notes = new ArrayList<>();
            if (!owners.isEmpty()) {
                notes.add("from " + String.join(", ", owners));
            }
            for (String other : packages) {
                if (!other.equals(first)) {
                    notes.add("together with " + other);
                }
            }
            return notes;
        }

        private ModuleTree tree() {
            List<ModuleFile> all = new ArrayList<>(files.values());
            Path host = all.get(0).host();
            return ModuleTree.of(new ModulesDirectory("/lib/modules/" + release, host), all);
        }

        private Map<KernelFiles.Role, List<FoundFile>> byRole() {
            List<PlacedFile> preferred = new ArrayList<>(parts.values());
            preferred.sort(Comparator.comparingInt(part -> part.place().rank()));
            Map<KernelFiles.Role, List<FoundFile>> found = new EnumMap<>(KernelFiles.Role.class);
            for (PlacedFile part : preferred) {
                found.computeIfAbsent(part.place().role(), role -> new ArrayList<>())
                        .add(part.file());
            }
            return found;
        }
    }
}
