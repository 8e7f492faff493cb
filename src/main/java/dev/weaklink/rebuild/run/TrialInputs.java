package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Trial;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.Sha256;
import dev.weaklink.system.offers.OfferedKernel;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Computes digests of the inputs of a trial build. */
public final class TrialInputs {
    private static final int MOST_FILES = 100_000;
    private static final long MOST_BYTES = 1L << 30;
    private static final Duration COMPILER_LIMIT = Duration.ofSeconds(20);

    /** The files of a build tree that depend on the kernel's version or configuration. */
    private static final List<String> HEADERS = List.of(
            "Makefile",
            "Module.symvers",
            ".config",
            ".kernelvariables",
            "include/config/auto.conf",
            "include/generated/autoconf.h",
            "include/generated/utsrelease.h",
            "include/generated/compile.h",
            "include/generated/package.h");

    private TrialInputs() {}

    /**
     * Returns the digest in hex of the inputs that decide whether a trial's result is still valid.
     *
     * @param product the DKMS package as {@code NAME/VERSION}
     * @param kernel the kernel release
     * @param source the directory of the product's source
     * @param buildTree the kernel's headers
     * @param top the directory in which the headers are below usr/src; the root directory if they are installed
     * @throws IOException if a file cannot be read, or the source is too large to be read each time
     */
    static String digest(String product, String kernel, Path source, Path buildTree, Path top) throws IOException {
        MessageDigest digest = Sha256.start();
        add(digest, "weaklink.trial/1");
        add(digest, product);
        add(digest, kernel);
        addTree(digest, source);
        for (String name : HEADERS) {
            Path file = buildTree.resolve(name);
            add(digest, name);
            if (Files.isRegularFile(file)) {
                addFile(digest, file);
            }
        }
        addIncluded(digest, buildTree.resolve("Makefile"), top);
        addToolchain(digest, buildTree);
        return Sha256.hex(digest);
    }

    /**
     * Returns the digest in hex of the inputs of a build: each file of the source, the headers and DKMS's settings, and
     * the versions of compiler and linker.
     *
     * @param options the directory of DKMS's settings
     * @throws IOException if a file cannot be read, the files are too many or too large, or the headers lead out of
     *     {@code top}
     */
    static String build(String product, String kernel, Path source, Path buildTree, Path top, Path options)
            throws IOException {
        MessageDigest digest = Sha256.start();
        add(digest, "weaklink.build/1");
        add(digest, product);
        add(digest, kernel);
        addTree(digest, source);
        addHeaders(digest, buildTree, top);
        // On Debian, scripts is a link to a directory that all kernels of a version share.
        Path scripts = buildTree.resolve("scripts");
        if (Files.isSymbolicLink(scripts) && Files.isDirectory(scripts)) {
            addHeaders(digest, scripts, top);
        }
        for (Path included : included(buildTree.resolve("Makefile"), top)) {
            addHeaders(digest, included.resolveSibling(""), top);
        }
        if (Files.isDirectory(options)) {
            addTree(digest, options);
        }
        addToolchain(digest, buildTree);
        return Sha256.hex(digest);
    }

    /** Returns the key of a trial build from the source in an offered package, for an offered kernel. */
    public static String offer(OfferedKernel kernel, OfferedPackage source) {
        return kernel.key() + Trial.WITH + source.name() + "=" + source.version() + Trial.BY + version("gcc");
    }

    private static void addToolchain(MessageDigest digest, Path buildTree) {
        Set<String> programs = new TreeSet<>(Toolchain.of(buildTree).programs());
        programs.addAll(List.of("gcc", "ld"));
        for (String program : programs) {
            add(digest, program);
            add(digest, version(program));
        }
    }

