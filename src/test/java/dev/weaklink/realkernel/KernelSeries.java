package dev.weaklink.realkernel;

import dev.weaklink.standin.StandInImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An image root directory with Debian's kernels 6.1.0-53 to 56, as far as modules are concerned: their exports and
 * configurations. The stand-in's stack can be built for each kernel.
 *
 * <p>53 and 54 have the same module_layout, but different network devices. 55 has another module_layout, and 56 has the
 * same exports as 55.
 *
 * @param root the image root directory
 * @param bundle the stand-in's installation image
 */
record KernelSeries(Path root, Path bundle) {
    static final String K53 = "6.1.0-53-amd64";
    static final String K54 = "6.1.0-54-amd64";
    static final String K55 = "6.1.0-55-amd64";
    static final String K56 = "6.1.0-56-amd64";

    /** Creates the series in an empty directory; skips the running test if headers are missing. */
    static KernelSeries orSkip(Path directory) throws IOException {
        Path root = Files.createDirectory(directory.resolve("root"));
        Files.createDirectory(root.resolve("etc"));
        Files.writeString(root.resolve("etc/os-release"), "ID=debian\nVERSION_ID=12\n");
        // The stand-in has the name of the vendor's package, and three modules of its own.
        Files.createDirectory(root.resolve("etc/weaklink"));
        Files.writeString(
                root.resolve("etc/weaklink/site.yaml"),
                "products: [{id: mlnx-ofed, required: [wl_core], all-or-nothing: no}]\n");
        for (String release : List.of(K53, K54, K55, K56)) {
            addKernel(root, BuildTree.orSkip(release));
        }
        Path bundle = StandInImage.make(directory.resolve("bundle")).directory();
        return new KernelSeries(root, bundle);
    }

    private static void addKernel(Path root, BuildTree tree) throws IOException {
        Path headers = root.resolve("usr/src/linux-headers-" + tree.release());
        Files.createDirectories(headers);
        for (String name : List.of("Module.symvers", ".config")) {
            Files.copy(tree.directory().resolve(name), headers.resolve(name));
        }
        Path modules = Files.createDirectories(root.resolve("lib/modules").resolve(tree.release()));
        for (String name : List.of("modules.order", "modules.builtin", "modules.builtin.modinfo")) {
            Files.createFile(modules.resolve(name));
        }
    }

    /** Runs {@code weaklink COMMAND --root ROOT WORDS}. */
    WeaklinkRunner.Run weaklink(String command, String... words) {
        List<String> all = new ArrayList<>(List.of(command, "--root", root.toString()));
        all.addAll(List.of(words));
        return WeaklinkRunner.run(all);
    }

    /** Runs {@code weaklink rebuild} for a kernel with the installation image and the kernel's own headers. */
    WeaklinkRunner.Run rebuild(String release, Map<String, String> environment, String... words) {
        return WeaklinkRunner.run(rebuildWords(release, words), environment);
    }

    /** Returns the arguments of {@link #rebuild}. */
    List<String> rebuildWords(String release, String... words) {
        List<String> all = new ArrayList<>(List.of("rebuild", "--root", root.toString()));
        all.addAll(List.of("--kernel", release, "--bundle", bundle.toString()));
        all.addAll(List.of("--build-tree", "/usr/src/linux-headers-" + release));
        all.addAll(List.of(words));
        return all;
    }

    /** Returns a file of a kernel below {@code lib/modules}. */
    Path module(String release, String path) {
        return root.resolve("lib/modules").resolve(release).resolve(path);
    }

    /** Returns the directory of the n-th rebuild for a kernel. */
    Path rebuildRun(String release, int number) {
        return root.resolve("var/lib/weaklink/rebuilds").resolve(release).resolve("" + number);
    }
}
