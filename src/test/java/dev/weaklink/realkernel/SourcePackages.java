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
 * @param directory the directory for the packages
 */
record SourcePackages(Path directory) {
    private static final Path SOURCE = Path.of("test-fixtures/dkms/wl-dkms-1.0").toAbsolutePath();
    private static final Path PACKAGES = Path.of("test-fixtures/packages").toAbsolutePath();

    /** Returns the stand-in for a program with this name. */
    static Path standIn(String program) {
        return PACKAGES.resolve(program);
    }

    /** Builds a source package with rpmbuild(8); skips the running test if a program is missing. */
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

    /** Returns an unpacked Debian source package; skips the running test if a tool is missing. */
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

    /** Returns a directory with only the module's sources; an existing directory stays unchanged. */
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

    /** Replaces a call of a kernel function in unpacked sources by a call of a missing function. */
    static void breakSource(Path source) throws IOException {
        Path code = source.resolve("wl_dkms.c");
        Files.writeString(code, Files.readString(code).replace("dev_put(", "wl_gone("));
    }
}