    /**
     * Returns the digest in hex of the inputs that do not depend on the kernel. weaklink-collect computes the same
     * digest on nodes, with sha256sum and sort.
     *
     * @throws IOException if the source cannot be read, or is too large to be read each time
     */
    public static String source(String product, Path source) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, Path> one : files(source).entrySet()) {
            Path file = one.getValue();
            if (Files.isSymbolicLink(file)) {
                lines.add("link  ./" + one.getKey() + " -> " + Files.readSymbolicLink(file));
            } else if (Files.isRegularFile(file)) {
                MessageDigest contents = Sha256.start();
                addContents(contents, file);
                lines.add(Sha256.hex(contents) + "  ./" + one.getKey());
            }
        }
        byte[][] sorted = lines.stream()
                .map(line -> (line + "\n").getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        Arrays.sort(sorted, Arrays::compareUnsigned);
        MessageDigest digest = Sha256.start();
        digest.update(("weaklink.trial/1\n" + product + "\n" + version("gcc") + "\n").getBytes(StandardCharsets.UTF_8));
        for (byte[] line : sorted) {
            digest.update(line);
        }
        return Sha256.hex(digest);
    }

    /**
     * Adds a directory of headers to the digest. Throws IOException if the directory is outside of {@code top}, because
     * links in untrusted headers may lead anywhere.
     */
    private static void addHeaders(MessageDigest digest, Path directory, Path top) throws IOException {
        if (!directory.toRealPath().startsWith(top.toRealPath())) {
            throw new IOException(directory + ": not inside " + top);
        }
        addTree(digest, directory);
    }

    /**
     * Adds the Makefile in the directory that all flavours of a Debian kernel share (linux-headers-K-common). The
     * Makefile of each flavour includes the shared Makefile.
     */
    private static void addIncluded(MessageDigest digest, Path makefile, Path top) throws IOException {
        for (Path included : included(makefile, top)) {
            // The date stands for all of these headers: the files of a package carry the date of the package's version.
            add(digest, Files.getLastModifiedTime(included).toInstant().toString());
            addFile(digest, included);
        }
    }

    private static List<Path> included(Path makefile, Path top) throws IOException {
        List<Path> files = new ArrayList<>();
        if (Files.isRegularFile(makefile) && Files.size(makefile) <= 4096) {
            for (String line :
                    Files.readString(makefile, StandardCharsets.ISO_8859_1).split("\n", -1)) {
                if (line.startsWith("include /usr/src/")) {
                    files.add(top.resolve(line.substring("include /".length()).strip()));
                }
            }
            files.removeIf(file -> !Files.isRegularFile(file));
        }
        return files;
    }

    private static void addTree(MessageDigest digest, Path directory) throws IOException {
        for (Map.Entry<String, Path> file : files(directory).entrySet()) {
            add(digest, file.getKey());
            if (Files.isSymbolicLink(file.getValue())) {
                add(digest, Files.readSymbolicLink(file.getValue()).toString());
            } else if (Files.isRegularFile(file.getValue())) {
                addFile(digest, file.getValue());
            }
        }
    }

    private static Map<String, Path> files(Path directory) throws IOException {
        Map<String, Path> files = new TreeMap<>();
        Path top = directory.toRealPath();
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            private long bytes;

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                bytes += attributes.size();
                files.put(top.relativize(file).toString(), file);
                if (files.size() > MOST_FILES || bytes > MOST_BYTES) {
                    throw new IOException(
                            directory + ": more than " + MOST_FILES + " files or 1 GiB; too large for a trial build");
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }

    private static String version(String program) {
        try {
            List<String> lines = ExternalCommand.of(List.of(program, "--version"), COMPILER_LIMIT)
                    .run()
                    .lines();
            return lines.isEmpty() ? "" : lines.get(0);
        } catch (IOException e) {
            return "";
        }
    }

    /** Adds a string with its length, so that different sequences of strings have different digests. */
    private static void add(MessageDigest digest, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
        digest.update(bytes);
    }

    private static void addFile(MessageDigest digest, Path file) throws IOException {
        add(digest, Long.toString(Files.size(file)));
        addContents(digest, file);
    }

    private static void addContents(MessageDigest digest, Path file) throws IOException {
        byte[] buffer = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(file)) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                digest.update(buffer, 0, count);
            }
        }
    }
}
