package dev.weaklink.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the files of an installed kernel below a root directory. Paths are relative to the root directory; missing
 * directories are made.
 */
public final class TreeBuilder {
    private final Path root;
    private final String modulesDirectory;

    private TreeBuilder(Path root, String modulesDirectory) {
        this.root = root;
        this.modulesDirectory = modulesDirectory;
    }

    /** Returns a tree in this directory, with modules in {@code lib/modules}. */
    public static TreeBuilder in(Path root) {
        return new TreeBuilder(root, "lib/modules");
    }

    /** Returns a tree in the same root directory, with modules in {@code usr/lib/modules}. */
    public TreeBuilder mergedUsr() {
        return new TreeBuilder(root, "usr/lib/modules");
    }

    public Path root() {
        return root;
    }

    public Path modules(String release) {
        return root.resolve(modulesDirectory).resolve(release);
    }

    /**
     * Writes a module.
     *
     * @param place the path inside the kernel's directory, such as {@code extra/b.ko}; the compression adds its ending.
     *     If the path is below {@code kernel/}, modules.order lists the module
     */
    public TreeBuilder module(String release, String place, byte[] file, Compression compression) {
        Path path = modules(release).resolve(place + compression.ending());
        if (place.startsWith("kernel/")) {
            listInOrder(release, place);
        }
        return write(path, compression.compress(file));
    }

    /** Adds a line to modules.order, like the kernel's own build. */
    private void listInOrder(String release, String place) {
        Path order = modules(release).resolve("modules.order");
        try {
            List<String> lines = new ArrayList<>(Files.exists(order) ? Files.readAllLines(order) : List.of());
            if (!lines.contains(place)) {
                lines.add(place);
                write(order, lines(lines));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes an uncompressed module. */
    public TreeBuilder module(String release, String place, ModuleBuilder module) {
        return module(release, place, module.build(), Compression.NONE);
    }

    /** Makes a link in {@code weak-updates} of one kernel to a module of another kernel, like weak-modules. */
    public TreeBuilder weakLink(String release, String place, String ofRelease, String target) {
        Path link = modules(release).resolve(place);
        Path aim = Path.of("/", modulesDirectory, ofRelease, target);
        try {
            Files.createDirectories(link.getParent());
            Files.createSymbolicLink(link, aim);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /**
     * Writes a modules.dep that lists these files.
     *
     * @param files the paths below the kernel's directory
     */
    public TreeBuilder modulesDep(String release, String... files) {
        StringBuilder text = new StringBuilder();
        for (String file : files) {
            text.append(file).append(":\n");
        }
        return file(
                modulesDirectory + "/" + release + "/modules.dep",
                text.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Writes the exports of a kernel at the path that a distribution uses. */
    public TreeBuilder symvers(SymversPlace place, String release, SymversBuilder symvers) {
        Path path = root.resolve(place.path(modulesDirectory, release));
        return write(path, place.compression().compress(symvers.bytes()));
    }

    public TreeBuilder modulesOrder(String release, List<String> places) {
        return write(modules(release).resolve("modules.order"), lines(places));
    }

    public TreeBuilder builtin(String release, List<String> places) {
        return write(modules(release).resolve("modules.builtin"), lines(places));
    }

    /** Writes {@code boot/config-RELEASE}. */
    public TreeBuilder config(String release, String... settings) {
        return write(root.resolve("boot/config-" + release), lines(List.of(settings)));
    }

    /** Writes {@code etc/depmod.d/NAME}. */
    public TreeBuilder depmodConfig(String name, String... directives) {
        return write(root.resolve("etc/depmod.d").resolve(name), lines(List.of(directives)));
    }

    /**
     * Writes a file.
     *
     * @param path the path relative to the root directory
     */
    public TreeBuilder file(String path, byte[] content) {
        return write(root.resolve(path), content);
    }

    private TreeBuilder write(Path place, byte[] content) {
        Path path = place.normalize();
        if (!path.startsWith(root.normalize())) {
            throw new IllegalArgumentException(path + " is outside " + root);
        }
        try {
            Files.createDirectories(path.getParent());
            Files.write(path, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    private static byte[] lines(List<String> lines) {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The paths of a kernel's Module.symvers in distributions. */
    public enum SymversPlace {
        /** The path {@code boot/symvers-RELEASE.gz} of RHEL 7 and older SUSE. */
        BOOT_GZIP("boot/symvers-%R.gz", Compression.GZIP),
        BOOT_XZ("boot/symvers-%R.xz", Compression.XZ_CRC32),
        BOOT_ZSTD("boot/symvers-%R.zst", Compression.ZSTD),
        /** The path {@code lib/modules/RELEASE/symvers.gz} of RHEL 8 and 9, and of SUSE with merged usr. */
        MODULES_GZIP("%M/%R/symvers.gz", Compression.GZIP),
        MODULES_XZ("%M/%R/symvers.xz", Compression.XZ_CRC32),
        MODULES_ZSTD("%M/%R/symvers.zst", Compression.ZSTD),
        /** The build directory beside the modules, as on Arch. */
        BUILD("%M/%R/build/Module.symvers", Compression.NONE),
        /** The path in kernel-devel of RHEL and Fedora. */
        USR_SRC_KERNELS("usr/src/kernels/%R/Module.symvers", Compression.NONE),
        /** The path in linux-headers of Debian and Ubuntu. */
        USR_SRC_HEADERS("usr/src/linux-headers-%R/Module.symvers", Compression.NONE);

        private final String pattern;
        private final Compression compression;

        SymversPlace(String pattern, Compression compression) {
            this.pattern = pattern;
            this.compression = compression;
        }

        String path(String modulesDirectory, String release) {
            return pattern.replace("%M", modulesDirectory).replace("%R", release);
        }

        Compression compression() {
            return compression;
        }
    }
}
