package dev.weaklink.system;

import dev.weaklink.format.archive.DiskImage;
import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.Similar;
import dev.weaklink.sys.StalledReads;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.BuildSearch.Build;
import dev.weaklink.system.InstalledModules.InstalledBuild;
import dev.weaklink.system.ModuleTree.ModuleFile;
import dev.weaklink.system.cache.PackageFacts;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The modules that a command's arguments select, each file once, in the order of the arguments. Files found below a
 * directory are sorted by path.
 *
 * @param modules the modules to judge
 * @param judged the lines of the report about modules chosen below /lib/modules, one for each argument and kernel
 * @param problems the unusable arguments and files
 */
public record ModuleArguments(List<ModuleSource> modules, List<String> judged, List<InputProblem> problems) {
    public ModuleArguments {
        modules = List.copyOf(modules);
        judged = List.copyOf(judged);
        problems = List.copyOf(problems);
    }

    public static ModuleArguments of(Build build, GivenPackages packages) {
        if (!build.packaged()) {
            return expand(List.of(build.file()), InputStream.nullInputStream(), Root.HOST, List.of());
        }
        Path file = Path.of(build.file());
        List<InputProblem> problems = new ArrayList<>();
        List<ModuleSource> modules = PackageModules.of(packages.read(file, build.file()), file, build.file(), problems);
        return new ModuleArguments(modules, List.of(), problems);
    }

    /**
     * Finds the modules of a command. A package or directory selects all modules in it, and {@code -} selects the paths
     * on standard input. A bare name that is not a file selects an out-of-tree build of this module
     * ({@link InstalledModules#build}), or else the in-tree module. If there is neither, the name selects the
     * out-of-tree modules below a directory of this name ({@link InstalledModules#below}). A path such as
     * {@code extra/driver} that does not exist selects the out-of-tree modules below that directory of a kernel.
     *
     * @param releases the kernels for which such names and directories are looked up
     */
    public static ModuleArguments expand(List<String> arguments, InputStream stdin, Root root, List<String> releases) {
        return expand(arguments, stdin, root, releases, GivenPackages.unkept(), false);
    }

    public static ModuleArguments expand(
            List<String> arguments,
            InputStream stdin,
            Root root,
            List<String> releases,
            GivenPackages packages,
            boolean identities) {
        ModuleCollector collector = new ModuleCollector(root, releases, packages, identities);
        for (String argument : arguments) {
            if (argument.equals("-")) {
                collector.addList(stdin);
            } else {
                collector.addArgument(argument);
            }
        }
        return collector.result();
    }

    private static final class PackageModules {
        private PackageModules() {}

        static List<ModuleSource> of(PackageFacts facts, Path file, String given, List<InputProblem> problems) {
            GivenPackages.report(facts, given, problems);
            Map<String, PackagedModule> modules = new TreeMap<>();
            Map<String, List<PackagedModule>> packages = new TreeMap<>();
            for (PackagedModule module : facts.modules()) {
                modules.put(module.member(), module);
                packages.computeIfAbsent(module.container(), key -> new ArrayList<>())
                        .add(module);
            }
            packages.forEach((container, contents) -> compareRequires(given, container, contents, problems));
            List<ModuleSource> found = new ArrayList<>(modules.size());
            for (PackagedModule module : modules.values()) {
                found.add(new ModuleSource(file, given, module));
            }
            return found;
        }

        private static void compareRequires(
                String given, String container, List<PackagedModule> contents, List<InputProblem> problems) {
            PackageInfo owner = contents.get(0).info();
            if (!SymbolRequires.areIn(owner)) {
                return;
            }
            List<KernelModule> modules = new ArrayList<>(contents.size());
            for (PackagedModule module : contents) {
                try {
                    modules.add(module.facts().read());
                } catch (UnreadableException e) {
                    // the check of the module reports the error
                    continue;
                }
            }
            String wrong = SymbolRequires.contradiction(owner, modules);
            if (wrong != null) {
                problems.add(new InputProblem(GivenPackages.subject(given, container), wrong));
            }
        }
    }

