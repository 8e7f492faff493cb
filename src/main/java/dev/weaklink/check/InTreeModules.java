package dev.weaklink.check;

import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.ModuleTree.ModuleFile;
import dev.weaklink.system.OutOfTree;
import dev.weaklink.system.cache.FactsCache;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The modules of a kernel that depmod would select, including out-of-tree modules. Each module is read on demand and
 * then remembered. Unreadable files are skipped and recorded as failures.
 */
final class InTreeModules {
    private static final int SAMPLE_TRIES = 16;
    private static final int WORTH_A_THREAD = 4;

    private final ModuleTree tree;
    private final Map<String, PackagedModule> packaged;
    private final ReadOptions options;
    private final Set<String> outOfTree = new HashSet<>();
    private final Map<String, KernelModule> read = new HashMap<>();
    private final Map<String, String> failures = new TreeMap<>();
    private final Set<String> proven = new HashSet<>();
    private @Nullable TrustedKeys keys;

    /**
     * The modules from which {@link #without} copied this object, null if this is not a copy. Verdicts depend on both
     * objects, so the original also records the copy's failures.
     */
    private @Nullable InTreeModules original;

    InTreeModules(ModuleTree tree, Map<String, PackagedModule> packaged, ReadOptions options) {
        this.tree = tree;
        this.packaged = packaged;
        this.options = options;
        for (ModuleFile file : OutOfTree.of(tree)) {
            outOfTree.add(file.inside());
        }
    }

    /**
     * Returns the modules that depmod would select without these files. If the files replace other modules of the
     * kernel, depmod then selects the replaced modules. Returns this object if it contains none of the files.
     */
    InTreeModules without(Collection<Path> files) {
        Set<Path> gone = new HashSet<>(files);
        boolean has = false;
        for (ModuleFile file : tree.inOrder()) {
            has |= gone.contains(file.host());
        }
        if (!has) {
            return this;
        }
        ModuleTree changed = tree.changed(file -> gone.contains(file.host()), List.of());
        InTreeModules others = new InTreeModules(changed, packaged, options);
        others.keys = keys;
        others.original = this;
        read.forEach((name, module) -> {
            if (Objects.equals(changed.chosen(name), tree.chosen(name)) && !proven.contains(name)) {
                others.read.put(name, module);
            }
        });
        return others;
    }

    FactsCache cache() {
        return options.cache();
    }

    ModuleTree tree() {
        return tree;
    }

    int size() {
        return tree.names().size();
    }

    List<String> names() {
        return tree.names();
    }

    boolean hasInTree() {
        for (String name : tree.names()) {
            if (isInTree(tree.chosen(name))) {
                return true;
            }
        }
        return false;
    }

    Set<String> inTreeNames() {
        Set<String> names = new HashSet<>();
        for (ModuleFile file : tree.inOrder()) {
            if (isInTree(file)) {
                names.add(file.name());
            }
        }
        return names;
    }

    private boolean isInTree(@Nullable ModuleFile file) {
        return file != null && !outOfTree.contains(file.inside());
    }

    /**
     * Returns an undamaged in-tree module, which shows facts that all modules of the kernel's build share. Returns null
     * if none of the first few in-tree modules is readable and undamaged.
     */
    @Nullable
    KernelModule sample() {
        int tries = 0;
        for (String name : tree.names()) {
            if (isInTree(tree.chosen(name)) && tries++ < SAMPLE_TRIES) {
                for (KernelModule module : named(List.of(name))) {
                    if (isUndamaged(module)) {
                        return module;
                    }
                }
            }
        }
        return null;
    }

    /** Returns a few undamaged in-tree modules, spread evenly over the list of names. */
    List<KernelModule> witnesses() {
        List<String> names = new ArrayList<>();
        for (String name : tree.names()) {
            if (isInTree(tree.chosen(name))) {
                names.add(name);
            }
        }
        List<String> spread = new ArrayList<>();
        int count = Math.min(names.size(), SAMPLE_TRIES);
        for (int i = 0; i < count; i++) {
            spread.add(names.get(i * names.size() / count));
        }
        List<KernelModule> witnesses = new ArrayList<>(named(spread));
        witnesses.removeIf(module -> !isUndamaged(module));
        return witnesses;
    }

