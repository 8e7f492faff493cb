package dev.weaklink.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Builds packages of the modules in a directory with the distributions' own tools. */
public final class RealPackages {
    private RealPackages() {}

    /**
     * Builds an rpm named kmod-m, version 1.0-3; skips the test if rpmbuild is missing.
     *
     * @param scratch an empty directory to work in
     * @param tree the files of the package, below lib/modules
     * @param lines further lines of the spec file, such as requirements
     */
    public static Path rpm(Path scratch, Path tree, String... lines) throws IOException {
        ExternalTool rpmbuild = ExternalTool.orSkip("rpmbuild");
        String spec = """
        Name: kmod-m
        Version: 1.0
        Release: 3
        Summary: modules
        License: none
        AutoReqProv: no
        LINES
        %description
        Modules.
        %global __os_install_post %{nil}
        %global debug_package %{nil}
        %install
        cp -r TREE/lib %{buildroot}
        %files
        /lib/modules/*
        """;
        Path file = scratch.resolve("kmod-m.spec");
        Files.writeString(file, spec.replace("LINES", String.join("\n", lines)).replace("TREE", tree.toString()));
        rpmbuild.run("-bb", "--define", "_topdir " + scratch.resolve("top"), file.toString());
        try (Stream<Path> made = Files.walk(scratch.resolve("top/RPMS"))) {
            return made.filter(Files::isRegularFile).findFirst().orElseThrow();
        }
    }

    /** Builds a deb named kmod-m, version 1.0-3; skips the test if dpkg-deb is missing. */
    public static Path deb(Path scratch, Path tree) throws IOException {
        ExternalTool dpkgDeb = ExternalTool.orSkip("dpkg-deb");
        Path control = Files.createDirectories(tree.resolve("DEBIAN")).resolve("control");
        Files.writeString(control, """
        Package: kmod-m
        Source: m-driver (1.0)
        Version: 1.0-3
        Architecture: all
        Maintainer: nobody <nobody@example.org>
        Description: modules
        """);
        Path deb = scratch.resolve("m.deb");
        dpkgDeb.run("--build", "-Zxz", tree.toString(), deb.toString());
        return deb;
    }
}