    private static final class ModuleCollector {
        private static final String WHAT_TO_GIVE = "give the path of a module file, or the name of an installed module";

        /** The names of links in a kernel's directory to its sources. depmod skips these links, too. */
        private static final Set<String> KERNEL_SOURCES = Set.of("build", "source");

        private final Root root;
        private final List<String> releases;
        private final GivenPackages packages;
        private final boolean identities;
        private final List<ModuleSource> modules = new ArrayList<>();
        private final Set<Path> known = new HashSet<>();
        private final List<InputProblem> problems = new ArrayList<>();
        private final Set<String> judged = new LinkedHashSet<>();
        private @Nullable InstalledModules installed;

        ModuleCollector(Root root, List<String> releases, GivenPackages packages, boolean identities) {
            this.root = root;
            this.packages = packages;
            this.identities = identities;
            this.releases = releases;
        }

        ModuleArguments result() {
            return new ModuleArguments(modules, new ArrayList<>(judged), problems);
        }

        void addArgument(String argument) {
            if (argument.isEmpty()) {
                // The system refuses an empty path, but NIO treats it as the current directory.
                problems.add(new InputProblem(argument, "no such file; " + WHAT_TO_GIVE));
                return;
            }
            try {
                addPath(Path.of(argument), argument);
            } catch (InvalidPathException e) {
                problems.add(new InputProblem(argument, "not a valid path"));
            }
        }

        void addList(InputStream stdin) {
            for (Path path : PathList.read(stdin, problems)) {
                addPath(path, path.toString());
            }
        }

        private void addPath(Path path, String given) {
            try {
                Path real = StalledReads.watched(path, path::toRealPath);
                if (isPackage(real)) {
                    addPackage(real, given);
                } else if (Files.isDirectory(real)) {
                    addDirectory(real, given);
                } else {
                    addFile(real, given);
                }
            } catch (NoSuchFileException e) {
                addInstalled(given);
            } catch (IOException e) {
                problems.add(new InputProblem(given, IoReason.of(e)));
            }
        }

        private void addFile(Path real, String given) {
            DiskImage image = isNamedAsModule(real) ? null : DiskImage.of(real);
            if (image == null) {
                add(real, given, null);
            } else {
                problems.add(new InputProblem(given, image.advice(given)));
            }
        }

        private static boolean isNamedAsModule(Path real) {
            return ModuleNames.isModuleFile(String.valueOf(real.getFileName()));
        }

        /**
         * Returns whether the file is a package. Files named like modules are not opened here: there may be thousands
         * of them, and they are read soon anyway.
         */
        private static boolean isPackage(Path real) {
            return !isNamedAsModule(real) && PackageReader.isPackage(real);
        }

        private void addPackage(Path real, String given) {
            if (!known.add(real)) {
                return;
            }
            int before = problems.size();
            List<ModuleSource> found = PackageModules.of(packages.read(real, given), real, given, problems);
            if (found.isEmpty() && problems.size() == before) {
                problems.add(
                        new InputProblem(given, "no files named " + ModuleNames.ENDINGS_IN_WORDS + " in the package"));
            }
            modules.addAll(found);
        }

        private void addDirectory(Path real, String given) {
            List<InputProblem> met = new ArrayList<>();
            TreeWalk walk = new TreeWalk(Root.HOST, Set.of(), met).withoutLinks(KERNEL_SOURCES);
            if (identities) {
                walk.withIdentities();
            }
            walk.start(withoutTrailingSlashes(given), real);
            report(met);
            List<ModuleFile> found = walk.found();
            if (found.isEmpty() && met.isEmpty()) {
                problems.add(new InputProblem(given, "no files named " + ModuleNames.ENDINGS_IN_WORDS + " below it"));
            }
            found.sort(null);
            addAll(found);
        }

