package dev.weaklink.system;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Builds packages with rpmbuild and installs them with rpm; skips the test if either program is missing. */
public final class InstalledRpm {
    private InstalledRpm() {}

    /**
     * Makes a package of files that exist in an image, and registers the package in the image's rpm database.
     *
     * @param version the version, which may begin with an epoch and a colon
     * @param files the absolute paths as seen inside the image
     */
    public static void of(String name, String version, List<String> files, Path image, Path work) throws IOException {
        ExternalTool rpmbuild = ExternalTool.orSkip("rpmbuild");
        ExternalTool rpm = ExternalTool.orSkip("rpm");
        Path top = Files.createDirectories(work.resolve(name));
        Path spec = Files.writeString(top.resolve("it.spec"), spec(name, version, files));
        rpmbuild.run("-bb", "--define", "_topdir " + top, spec.toString());
        try (var made = Files.walk(top.resolve("RPMS"))) {
            for (Path file :
                    made.filter(path -> path.toString().endsWith(".rpm")).toList()) {
                rpm.run(
                        "--root",
                        image.toString(),
                        "--dbpath",
                        "/var/lib/rpm",
                        "--justdb",
                        "--nodeps",
                        "--force-debian",
                        "-i",
                        file.toString());
            }
        }
    }

    private static String spec(String name, String version, List<String> files) {
        int epoch = version.indexOf(':');
        StringBuilder make = new StringBuilder();
        for (String file : files) {
            String below = "%{buildroot}" + file;
            make.append("mkdir -p \"$(dirname \"").append(below).append("\")\"\n");
            make.append("echo > \"").append(below).append("\"\n");
        }
        return """
        Name: %s
        Epoch: %s
        Version: %s
        Release: 1
        Summary: Modules of a test
        License: GPL-2.0-only
        BuildArch: noarch
        %%description
        Modules of a test.
        %%install
        %s
        %%files
        %s
        """.formatted(
                        name,
                        epoch < 0 ? "0" : version.substring(0, epoch),
                        version.substring(epoch + 1),
                        make,
                        "\"" + String.join("\"\n\"", files) + "\"");
    }
}
