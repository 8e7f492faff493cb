package dev.weaklink.system;

import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The module files of one kernel, and the file that depmod would choose for each module name. */
public final class ModuleTree {
    private final ModulesDirectory directory;
    private final DepmodConfig config;
    private final List<ModuleFile> inOrder;
    private final List<String> names;
    private final Map<String, ModuleFile> chosen;
    private final List<InputProblem> problems;
    private final OutOfTree rules;
    private @Nullable List<ModuleFile> all;
    private @Nullable List<ModuleFile> outOfTree;

    private ModuleTree(
            ModulesDirectory directory,
            DepmodConfig config,
            List<ModuleFile> inOrder,
            List<InputProblem> problems,
            OutOfTree rules) {
        this.directory = directory;
        this.config = config;
        this.rules = rules;
        this.inOrder = List.copyOf(inOrder);
        this.chosen = choose(inOrder, config, directory);
        List<String> sorted = new ArrayList<>(chosen.keySet());
        sorted.sort(null);
        this.names = List.copyOf(sorted);
        this.problems = List.copyOf(problems);
    }

    /**
     * Scans a kernel's directory and the external directories, using the root directory's depmod.d configuration.
     *
     * @throws IOException if the release is not a valid name or has no module directory, or links form a cycle
     */
    public static ModuleTree scan(Root root, String release) throws IOException {
        return scan(root, release, DepmodConfig.read(root, release));
    }