        private void addInstalled(String given) {
            String name = withoutTrailingSlashes(given);
            int slash = name.indexOf('/');
            if (slash >= 0 && !OutOfTree.isDirectory(name)) {
                problems.add(new InputProblem(given, "no such file; " + WHAT_TO_GIVE));
                return;
            }
            InstalledModules all = installed();
            boolean found = false;
            for (String release : releases) {
                found |= slash < 0 && addByName(name, release, all) || addBelow(name, release, all);
            }
            reportUnreadable();
            if (!found) {
                String where = where(name, all);
                problems.add(new InputProblem(given, "no such file" + (where.isEmpty() ? "; " + WHAT_TO_GIVE : where)));
            }
        }

        private boolean addByName(String name, String release, InstalledModules all) {
            InstalledBuild build = all.build(name, release);
            ModuleTree tree = all.tree(release);
            reportOf(name, tree);
            if (build != null) {
                add(build.file());
                judged.add(name + ": the build" + buildFor(build, build.file().inside(), release));
                return true;
            }
            ModuleFile own = tree == null ? null : tree.chosen(name);
            if (own == null) {
                return false;
            }
            add(own);
            judged.add(name
                    + ": the in-tree module of "
                    + release
                    + " itself, "
                    + own.inside()
                    + "; no out-of-tree build of it is installed");
            return true;
        }

        private boolean addBelow(String directory, String release, InstalledModules all) {
            List<InstalledBuild> builds = all.below(directory, release);
            if (builds.isEmpty()) {
                return false;
            }
            builds.forEach(build -> add(build.file()));
            InstalledBuild first = builds.get(0);
            String path = first.file().inside();
            int end = (path + "/").indexOf("/" + directory + "/", path.indexOf(first.kernel()));
            String place = path.substring(0, end + directory.length() + 1);
            String count = builds.size() == 1 ? "1 module" : builds.size() + " modules";
            judged.add(directory + ": " + count + " of the build" + buildFor(first, place, release));
            return true;
        }

        private static String buildFor(InstalledBuild build, String path, String release) {
            String text = " for " + build.kernel() + ", " + path;
            return build.kernel().equals(release) ? text : text + "; " + release + " has none";
        }

        private String where(String name, InstalledModules all) {
            if (name.indexOf('/') < 0 && name.indexOf('.') >= 0) {
                return "";
            }
            if (releases.isEmpty()) {
                return ", and no module of that name: no kernel is installed in " + root;
            }
            if (name.indexOf('/') >= 0) {
                return " or directory, also not below /lib/modules of " + String.join(", ", all.kernels());
            }
            List<String> others = new ArrayList<>(all.kernels());
            others.removeAll(releases);
            return ", and no module of that name in "
                    + String.join(", ", releases)
                    + (others.isEmpty() ? "" : " or out of tree in " + String.join(", ", others))
                    + Similar.question(name, names(all));
        }

        private Set<String> names(InstalledModules all) {
            Set<String> names = all.names();
            for (String release : releases) {
                ModuleTree tree = all.tree(release);
                if (tree != null) {
                    names.addAll(tree.names());
                }
            }
            return names;
        }

        /**
         * Reports the problems of a kernel's module tree. A harmless problem is only reported if it is about the
         * requested module.
         */
        private void reportOf(String name, @Nullable ModuleTree tree) {
            for (InputProblem problem : tree == null ? List.<InputProblem>of() : tree.problems()) {
                if (!problem.harmless() || Origin.moduleName(problem.subject()).equals(name.replace('-', '_'))) {
                    report(List.of(problem));
                }
            }
        }

        private InstalledModules installed() {
            if (installed == null) {
                installed = new InstalledModules(root);
            }
            return installed;
        }

        private void reportUnreadable() {
            installed().unreadable().forEach(this::reportOnce);
        }

        private void addAll(List<ModuleFile> files) {
            files.forEach(this::add);
        }

        private void add(ModuleFile file) {
            add(file.host(), file.inside(), file.identity());
        }

        private void add(Path real, String display, @Nullable FileIdentity identity) {
            if (known.add(real)) {
                modules.add(new ModuleSource(real, display, identity));
            }
        }