    private static boolean isUndamaged(KernelModule module) {
        for (ElfDefect defect : module.defects()) {
            if (defect.isOfFile()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the offset at which the BTF strings of these modules start, behind the kernel's own strings (see
     * {@link ModuleReader#firstString}). Returns -1 if fewer than two of the sampled modules show the offset, or if any
     * two disagree.
     */
    int firstString() {
        List<ModuleFile> files = new ArrayList<>();
        for (String name : tree.names()) {
            ModuleFile file = tree.chosen(name);
            if (isInTree(file) && file != null && files.size() < SAMPLE_TRIES) {
                files.add(file);
            }
        }
        int[] found = new int[files.size()];
        Arrays.fill(found, -1);
        BitSet all = new BitSet();
        all.set(0, found.length);
        facts(files, false).again(all, (i, data, length) -> found[i] = ModuleReader.firstString(data, length));
        int first = -1;
        int agreeing = 0;
        for (int one : found) {
            if (one >= 0 && first >= 0 && one != first) {
                return -1;
            }
            first = Math.max(first, one);
            agreeing += one >= 0 ? 1 : 0;
        }
        return agreeing > 1 ? first : -1;
    }

    List<KernelModule> all() {
        return named(tree.names());
    }

    /**
     * Returns the names of this kernel's modules on which these modules depend by {@code depends}, directly or through
     * other modules.
     */
    Set<String> dependencies(Collection<KernelModule> modules) {
        Set<String> all = new TreeSet<>();
        Collection<KernelModule> asking = modules;
        while (!asking.isEmpty()) {
            Set<String> next = new TreeSet<>();
            for (KernelModule module : asking) {
                if (module.modInfo().knows("depends")) {
                    for (String name : module.modInfo().depends()) {
                        String normalized = ModuleNames.normalized(name);
                        if (has(normalized) && all.add(normalized)) {
                            next.add(normalized);
                        }
                    }
                }
            }
            asking = named(next);
        }
        return all;
    }

    List<KernelModule> inTree() {
        return inTree(tree.names());
    }

    List<KernelModule> inTree(Collection<String> names) {
        List<String> own = new ArrayList<>();
        for (String name : names) {
            if (isInTree(tree.chosen(name))) {
                own.add(name);
            }
        }
        return named(own);
    }

    List<KernelModule> outOfTree() {
        List<String> names = new ArrayList<>();
        if (!outOfTree.isEmpty()) {
            for (String name : tree.names()) {
                if (!isInTree(tree.chosen(name))) {
                    names.add(name);
                }
            }
        }
        return named(names);
    }

    /**
     * Returns the modules with these names, in this order. Skips names without a module and modules that cannot be
     * read.
     */
    List<KernelModule> named(Collection<String> names) {
        List<ModuleFile> missing = new ArrayList<>();
        for (String name : names) {
            ModuleFile file = tree.chosen(name);
            if (file != null && !read.containsKey(name) && !failures.containsKey(file.inside())) {
                missing.add(file);
            }
        }
        if (!missing.isEmpty()) {
            read(missing);
        }
        List<KernelModule> modules = new ArrayList<>(names.size());
        for (String name : names) {
            KernelModule module = read.get(name);
            if (module != null) {
                modules.add(module);
            }
        }
        return modules;
    }

    void trust(TrustedKeys trusted) {
        if (keys != trusted) {
            keys = trusted;
            proven.clear();
        }
    }

    /**
     * Returns the modules as {@link #named} does, with verified signatures. Signatures stay unverified if no keys are
     * set.
     */
    List<KernelModule> proven(Collection<String> names) {
        TrustedKeys trusted = keys;
        if (trusted == null) {
            return named(names);
        }
        List<ModuleFile> open = new ArrayList<>();
        for (String name : names) {
            ModuleFile file = tree.chosen(name);
            if (file != null && !failures.containsKey(file.inside()) && proven.add(name)) {
                open.add(file);
            }
        }
        if (!open.isEmpty()) {
            ModuleFacts facts = facts(open, true);
            keep(open, facts, SignatureCheck.run(trusted, facts));
        }
        return named(names);
    }

    private void read(List<ModuleFile> files) {
        keep(files, facts(files, false), SignatureCheck.Proofs.none(files.size()));
    }

    private void keep(List<ModuleFile> files, ModuleFacts facts, SignatureCheck.Proofs proofs) {
        for (int i = 0; i < files.size(); i++) {
            KernelModule module = facts.module(i);
            String failure = facts.failure(i);
            if (module != null) {
                read.put(files.get(i).name(), proofs.applied(i, module));
            } else if (failure != null) {
                failures.put(files.get(i).inside(), failure);
                if (original != null) {
                    original.failures.put(files.get(i).inside(), failure);
                }
            }
        }
    }

    private ModuleFacts facts(List<ModuleFile> files, boolean digested) {
        ModuleFacts.ModuleInput[] sources = new ModuleFacts.ModuleInput[files.size()];
        for (int i = 0; i < sources.length; i++) {
            ModuleFile file = files.get(i);
            PackagedModule known = packaged.get(file.inside());
            sources[i] = new ModuleFacts.ModuleInput(file.host(), Origin.file(file.inside()), null, known);
        }
        int threads = sources.length > WORTH_A_THREAD ? options.threads() : 1;
        ReadOptions reading = new ReadOptions(threads, options.cache());
        return ModuleFacts.start(sources, reading, module -> digested, count -> {})
                .finish();
    }

    boolean has(String name) {
        return tree.chosen(name) != null;
    }

    Set<String> unreadableNames() {
        Set<String> unreadable = new HashSet<>();
        for (String file : failures.keySet()) {
            unreadable.add(Origin.moduleName(file));
        }
        return unreadable;
    }

    Map<String, String> failures() {
        return failures;
    }
}
