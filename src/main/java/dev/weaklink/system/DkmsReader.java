package dev.weaklink.system;

import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.DkmsTree.DkmsBuild;
import dev.weaklink.system.DkmsTree.DkmsBuild.DkmsState;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import dev.weaklink.system.WeakUpdates.WeakLink;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads /var/lib/dkms like {@code dkms status} (dkms 3). A package has {@code NAME/VERSION/source}, a build has
 * {@code NAME/VERSION/KERNEL/ARCH/module}, and an installed build has the link {@code NAME/kernel-KERNEL-ARCH}.
 */
public final class DkmsReader {
    private static final String TREE = "/var/lib/dkms";
    private static final int CONF_LIMIT = 1 << 20;

    private final Root root;
    private final RootText text;
    private final List<DkmsPackage> packages = new ArrayList<>();
    private final List<DkmsBuild> builds = new ArrayList<>();

    private DkmsReader(Root root) {
        this.root = root;
        this.text = new RootText(root);
    }

    public static DkmsTree read(Root root) {
        DkmsReader reader = new DkmsReader(root);
        for (String name : reader.text.names(TREE)) {
            List<String> versions = new ArrayList<>(reader.text.names(TREE + "/" + name));
            versions.sort(KernelReleaseOrder.INSTANCE);
            for (String version : versions) {
                reader.addPackage(name, version);
            }
        }
        return new DkmsTree(reader.packages, reader.builds);
    }

    private void addPackage(String name, String version) {
        String directory = TREE + "/" + name + "/" + version;
        List<String> entries = text.names(directory);
        if (version.startsWith("kernel-") || !entries.contains("source")) {
            return;
        }
        // Below another root directory, the link 'source' may lead to a path of the host and dangle. The package is
        // only broken if its source is not in /usr/src either.
        String own = "/usr/src/" + name + "-" + version;
        boolean dangles = text.dangles(directory, "source") && !text.isDirectory(own);
        DkmsState state = dangles ? DkmsState.BROKEN : DkmsState.ADDED;
        String conf = text.read(directory + "/source/dkms.conf", CONF_LIMIT);
        conf = conf.isEmpty() ? text.read(own + "/dkms.conf", CONF_LIMIT) : conf;
        packages.add(DkmsConf.read(name, version, conf));
        builds.add(new DkmsBuild(name, version, "", state, "", List.of()));
        Map<String, Set<String>> modules = new TreeMap<>();
        for (String kernel : entries) {
            Set<String> names = modules(directory, kernel);
            if (!names.isEmpty()) {
                modules.put(kernel, names);
                boolean installed = isInstalled(name, version, kernel);
                builds.add(new DkmsBuild(
                        name,
                        version,
                        kernel,
                        installed ? DkmsState.INSTALLED : DkmsState.BUILT,
                        "",
                        new ArrayList<>(names)));
            }
        }
        addLinked(name, version, modules);
    }

    private Set<String> modules(String directory, String kernel) {
        Set<String> names = new TreeSet<>();
        for (String arch : text.names(directory + "/" + kernel)) {
            for (String file : text.names(directory + "/" + kernel + "/" + arch + "/module")) {
                if (ModuleNames.isModuleFile(file)) {
                    names.add(ModuleNames.ofFile(file));
                }
            }
        }
        return names;
    }

