package dev.weaklink.realkernel;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/**
 * A root directory in the layout of Red Hat's or SUSE's systems. It contains one real kernel, and modules of another
 * kernel as if they had been built out of tree.
 */
final class WeakUpdatesRoot {
    /**
     * The search order of both distributions, as far as it matters here: weak-updates before the kernel's own modules.
     */
    private static final String SEARCH = "search updates extra weak-updates built-in\n";

    final Path top;
    final Kernel provider;
    final Kernel target;
    private final String parent;
    private final Path configuration;

    private WeakUpdatesRoot(Path top, Kernel provider, Kernel target, String parent) throws IOException {
        this.top = top;
        this.provider = provider;
        this.target = target;
        this.parent = parent;
        this.configuration = top.resolveSibling(top.getFileName() + ".conf");
        Files.writeString(configuration, SEARCH);
        Files.createDirectories(top.resolve("etc/depmod.d"));
        Files.writeString(top.resolve("etc/depmod.d/00-system.conf"), SEARCH);
        installTarget();
    }

    /** Creates a root directory with {@code /lib/modules}, symvers beside the modules, and System.map in /boot. */
    static WeakUpdatesRoot redHat(Path top, Kernel provider, Kernel target) throws IOException {
        return new WeakUpdatesRoot(top, provider, target, "lib/modules");
    }

    /** Creates a root directory with {@code /usr/lib/modules}, and symvers and vmlinuz beside the modules. */
    static WeakUpdatesRoot suse(Path top, Kernel provider, Kernel target) throws IOException {
        Files.createDirectories(top.resolve("usr/lib"));
        Files.createDirectories(top.resolve("etc"));
        Files.createSymbolicLink(top.resolve("lib"), Path.of("usr/lib"));
        Files.writeString(top.resolve("etc/os-release"), "ID=\"opensuse-leap\"\nID_LIKE=\"suse\"\n");
        return new WeakUpdatesRoot(top, provider, target, "usr/lib/modules");
    }

