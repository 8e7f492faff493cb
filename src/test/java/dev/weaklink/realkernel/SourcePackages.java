package dev.weaklink.realkernel;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/**
 * The module of {@code test-fixtures/dkms} in the source packages of {@code test-fixtures/packages}.
 *
 * @param directory where they are made
 */
record SourcePackages(Path directory) {
    private static final Path SOURCE = Path.of("test-fixtures/dkms/wl-dkms-1.0").toAbsolutePath();
    private static final Path PACKAGES = Path.of("test-fixtures/packages").toAbsolutePath();

    /** What stands in for a program of that name. */
    static Path standIn(String program) {
        return PACKAGES.resolve(program);
    }

    /** A source package for rpmbuild(8), made by it; skips the running test without it. */
    Path rpm() throws IOException {
        ExternalTool rpmbuild = ExternalTool.orSkip("rpmbuild");
        ExternalTool.orSkip("rpm2cpio");
        plain("wl-1.0");
        ExternalTool.orSkip("tar")
                .run("czf", directory.resolve("wl-1.0.tar.gz").toString(), "-C", directory.toString(), "wl-1.0");
        rpmbuild.run(
                "-bs",
                "--define",
                "_topdir " + directory.resolve("top"),
                "--define",
                "_sourcedir " + directory,
                "--define",
                "_srcrpmdir " + directory,
                PACKAGES.resolve("wl-kmod.spec").toString());
        return directory.resolve("wl-kmod-1.0-1.src.rpm");
    }

    /** An unpacked source package of Debian's kind; skips the running test without the tools. */
    Path debian() throws IOException {
        ExternalTool.orSkip("dpkg-buildpackage");
        ExternalTool.orSkip("dh");
        Path source = plain("debian-source");
        for (String name : List.of("control", "changelog", "rules", "source/format")) {
            Path copy = source.resolve("debian").resolve(name);
            Files.createDirectories(copy.getParent());
            Files.copy(PACKAGES.resolve("debian").resolve(name), copy);
        }
        Files.setPosixFilePermissions(source.resolve("debian/rules"), PosixFilePermissions.fromString("rwxr-xr-x"));
        return source;
    }

    /** The module's sources and nothing else; what is there already stays as it is. */
    Path plain(String name) throws IOException {
        Path source = directory.resolve(name);
        if (Files.exists(source)) {
            return source;
        }
        Files.createDirectories(source);
        try (Stream<Path> files = Files.list(SOURCE)) {
            for (Path file : files.filter(file -> !file.endsWith("dkms.conf")).toList()) {
                Files.copy(file, source.resolve(file.getFileName()));
            }
        }
        return source;
    }

    /** Takes a function away that the kernel has, from sources that are unpacked. */
    static void breakSource(Path source) throws IOException {
        Path code = source.resolve("wl_dkms.c");
        Files.writeString(code, Files.readString(code).replace("dev_put(", "wl_gone("));
    }
}