    private boolean isInstalled(String name, String version, String kernel) {
        for (String entry : text.names(TREE + "/" + name)) {
            if (entry.startsWith("kernel-" + kernel + "-")) {
                String arch = entry.substring(("kernel-" + kernel + "-").length());
                String build = TREE + "/" + name + "/" + version + "/" + kernel + "/" + arch;
                if (text.isDirectory(build + "/module") && isSame(TREE + "/" + name + "/" + entry, build)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isSame(String link, String directory) {
        try {
            return Files.isSameFile(root.resolve(link), root.resolve(directory));
        } catch (IOException e) {
            return false;
        }
    }

    private void addLinked(String name, String version, Map<String, Set<String>> modules) {
        if (modules.isEmpty()) {
            return;
        }
        try {
            for (String kernel : InstalledKernels.searchable(root)) {
                String from = modules.containsKey(kernel) ? "" : linkedFrom(kernel, modules);
                if (!from.isEmpty()) {
                    builds.add(new DkmsBuild(name, version, kernel, DkmsState.WEAK, from, List.of()));
                }
            }
        } catch (IOException e) {
            // without a list of kernels, their links are unknown
        }
    }

    private String linkedFrom(String kernel, Map<String, Set<String>> modules) throws IOException {
        for (WeakLink link : WeakUpdates.scan(root, kernel).links()) {
            for (Map.Entry<String, Set<String>> built : modules.entrySet()) {
                if (built.getValue().contains(link.name()) && link.target().contains("/" + built.getKey() + "/")) {
                    return built.getKey();
                }
            }
        }
        return "";
    }

    /**
     * Parses a dkms.conf, which is a bash script that dkms executes. weaklink does not execute it. Only assignments of
     * plain words count, with the package's name and version inserted.
     */
    private static final class DkmsConf {
        private static final String ARRAY = "(";

        private final String name;
        private final String version;

        private final Map<String, List<String>> values = new LinkedHashMap<>();

        private DkmsConf(String name, String version) {
            this.name = name;
            this.version = version;
        }

        static DkmsPackage read(String name, String version, String text) {
            DkmsConf conf = new DkmsConf(name, version);
            for (String line : text.split("\n", -1)) {
                conf.add(line.strip());
            }
            // Any value means yes, as in dkms.
            boolean autoinstall = !conf.words("AUTOINSTALL").isEmpty();
            Set<String> modules = new TreeSet<>();
            for (String module : conf.words("BUILT_MODULE_NAME")) {
                modules.add(ModuleNames.normalized(module));
            }
            if (!conf.values.containsKey("BUILT_MODULE_NAME")) {
                modules.add(ModuleNames.normalized(name));
            }
            return new DkmsPackage(name, version, autoinstall, conf.words("BUILD_DEPENDS"), new ArrayList<>(modules));
        }

        private void add(String line) {
            int equals = line.indexOf('=');
            if (equals < 1 || line.startsWith("#")) {
                return;
            }
            String key = line.substring(0, equals);
            boolean more = key.endsWith("+");
            key = more ? key.substring(0, key.length() - 1) : key;
            int bracket = key.indexOf('[');
            more |= bracket > 0;
            key = bracket > 0 ? key.substring(0, bracket) : key;
            List<String> known = more ? values.getOrDefault(key, List.of()) : List.of();
            List<String> all = new ArrayList<>(known);
            all.add(plain(line.substring(equals + 1)));
            values.put(key, all);
        }

        private static String plain(String value) {
            if (value.startsWith(ARRAY)) {
                int end = value.indexOf(')');
                return value.substring(1, end < 0 ? value.length() : end)
                        .replace("\"", "")
                        .replace("'", "");
            }
            char quote = value.isEmpty() ? ' ' : value.charAt(0);
            if (quote == '"' || quote == '\'') {
                int end = value.indexOf(quote, 1);
                return value.substring(1, end < 0 ? value.length() : end);
            }
            int end = 0;
            while (end < value.length() && " \t;#".indexOf(value.charAt(end)) < 0) {
                end++;
            }
            return value.substring(0, end);
        }

        private List<String> words(String key) {
            List<String> words = new ArrayList<>();
            for (String value : values.getOrDefault(key, List.of())) {
                String filled = value.replace("${PACKAGE_NAME}", name)
                        .replace("$PACKAGE_NAME", name)
                        .replace("${PACKAGE_VERSION}", version)
                        .replace("$PACKAGE_VERSION", version);
                boolean computed = filled.contains("$(") || filled.indexOf('`') >= 0;
                for (String word : computed ? new String[0] : filled.split("\\s+")) {
                    if (!word.isEmpty() && word.indexOf('$') < 0) {
                        words.add(word);
                    }
                }
            }
            return words;
        }
    }
}