    public static ModuleTree scan(Root root, String release, DepmodConfig config) throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(root, release);
        if (directory == null) {
            throw new NoSuchFileException("/lib/modules/" + release, null, "no kernel " + release + " in " + root);
        }
        List<InputProblem> problems = new ArrayList<>(config.problems());
        TreeWalk walk = new TreeWalk(root, skippedNames(config), problems);
        walk.start(directory.inside(), directory.host());
        for (String name : List.of("extra", "updates")) {
            if (new RootText(root).dangles(directory.inside(), name)) {
                problems.add(new InputProblem(directory.inside() + "/" + name, "dangling link", true));
            }
        }
        for (int i = config.externals().size() - 1; i >= 0; i--) {
            walkExternal(root, config.externals().get(i), walk, problems);
        }
        return new ModuleTree(directory, config, walk.found(), problems, OutOfTree.in(root, directory));
    }

    /**
     * Returns this tree without some files and with some additional files. The additional files count as the last files
     * that depmod reads.
     */
    public ModuleTree changed(Predicate<ModuleFile> without, List<ModuleFile> with) {
        List<ModuleFile> files = new ArrayList<>(inOrder.size() + with.size());
        for (ModuleFile file : inOrder) {
            if (!without.test(file)) {
                files.add(file);
            }
        }
        files.addAll(with);
        return new ModuleTree(directory, config, files, problems, rules);
    }

    public static ModuleTree of(ModulesDirectory directory, List<ModuleFile> files) {
        OutOfTree rules = OutOfTree.inPackage(directory);
        return new ModuleTree(directory, DepmodConfig.DEFAULT, files, List.of(), rules);
    }

    private static Set<String> skippedNames(DepmodConfig config) {
        Set<String> names = new HashSet<>(config.excludes());
        names.add("build");
        names.add("source");
        return names;
    }

    private static void walkExternal(Root root, String external, TreeWalk walk, List<InputProblem> problems) {
        try {
            Path host = root.resolve(external);
            if (Files.isDirectory(host)) {
                walk.start(external, host);
            } else {
                problems.add(new InputProblem(external, "external directory does not exist", true));
            }
        } catch (IOException e) {
            problems.add(new InputProblem(external, IoReason.of(e)));
        }
    }

    private static Map<String, ModuleFile> choose(
            List<ModuleFile> inOrder, DepmodConfig config, ModulesDirectory directory) {
        ModulePriority priority = new ModulePriority(config, directory.inside());
        Map<String, ModuleFile> chosen = new HashMap<>(inOrder.size() * 2);
        for (ModuleFile file : inOrder) {
            ModuleFile before = chosen.putIfAbsent(file.name(), file);
            if (before != null && priority.replaces(file.inside(), before.inside())) {
                chosen.put(file.name(), file);
            }
        }
        return chosen;
    }

    public ModulesDirectory directory() {
        return directory;
    }

    public List<String> names() {
        return names;
    }

    /**
     * Returns the file that depmod would choose for a module name ('-' and '_' are equivalent); null if there is none.
     */
    public @Nullable ModuleFile chosen(String name) {
        return chosen.get(ModuleNames.normalized(name));
    }

    public synchronized List<ModuleFile> all() {
        List<ModuleFile> sorted = all;
        if (sorted == null) {
            List<ModuleFile> files = new ArrayList<>(inOrder);
            files.sort(null);
            sorted = List.copyOf(files);
            all = sorted;
        }
        return sorted;
    }

    public List<ModuleFile> inOrder() {
        return inOrder;
    }

    public boolean isListed(String place) {
        return rules.isListed(place);
    }

    synchronized List<ModuleFile> outOfTree() {
        List<ModuleFile> found = outOfTree;
        if (found == null) {
            found = List.copyOf(rules.among(inOrder));
            outOfTree = found;
        }
        return found;
    }

    public List<InputProblem> problems() {
        return problems;
    }

    /**
     * Chooses between two files with the same module name as depmod does (kmod tools/depmod.c,
     * depmod_module_is_higher_priority; observed with kmod 30). The rule is not symmetric. Of two files in the same
     * search directory, depmod usually keeps the first. It keeps the last if the directory ranks above {@code built-in}
     * and is not external.
     */
    private static final class ModulePriority {
        private static final int LOWEST = Integer.MIN_VALUE;

        private final String base;

        private final Map<String, Integer> overrides = new HashMap<>();

        /**
         * The steps of the search, the strongest first, with the configured external directories in place of the word
         * {@code external}.
         */
        private final List<SearchStep> steps;

        private record SearchStep(String directory, boolean external) {}

        ModulePriority(DepmodConfig config, String base) {
            this.base = base;
            this.steps = steps(config);
            for (String override : config.overrides()) {
                overrides.putIfAbsent(override, overrides.size());
            }
        }

        private static List<SearchStep> steps(DepmodConfig config) {
            Set<SearchStep> steps = new LinkedHashSet<>();
            for (String directory : new LinkedHashSet<>(config.search())) {
                if (directory.equals(DepmodConfig.EXTERNAL)) {
                    for (String external : config.externals()) {
                        steps.add(new SearchStep(external, true));
                    }
                } else {
                    steps.add(new SearchStep(directory, false));
                }
            }
            return List.copyOf(steps);
        }

        boolean replaces(String now, String before) {
            Integer nowOverride = overrides.get(overrideKey(now));
            Integer beforeOverride = overrides.get(overrideKey(before));
            if (nowOverride != null || beforeOverride != null) {
                return beforeOverride == null || (nowOverride != null && nowOverride <= beforeOverride);
            }
            return ranksAbove(now, before);
        }

        private boolean ranksAbove(String now, String before) {
            int builtIn = LOWEST;
            int nowRank = LOWEST;
            int beforeRank = LOWEST;
            for (int i = steps.size() - 1; i >= 0; i--) {
                SearchStep step = steps.get(i);
                int rank = -i;
                if (!step.external() && step.directory().equals(DepmodConfig.BUILT_IN)) {
                    builtIn = rank;
                    continue;
                }
                boolean holdsNow = holds(step, now);
                nowRank = holdsNow ? rank : nowRank;
                // If a directory contains both files, it counts only for the file read last, unless the directory is
                // external.
                boolean countsForBefore = step.external() || !holdsNow;
                beforeRank = countsForBefore && holds(step, before) ? rank : beforeRank;
            }
            return (nowRank == LOWEST ? builtIn : nowRank) > (beforeRank == LOWEST ? builtIn : beforeRank);
        }

        private boolean holds(SearchStep step, String file) {
            String directory = step.external() ? step.directory() : base + "/" + step.directory();
            return isBelow(file, directory);
        }

        private static boolean isBelow(String file, String directory) {
            return file.length() > directory.length()
                    && file.charAt(directory.length()) == '/'
                    && file.startsWith(directory);
        }

        /**
         * Returns the path below the kernel's directory up to the first dot of the file's name. Unlike in module names,
         * dashes are not replaced.
         */
        private String overrideKey(String file) {
            if (!isBelow(file, base)) {
                return "";
            }
            int dot = file.indexOf('.', file.lastIndexOf('/') + 1);
            return file.substring(base.length() + 1, dot < 0 ? file.length() : dot);
        }
    }

    /**
     * A module file of a kernel; ordered by path.
     *
     * @param name the module's name for modprobe(8), with {@code '_'} for {@code '-'}
     * @param inside the path inside the root directory, such as {@code /lib/modules/K/extra/m.ko}
     * @param host the path to open; for a link, its target inside the root directory; for a packaged module, the
     *     package
     * @param identity the file's identity when it was found, null if unknown
     */
    public record ModuleFile(
            String name, String inside, Path host, @Nullable FileIdentity identity) implements Comparable<ModuleFile> {
        public ModuleFile(String name, String inside, Path host) {
            this(name, inside, host, null);
        }

        @Override
        public int compareTo(ModuleFile other) {
            return inside.compareTo(other.inside);
        }
    }
}
