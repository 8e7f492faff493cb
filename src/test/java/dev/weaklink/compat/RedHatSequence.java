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

/** Kernels in Red Hat's layout and what befalls them, drawn from a seed. */
final class RedHatSequence implements DifferenceRun.Sequence {
    private static final List<String> PRODUCTS = List.of("p", "q", "r", "s");

    private final Random random;
    private final RandomAbi abi;
    private final TreeBuilder tree;
    private final List<String> kernels = new ArrayList<>();
    private final Map<String, List<Path>> installed = new TreeMap<>();

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
        int draw = random.nextInt(20);
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

    private List<Path> install() throws IOException {
        String product = PRODUCTS.get(random.nextInt(PRODUCTS.size()));
        String kernel = anyKernel();
        List<Path> files = new ArrayList<>();
        Path directory = tree.modules(kernel).resolve("extra").resolve(product);
        Snapshots.delete(directory);
        for (RandomAbi.Built built : abi.product(product, kernel)) {
            String place = "extra/" + product + "/" + built.name() + ".ko";
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

    /** Mostly gone, as after the removal of a package; else still there, as after its update. */
    private List<Path> removed() throws IOException {
        List<Path> files = someInstalled();
        if (random.nextInt(3) == 0) {
            files = List.of(files.get(random.nextInt(files.size())));
        }
        if (random.nextInt(4) > 0) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            List<Path> left =
                    new ArrayList<>(installed.remove(files.get(0).getParent().toString()));
            left.removeAll(files);
            if (!left.isEmpty()) {
                installed.put(left.get(0).getParent().toString(), left);
            }
        }
        return files;
    }
}
