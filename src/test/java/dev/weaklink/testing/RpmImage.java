package dev.weaklink.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Small packages, built with the real rpmbuild and registered in an image's rpm database. Only their names and lists of
 * files are real: the files themselves are not installed.
 */
public final class RpmImage {
    private final ExternalTool rpmbuild;
    private final ExternalTool rpm;
    private final Path scratch;
    private final Path database;

    private RpmImage(ExternalTool rpmbuild, ExternalTool rpm, Path scratch, Path database) {
        this.rpmbuild = rpmbuild;
        this.rpm = rpm;
        this.scratch = scratch;
        this.database = database;
    }

    /** Returns an instance with an empty database; skips the running test if rpm or rpmbuild is missing. */
    public static RpmImage orSkip(Path scratch, Path image) throws IOException {
        ExternalTool rpmbuild = ExternalTool.orSkip("rpmbuild");
        ExternalTool rpm = ExternalTool.orSkip("rpm");
        Path database = Files.createDirectories(image.resolve("usr/lib/sysimage/rpm"));
        rpm.run("--dbpath", database.toString(), "--initdb");
        return new RpmImage(rpmbuild, rpm, scratch, database);
    }

    /**
     * Builds and registers a package.
     *
     * @param id the package as name-version-release
     * @param provides the package's provides, in addition to its name
     * @param files the absolute paths
     */
    public RpmImage install(String id, List<String> provides, List<String> files) throws IOException {
        return enter(build(id, provides, files));
    }

    /** Builds a package without registering it. */
    public Path build(String id, List<String> provides, List<String> files) throws IOException {
        int release = id.lastIndexOf('-');
        int version = id.lastIndexOf('-', release - 1);
        List<String> lines = new ArrayList<>();
        lines.add("Name: " + id.substring(0, version));
        lines.add("Version: " + id.substring(version + 1, release));
        lines.add("Release: " + id.substring(release + 1));
        lines.addAll(List.of("Summary: test", "License: none", "BuildArch: noarch", "AutoReqProv: no"));
        provides.forEach(provided -> lines.add("Provides: " + provided));
        lines.addAll(List.of("%description", "A test.", "%install"));
        for (String file : files) {
            lines.add("install -D /dev/null \"%{buildroot}" + file + "\"");
        }
        lines.add("%files");
        files.forEach(file -> lines.add("\"" + file + "\""));
        Path spec = Files.write(scratch.resolve("package.spec"), lines);
        rpmbuild.run(
                "--define",
                "_topdir " + scratch.resolve(id),
                "--define",
                "_tmppath " + scratch,
                "--define",
                "__os_install_post %{nil}",
                "--define",
                "debug_package %{nil}",
                "-bb",
                spec.toString());
        return scratch.resolve(id).resolve("RPMS/noarch/" + id + ".noarch.rpm");
    }

    /** Registers a package that was built before. */
    public RpmImage enter(Path built) throws IOException {
        rpm("-i", "--justdb", "--nodeps", "--force", built.toString());
        return this;
    }

    /** Builds and registers a package that provides only its name. */
    public RpmImage install(String id, String... files) throws IOException {
        return install(id, List.of(), List.of(files));
    }

    /** Removes a package from the database. */
    public RpmImage erase(String id) throws IOException {
        rpm("-e", "--justdb", "--nodeps", id);
        return this;
    }

    private void rpm(String... words) throws IOException {
        // Debian's rpm refuses to install packages and recommends alien(1) without this option
        List<String> all = new ArrayList<>(List.of("--dbpath", database.toString()));
        if (words[0].equals("-i") && Files.exists(Path.of("/etc/debian_version"))) {
            all.add("--force-debian");
        }
        all.addAll(List.of(words));
        rpm.run(all.toArray(new String[0]));
    }
}