    private void installTarget() throws IOException {
        Path modules = directory(target);
        for (Path file : target.files()) {
            place(file, modules.resolve(target.modules().relativize(file)));
        }
        for (String name : List.of("modules.order", "modules.builtin", "modules.builtin.modinfo")) {
            place(target.modules().resolve(name), modules.resolve(name));
        }
        place(target.root().resolve("boot/System.map-" + target.release()), modules.resolve("System.map"));
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(modules.resolve("symvers.gz")))) {
            Files.copy(target.symvers(), out);
        }
        ExternalTool.orSkip("depmod").run("-b", top.toString(), "-C", configuration.toString(), target.release());
    }

    /** Drops the rows of modules from the kernel's symvers file. */
    void keepSymversOfVmlinux() throws IOException {
        Path file = directory(target).resolve("symvers.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file));
                Stream<String> lines = Files.lines(target.symvers())) {
            String rows = lines.filter(line -> line.contains("\tvmlinux\t"))
                    .map(line -> line + "\n")
                    .collect(Collectors.joining());
            out.write(rows.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Creates a hard link if possible, else a copy; no test writes to modules. */
    private static void place(Path file, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        try {
            Files.createLink(to, file);
        } catch (IOException | UnsupportedOperationException e) {
            Files.copy(file, to);
        }
    }

    Path directory(Kernel kernel) {
        return top.resolve(parent).resolve(kernel.release());
    }

    /** Installs a module of the provider; returns its path inside the root directory. */
    String add(String directory, Path module) throws IOException {
        String place = directory + "/" + module.getFileName();
        place(module, directory(provider).resolve(place));
        return "/" + parent + "/" + provider.release() + "/" + place;
    }

    /** Returns the names of the linked modules, without {@code .ko}. */
    Set<String> linked() throws IOException {
        return links().keySet().stream().map(WeakUpdatesRoot::name).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the target of each link. */
    Map<Path, String> links() throws IOException {
        Map<Path, String> links = new TreeMap<>();
        Path weak = directory(target).resolve("weak-updates");
        if (Files.isDirectory(weak)) {
            try (Stream<Path> walk = Files.walk(weak)) {
                for (Path link : walk.filter(Files::isSymbolicLink).toList()) {
                    links.put(link, Files.readSymbolicLink(link).toString());
                }
            }
        }
        return links;
    }

    /** Copies modules of the provider to the paths of their links. */
    void putInPlace(Set<String> names) throws IOException {
        putInPlace(names, "weak-updates");
    }

    /** Copies modules of the provider into a directory of the target. */
    void putInPlace(Set<String> names, String below) throws IOException {
        for (Path file : provider.files()) {
            if (names.contains(name(file))) {
                place(file, directory(target).resolve(below).resolve(file.getFileName()));
            }
        }
    }

    /** Returns the names of the target's modules that need one of these files, by its modules.dep. */
    Set<String> needing(Set<String> files) throws IOException {
        Set<String> names = new TreeSet<>();
        for (String line : Files.readAllLines(directory(target).resolve("modules.dep"))) {
            String[] words = line.split(":? ");
            for (int i = 0; i < words.length; i++) {
                if (files.contains(words[i].replaceAll(":$", ""))) {
                    names.add(name(Path.of(words[0].replaceAll(":$", ""))).replace('-', '_'));
                }
            }
        }
        return names;
    }

    /** Creates a link to a module in the provider's extra directory. */
    void link(String file) throws IOException {
        Path weak = Files.createDirectories(directory(target).resolve("weak-updates"));
        Path module = directory(provider).resolve("extra").resolve(file);
        Files.createSymbolicLink(weak.resolve(file), Path.of("/" + top.relativize(module)));
    }

    void removeWeakUpdates() throws IOException {
        Path weak = directory(target).resolve("weak-updates");
        if (Files.exists(weak, LinkOption.NOFOLLOW_LINKS)) {
            try (Stream<Path> walk = Files.walk(weak)) {
                for (Path path : walk.sorted((a, b) -> b.compareTo(a)).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    /** Returns the modules that the real depmod reports, by its symvers, as paths below the kernel's directory. */
    Set<String> depmodObjectsTo() throws IOException {
        Path symvers = top.resolveSibling("Module.symvers");
        if (!Files.exists(symvers)) {
            Files.copy(target.symvers(), symvers);
        }
        String output = ExternalTool.orSkip("depmod")
                .run(
                        "-b",
                        top.toString(),
                        "-C",
                        configuration.toString(),
                        "-e",
                        "-E",
                        symvers.toString(),
                        target.release());
        Set<String> files = new TreeSet<>();
        String prefix = "/" + target.release() + "/";
        for (String line : output.split("\n")) {
            if (line.contains(" needs unknown symbol ") || line.contains(" disagrees about version ")) {
                String file = line.split(" ")[2];
                files.add(file.substring(file.indexOf(prefix) + prefix.length()));
            }
        }
        return files;
    }

    /**
     * Returns, for each installed module of the provider, the names of the other modules that it needs according to
     * depmod.
     */
    Map<String, Set<String>> dependencies() throws IOException {
        String output = ExternalTool.orSkip("depmod")
                .run("-n", "-b", top.toString(), "-C", configuration.toString(), provider.release());
        Map<String, Set<String>> needs = new TreeMap<>();
        for (String line : output.split("\n")) {
            int colon = line.indexOf(".ko:");
            if (colon > 0 && !line.startsWith("#")) {
                List<String> files = new ArrayList<>(
                        List.of(line.substring(colon + 4).strip().split(" ")));
                files.remove("");
                needs.put(
                        name(Path.of(line.substring(0, colon + 3))),
                        files.stream().map(file -> name(Path.of(file))).collect(Collectors.toSet()));
            }
        }
        return needs;
    }

    static String name(Path file) {
        String name = file.getFileName().toString();
        return name.substring(0, name.indexOf(".ko"));
    }
}
