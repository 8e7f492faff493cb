package dev.weaklink.compat;

import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A random sequence of events and calls on kernels in Red Hat's layout. */
final class RedHatSequence implements DifferenceRun.Sequence {
    private static final List<String> PRODUCTS = List.of("p", "q", "r", "s");

    private final Random random;
    private final RandomAbi abi;
    private final TreeBuilder tree;
    private final List<String> kernels = new ArrayList<>();
    private final Map<String, List<Path>> installed = new TreeMap<>();
    private final Map<String, Integer> changes = new TreeMap<>();

    /** The files of replaced versions, which rpm removes after the new version is installed. */
    private final List<List<Path>> replaced = new ArrayList<>();

    /** The kernel whose files rpm removes next. */
    private @Nullable String leaving;

    private int versions;

    /** Installs two to four kernels below a root. */
    RedHatSequence(long seed, Path root) throws IOException {
        this.random = new Random(seed);
        this.tree = TreeBuilder.in(root);
        int count = 2 + random.nextInt(3);
        for (int i = 1; i <= count; i++) {
            kernels.add("5.14.0-" + i + ".el9.x86_64");
        }
        this.abi = new RandomAbi(random, kernels);
        tree.depmodConfig("dist.conf", "search updates extra built-in weak-updates");
        for (String kernel : kernels) {
            abi.install(tree, kernel);
            if (random.nextInt(6) == 0) {
                abi.installOwn(tree, kernel, PRODUCTS.get(0));
            }
            Snapshots.run(
                    "depmod",
                    "-b",
                    root.toString(),
                    "-C",
                    root.resolve("etc/depmod.d").toString(),
                    kernel);
        }
    }

    @Override
    public DifferenceRun.Step next() throws IOException {
        removeFilesOfLeavingKernel();
        if (!replaced.isEmpty() && random.nextInt(3) > 0) {
            List<Path> files = replaced.remove(0);
            count("removal of a replaced version");
            forget(files, true);
            return step("--remove-modules", files);
        }
        int draw = random.nextInt(26);
        if (draw >= 24 && kernels.size() > 2) {
            leaving = anyKernel();
            count("removal of a kernel");
            kernels.remove(leaving);
            return new DifferenceRun.Step(
                    List.of(
                            "--remove-kernel",
                            "--no-initramfs",
                            "--verbose",
                            "--basedir",
                            tree.root().toString(),
                            leaving),
                    "");
        }
        if (draw >= 20) {
            return step("--add-modules", upgrade());
        }
        if (draw < 8) {
            return step("--add-modules", install());
        }
        if (draw < 10) {
            install();
            install();
            return step("--add-kernel", List.of(), anyKernel());
        }
        if (draw < 12) {
            abi.change(anyKernel());
            count("change of a kernel's ABI");
            kernels.forEach(kernel -> abi.install(tree, kernel));
            return step("--add-kernel", List.of(), anyKernel());
        }
        if (draw < 14) {
            return step("--add-kernel", List.of(), anyKernel());
        }
        if (draw < 18) {
            return step("--remove-modules", removed());
        }
        return draw < 19 ? step("--remove-kernel", List.of(), anyKernel()) : step("--add-modules", someInstalled());
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

    private DifferenceRun.Step step(String action, List<Path> files, String... arguments) {
        List<String> words = new ArrayList<>(List.of(action, "--no-initramfs"));
        if (random.nextInt(8) > 0) {
            words.add("--verbose");
        }
        if (random.nextInt(8) == 0) {
            words.add("--dry-run");
        }
        words.addAll(List.of("--basedir", tree.root().toString()));
        words.addAll(List.of(arguments));
        List<Path> listed = new ArrayList<>(files);
        if (!files.isEmpty() && random.nextInt(20) == 0) {
            listed.add(files.get(0));
        }
        if (!files.isEmpty() && random.nextInt(20) == 0) {
            listed.add(files.get(0).resolveSibling("missing.ko"));
        }
        return new DifferenceRun.Step(
                words, listed.stream().map(file -> file + "\n").collect(Collectors.joining()));
    }

    /** Removes the files of a kernel's package; modules of other packages stay. */
    private void removeFilesOfLeavingKernel() throws IOException {
        if (leaving == null) {
            return;
        }
        try (Stream<Path> files = Files.list(tree.modules(leaving))) {
            for (Path file : files.toList()) {
                if (!file.endsWith("extra") && !file.endsWith("weak-updates")) {
                    Snapshots.delete(file);
                }
            }
        }
        leaving = null;
    }

    private List<Path> install() throws IOException {
        String product = PRODUCTS.get(random.nextInt(PRODUCTS.size()));
        return install(product, anyKernel(), product);
    }

    /** Installs another version of a product beside the installed one, whose files are removed next. */
    private List<Path> upgrade() throws IOException {
        List<Path> old = someInstalled();
        Path directory = old.get(0).getParent();
        String kernel = directory.getParent().getParent().getFileName().toString();
        String product = directory.getFileName().toString().substring(0, 1);
        if (!kernels.contains(kernel)) {
            return old;
        }
        replaced.add(old);
        count("upgrade beside the installed version");
        return install(product, kernel, product + "-" + ++versions);
    }

    private List<Path> install(String product, String kernel, String version) throws IOException {
        List<Path> files = new ArrayList<>();
        String below = random.nextInt(8) == 0 ? "updates/" : "extra/";
        Path directory = tree.modules(kernel).resolve(below + version);
        Snapshots.delete(directory);
        count("installation below " + below);
        for (RandomAbi.Built built : abi.product(product, kernel)) {
            String place = below + version + "/" + built.name() + ".ko";
            tree.module(kernel, place, built.module());
            files.add(tree.modules(kernel).resolve(place));
        }
        installed.put(directory.toString(), files);
        return files;
    }

    private List<Path> someInstalled() throws IOException {
        if (installed.isEmpty()) {
            return install();
        }
        List<String> directories = List.copyOf(installed.keySet());
        return installed.get(directories.get(random.nextInt(directories.size())));
    }

    /**
     * Returns the modules of a removed package. Usually the files no longer exist; otherwise they still exist, as after
     * an update of the package.
     */
    private List<Path> removed() throws IOException {
        List<Path> files = someInstalled();
        if (random.nextInt(3) == 0) {
            files = List.of(files.get(random.nextInt(files.size())));
        }
        boolean isGone = random.nextInt(4) > 0;
        count(isGone ? "removal of modules" : "removal of modules whose files stay");
        forget(files, isGone);
        return files;
    }

    private void forget(List<Path> files, boolean isGone) throws IOException {
        if (!isGone) {
            return;
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
        String directory = files.get(0).getParent().toString();
        List<Path> left = new ArrayList<>(installed.getOrDefault(directory, List.of()));
        left.removeAll(files);
        if (left.isEmpty()) {
            installed.remove(directory);
        } else {
            installed.put(directory, left);
        }
    }
}
