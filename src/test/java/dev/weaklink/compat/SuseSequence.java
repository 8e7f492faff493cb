package dev.weaklink.compat;

import dev.weaklink.testing.RpmImage;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A random sequence of events and calls on kernels and packages in SUSE's layout. */
final class SuseSequence implements DifferenceRun.Sequence {
    /** A package that is never installed. */
    static final String GONE = "gone-kmp-default-1-1";

    private static final int KERNELS = 4;
    private static final List<String> PRODUCTS = List.of("pa", "pb", "pc");
    private static final int VERSIONS = 2;

    private final Random random;
    private final RandomAbi abi;
    private final TreeBuilder tree;
    private final RpmImage rpm;
    private final Map<String, Path> packages;
    private final List<String> kernels;
    private final Map<String, List<String>> installed = new TreeMap<>();
    private final List<String> replaced = new ArrayList<>();
    private final Map<String, Integer> changes = new TreeMap<>();

    /**
     * Installs two to four kernels below a root.
     *
     * @param packages the available package files
     */
    SuseSequence(long seed, Path root, RpmImage rpm, Map<String, Path> packages) throws IOException {
        this.random = new Random(seed);
        this.tree = TreeBuilder.in(root).mergedUsr();
        this.rpm = rpm;
        this.packages = packages;
        this.kernels = new ArrayList<>(kernels().subList(0, 2 + random.nextInt(KERNELS - 1)));
        this.abi = new RandomAbi(random, kernels);
        tree.depmodConfig("00-system.conf", "search updates extra weak-updates kgraft built-in");
        Files.createDirectories(root.resolve("boot"));
        Files.createDirectories(root.resolve("run"));
        Files.createSymbolicLink(root.resolve("lib"), Path.of("usr/lib"));
        String config = root.resolve("etc/depmod.d").toString();
        for (String kernel : kernels) {
            abi.install(tree, kernel);
            Snapshots.run("depmod", "-b", root.toString(), "-C", config, kernel);
        }
    }

    private static List<String> kernels() {
        List<String> kernels = new ArrayList<>();
        for (int i = 1; i <= KERNELS; i++) {
            kernels.add("6.4.0-" + i + "-default");
        }
        return kernels;
    }

    /** Returns all packages that a sequence may install: the files of each package, by its id. */
    static Map<String, List<String>> packages() {
        Map<String, List<String>> packages = new TreeMap<>();
        for (String kernel : kernels()) {
            for (String product : PRODUCTS) {
                for (int version = 0; version < VERSIONS; version++) {
                    List<String> files = new ArrayList<>();
                    for (int i = 0; i <= PRODUCTS.indexOf(product); i++) {
                        files.add("/usr/lib/modules/" + kernel + "/" + place(product, version) + i + ".ko");
                    }
                    packages.put(id(product, version, kernel), files);
                }
            }
        }
        return packages;
    }

    /**
     * Returns the common beginning of the paths of a package's modules. The last product has another directory in each
     * version.
     */
    private static String place(String product, int version) {
        boolean moved = version > 0 && product.equals(PRODUCTS.get(PRODUCTS.size() - 1));
        return (moved ? "extra/" : "updates/") + product + "/" + product;
    }

    private static String id(String product, int version, String kernel) {
        return product + "-kmp-default-1." + version + "_k" + kernel.split("-")[1] + "-1";
    }

    /** Changes the tree and the rpm database, and returns the next call. */
    @Override
    public DifferenceRun.Step next() throws IOException {
        // rpm removes a replaced package after all packages of a transaction are installed.
        if (!replaced.isEmpty() && random.nextInt(3) > 0) {
            count("removal of a replaced version");
            return removal(replaced.remove(0));
        }
        int draw = random.nextInt(23);
        if (draw >= 21 && kernels.size() > 2) {
            return step("--remove-kernel", removeKernel(), "");
        }
        if (draw < 8 || installed.isEmpty()) {
            return step("--add-kmp", install(), "");
        }
        if (draw < 12) {
            if (draw < 10) {
                install();
            }
            return step("--add-kernel", anyKernel(), "");
        }
        if (draw < 14) {
            abi.change(anyKernel());
            count("change of a kernel's ABI");
            for (String kernel : kernels) {
                abi.install(tree, kernel);
            }
            return step(draw == 12 ? "--add-kernel-modules" : "--remove-kernel-modules", anyKernel(), "x");
        }
        if (draw < 19) {
            List<String> ids = List.copyOf(installed.keySet());
            count("removal of a package");
            return removal(ids.get(random.nextInt(ids.size())));
        }
        return draw != 20 ? step("--remove-kernel", anyKernel(), "") : step("--add-kmp", GONE, "");
    }

    /** Removes the files of a kernel's package; modules of other packages stay. */
    private String removeKernel() throws IOException {
        String kernel = anyKernel();
        kernels.remove(kernel);
        count("removal of a kernel");
        try (Stream<Path> files = Files.list(tree.modules(kernel))) {
            for (Path file : files.toList()) {
                if (Stream.of("extra", "updates", "weak-updates").noneMatch(file::endsWith)) {
                    Snapshots.delete(file);
                }
            }
        }
        return kernel;
    }

    @Override
    public Map<String, Integer> changes() {
        return changes;
    }

    private void count(String change) {
        changes.merge(change, 1, Integer::sum);
    }

    private String anyKernel() {
        return kernels.get(random.nextInt(kernels.size()));
    }

    private DifferenceRun.Step step(String action, String subject, String stdin) {
        List<String> words = new ArrayList<>(List.of(action, subject));
        if (random.nextInt(8) > 0) {
            words.add("-v");
        }
        if (random.nextInt(8) == 0) {
            words.add("--dry-run");
        }
        return new DifferenceRun.Step(words, stdin);
    }

    /** Installs a new package, or another version of an installed package, which is then removed soon. */
    private String install() throws IOException {
        String kernel = anyKernel();
        String product = PRODUCTS.get(random.nextInt(PRODUCTS.size()));
        int drawn = random.nextInt(VERSIONS);
        boolean isOther = installed.containsKey(id(product, drawn, kernel)) && random.nextInt(3) > 0;
        int version = isOther ? 1 - drawn : drawn;
        String id = id(product, version, kernel);
        String other = id(product, 1 - version, kernel);
        if (!installed.containsKey(id)) {
            rpm.enter(packages.get(id));
        }
        if (installed.containsKey(other) && !replaced.contains(other)) {
            replaced.add(other);
            count("upgrade or downgrade beside the installed version");
        }
        count("installation");
        List<String> files = packages().get(id);
        abi.product(product, kernel, files.size())
                .forEach(built -> tree.module(
                        kernel, place(product, version).replaceFirst("[^/]*$", built.name() + ".ko"), built.module()));
        installed.put(id, files);
        return id;
    }

    private DifferenceRun.Step removal(String id) throws IOException {
        List<String> files = installed.remove(id);
        replaced.remove(id);
        rpm.erase(id);
        for (String file : files) {
            if (installed.values().stream().noneMatch(others -> others.contains(file))) {
                Files.deleteIfExists(tree.root().resolve(file.substring(1)));
            }
        }
        return step("--remove-kmp", id, String.join("\n", files) + "\n");
    }
}
