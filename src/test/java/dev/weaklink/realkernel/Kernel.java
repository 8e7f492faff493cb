package dev.weaklink.realkernel;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tukaani.xz.XZInputStream;

/**
 * An unpacked kernel.
 *
 * @param release the release, such as 6.1.0-53-amd64
 * @param root the directory that contains {@code lib/modules/RELEASE}
 */
record Kernel(String release, Path root) {

    /** Returns the directory of the kernel's modules. */
    Path modules() {
        return root.resolve("lib/modules").resolve(release);
    }

    /** Returns the path of {@code Module.symvers}, which exists if the kernel has a headers package. */
    Path symvers() {
        return root.resolve("usr/src/linux-headers-" + release + "/Module.symvers");
    }

    /** Returns the CRC of an export in {@code Module.symvers}. */
    long crcOf(String symbol) throws IOException {
        try (Stream<String> lines = Files.lines(symvers())) {
            return lines.map(line -> line.split("\t"))
                    .filter(columns -> columns[1].equals(symbol))
                    .map(columns -> Long.decode(columns[0]))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no " + symbol + " in " + symvers()));
        }
    }

    /** Returns the CRC of every symbol. */
    Map<String, Long> crcs() throws IOException {
        Map<String, Long> crcs = new HashMap<>();
        try (Stream<String> lines = Files.lines(symvers())) {
            lines.map(line -> line.split("\t"))
                    .forEach(columns -> crcs.putIfAbsent(columns[1], Long.decode(columns[0])));
        }
        return crcs;
    }

    /** Returns all module files, sorted. */
    List<Path> files() {
        try (Stream<Path> walk = Files.walk(modules().resolve("kernel"))) {
            return walk.filter(path -> path.getFileName().toString().contains(".ko"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the module files by file name, such as {@code nvme-rdma.ko}. */
    Map<String, Path> filesByName() {
        return files().stream()
                .collect(Collectors.toMap(file -> file.getFileName().toString(), file -> file));
    }

    /** Returns the decompressed bytes of the module {@code name}, whose file is name.ko or name.ko.xz. */
    byte[] moduleBytes(String name) {
        return unpacked(files().stream()
                .filter(path -> path.getFileName().toString().startsWith(name + ".ko"))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no " + name + " in " + root)));
    }

    private static byte[] unpacked(Path file) {
        try {
            byte[] bytes = Files.readAllBytes(file);
            if (!file.toString().endsWith(".xz")) {
                return bytes;
            }
            try (InputStream in = new XZInputStream(new ByteArrayInputStream(bytes))) {
                return in.readAllBytes();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