        /**
         * Reports problems as not harmless, even if depmod only skips the file, because the user requested this file.
         */
        private void report(List<InputProblem> met) {
            met.forEach(problem -> reportOnce(new InputProblem(problem.subject(), problem.message())));
        }

        /** Reports a problem once, because every kernel of a root directory reads the same configuration. */
        private void reportOnce(InputProblem problem) {
            if (!problems.contains(problem)) {
                problems.add(problem);
            }
        }

        private static String withoutTrailingSlashes(String path) {
            int end = path.length();
            while (end > 0 && path.charAt(end - 1) == '/') {
                end--;
            }
            return path.substring(0, end);
        }

        /** Reads paths from standard input. Paths are separated by NUL if there is any NUL, else by line breaks. */
        private static final class PathList {
            static final String SUBJECT = "standard input";

            /** The maximum size of the input, enough for the paths of more than a hundred thousand modules. */
            private static final int MAX_BYTES = 32 << 20;

            /** Linux's PATH_MAX in bytes. */
            private static final int MAX_PATH = 4096;

            private PathList() {}

            static List<Path> read(InputStream in, List<InputProblem> problems) {
                byte[] bytes;
                try {
                    bytes = in.readNBytes(MAX_BYTES + 1);
                } catch (IOException e) {
                    problems.add(new InputProblem(SUBJECT, "cannot be read: " + IoReason.of(e)));
                    return List.of();
                }
                if (bytes.length > MAX_BYTES) {
                    problems.add(new InputProblem(SUBJECT, "contains more than " + MAX_BYTES + " bytes; not read"));
                    return List.of();
                }
                return split(bytes, contains(bytes, 0) ? 0 : '\n', problems);
            }

            private static List<Path> split(byte[] bytes, int separator, List<InputProblem> problems) {
                List<Path> paths = new ArrayList<>();
                int number = 0;
                for (int start = 0; start < bytes.length; ) {
                    int end = start;
                    while (end < bytes.length && bytes[end] != separator) {
                        end++;
                    }
                    number++;
                    if (end - start > MAX_PATH) {
                        problems.add(new InputProblem(SUBJECT + ":" + number, "longer than a path can be"));
                    } else if (end > start) {
                        paths.add(PathBytes.toPath(bytes, start, end));
                    }
                    start = end + 1;
                }
                return paths;
            }

            private static boolean contains(byte[] bytes, int value) {
                for (byte b : bytes) {
                    if (b == value) {
                        return true;
                    }
                }
                return false;
            }
        }
    }

    /** Creates paths from raw bytes, so that names invalid in the platform's charset keep their bytes. */
    static final class PathBytes {
        private static final String HEX = "0123456789ABCDEF";

        private PathBytes() {}

        /** Returns the path of these bytes, which must not contain NUL; a relative path stays relative. */
        static Path toPath(byte[] bytes, int start, int end) {
            StringBuilder text = new StringBuilder();
            for (int i = start; i < end && bytes[i] > 0; i++) {
                text.append((char) bytes[i]);
            }
            return text.length() == end - start ? Path.of(text.toString()) : fromUri(bytes, start, end);
        }

        /**
         * Converts the bytes through a percent-encoded URI, the only way to create a Path from bytes. The URI's path is
         * always absolute.
         */
        private static Path fromUri(byte[] bytes, int start, int end) {
            StringBuilder uri = new StringBuilder("file:///");
            for (int i = start; i < end; i++) {
                if (bytes[i] == '/') {
                    uri.append(uri.charAt(uri.length() - 1) == '/' ? "" : "/");
                } else {
                    uri.append('%').append(HEX.charAt(bytes[i] >> 4 & 0xf)).append(HEX.charAt(bytes[i] & 0xf));
                }
            }
            Path absolute = Path.of(URI.create(uri.toString()));
            return bytes[start] == '/' ? absolute : absolute.subpath(0, absolute.getNameCount());
        }
    }
}
