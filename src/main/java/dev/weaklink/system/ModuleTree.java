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

/** The module files of one installed kernel, and which of them depmod would choose for each name. */
public final class ModuleTree {
    private final ModulesDirectory directory;
    private final DepmodConfig config;
    private final List<ModuleFile> inOrder;
    private final List<ModuleFile> all;
    private final List<String> names;
    private final Map<String, ModuleFile> chosen;
    private final List<InputProblem> problems;

    /** Files in the order in which depmod would meet them. */
    private ModuleTree(
            ModulesDirectory directory, DepmodConfig config, List<ModuleFile> inOrder, List<InputProblem> problems) {
        this.directory = directory;
        this.config = config;
        this.inOrder = inOrder;
        this.all = new ArrayList<>(inOrder);
        this.all.sort(null);
        this.chosen = choose(inOrder, config, directory);
        this.names = new ArrayList<>(chosen.keySet());
        this.names.sort(null);
        this.problems = problems;
    }

    /**
     * Scans a kernel's directory, with the root's own depmod.d configuration.
     *
     * @throws IOException if the root has no directory for this kernel release
     */
    public static ModuleTree scan(Root root, String release) throws IOException {
        return scan(root, release, DepmodConfig.read(root, release));
    }

    /** Like {@link #scan(Root, String)}, with a given configuration. */
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
        return new ModuleTree(directory, config, walk.found(), problems);
    }

    /** The same tree without some of its files and with others added, which depmod is taken to meet last. */
    public ModuleTree changed(Predicate<ModuleFile> without, List<ModuleFile> with) {
        List<ModuleFile> files = new ArrayList<>(inOrder.size() + with.size());
        for (ModuleFile file : inOrder) {
            if (!without.test(file)) {
                files.add(file);
            }
        }
        files.addAll(with);
        return new ModuleTree(directory, config, files, problems);
    }

    /** A tree of files that are known already, without any configuration of depmod. */
    public static ModuleTree of(ModulesDirectory directory, List<ModuleFile> files) {
        return new ModuleTree(directory, DepmodConfig.DEFAULT, List.copyOf(files), List.of());
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

    /** The kernel's directory. */
    public ModulesDirectory directory() {
        return directory;
    }

    /** Names of all modules, sorted. */
    public List<String> names() {
        return List.copyOf(names);
    }

    /** The file depmod would choose for a name ('-' and '_' are the same), or null if there is none. */
    public @Nullable ModuleFile chosen(String name) {
        return chosen.get(ModuleNames.normalized(name));
    }

    /** Every module file, shadowed ones too, sorted by path. */
    public List<ModuleFile> all() {
        return List.copyOf(all);
    }

    /** What was passed over, in the order it was met. */
    public List<InputProblem> problems() {
        return List.copyOf(problems);
    }

    /**
     * Which of two files with the same module name depmod keeps (kmod tools/depmod.c, depmod_module_is_higher_priority;
     * observed with kmod 30). The rule is not symmetric: of two files in the same search directory the one met later
     * wins if that directory ranks above {@code built-in}, else the one met first.
     */
    private static final class ModulePriority {
        private static final int LOWEST = Integer.MIN_VALUE;

        private final String base;

        /** How many overrides are stronger, for each. */
        private final Map<String, Integer> overrides = new HashMap<>();

        /** Search steps, the strongest first, with the external directories in the place of their name. */
        private final List<Step> steps;

        private record Step(String directory, boolean external) {}

        /** The kernel's directory as seen from inside the root, without a slash at the end. */
        ModulePriority(DepmodConfig config, String base) {
            this.base = base;
            this.steps = steps(config);
            for (String override : config.overrides()) {
                overrides.putIfAbsent(override, overrides.size());
            }
        }

        private static List<Step> steps(DepmodConfig config) {
            Set<Step> steps = new LinkedHashSet<>();
            for (String directory : new LinkedHashSet<>(config.search())) {
                if (directory.equals(DepmodConfig.EXTERNAL)) {
                    for (String external : config.externals()) {
                        steps.add(new Step(external, true));
                    }
                } else {
                    steps.add(new Step(directory, false));
                }
            }
            return List.copyOf(steps);
        }

        /** Whether a file met now takes the place of the one met before. */
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
                Step step = steps.get(i);
                int rank = -i;
                if (!step.external() && step.directory().equals(DepmodConfig.BUILT_IN)) {
                    builtIn = rank;
                    continue;
                }
                boolean holdsNow = holds(step, now);
                nowRank = holdsNow ? rank : nowRank;
                // An ordinary directory that holds both counts for the newcomer alone.
                boolean countsForBefore = step.external() || !holdsNow;
                beforeRank = countsForBefore && holds(step, before) ? rank : beforeRank;
            }
            return (nowRank == LOWEST ? builtIn : nowRank) > (beforeRank == LOWEST ? builtIn : beforeRank);
        }

        private boolean holds(Step step, String file) {
            String directory = step.external() ? step.directory() : base + "/" + step.directory();
            return isBelow(file, directory);
        }

        private static boolean isBelow(String file, String directory) {
            return file.length() > directory.length()
                    && file.charAt(directory.length()) == '/'
                    && file.startsWith(directory);
        }

        /** The path below the kernel's directory up to the name's first dot, dashes kept. */
        private String overrideKey(String file) {
            if (!isBelow(file, base)) {
                return "";
            }
            int dot = file.indexOf('.', file.lastIndexOf('/') + 1);
            return file.substring(base.length() + 1, dot < 0 ? file.length() : dot);
        }
    }

    /**
     * A module's file in an installed tree; ordered by its path.
     *
     * @param name the module's name as modprobe(8) knows it, with {@code '_'} for {@code '-'}
     * @param inside the path as seen from inside the root, such as {@code /lib/modules/K/extra/m.ko}
     * @param host the path to open; where the file is a link, what it points to inside the root
     * @param identity what was there when it was found; null if nobody asked
     */
    public record ModuleFile(
            String name, String inside, Path host, @Nullable FileIdentity identity) implements Comparable<ModuleFile> {
        /** A file of which only its place is known. */
        public ModuleFile(String name, String inside, Path host) {
            this(name, inside, host, null);
        }

        @Override
        public int compareTo(ModuleFile other) {
            return inside.compareTo(other.inside);
        }
    }
}
