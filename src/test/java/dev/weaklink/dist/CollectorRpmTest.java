package dev.weaklink.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.system.InstalledRpm;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.TreeBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the collector on a system with rpm packages, with a real database mounted at its usual path. */
class CollectorRpmTest {
    private static final String KMOD = "/lib/modules/" + NodeTree.OLD + "/extra/a b/alpha.ko";

    /**
     * A shell command that mounts the database. Debian's rpm has its database below HOME, other distributions at the
     * mount.
     */
    private static final String MOUNT =
            "mount --bind \"$1/var/lib/rpm\" /var/lib/rpm && mount --bind \"$1/lib/modules\" /lib/modules"
                    + " && HOME=$1/home exec dash \"$2\"";

    @TempDir
    Path image;

    @TempDir
    Path work;

    @Test
    void reportsPackagesThatOwnModulesOrBelongToAProduct() throws Exception {
        assumeMounts();
        TreeBuilder.in(image).module(NodeTree.OLD, "extra/a b/alpha.ko", NodeTree.alpha());
        InstalledRpm.of("alpha-modules", "2:1.0", List.of(KMOD), image, work);
        InstalledRpm.of("mlnx-tools", "5.2", List.of("/usr/share/x"), image, work);
        InstalledRpm.of("kmod-libs", "30", List.of("/usr/lib/libkmod"), image, work);
        InstalledRpm.of("bash", "5", List.of("/usr/bin/bash"), image, work);
        Files.createDirectories(image.resolve("home"));
        Files.createSymbolicLink(image.resolve("home/.rpmdb"), Path.of("/var/lib/rpm"));

        List<String> told = new ArrayList<>();
        for (JsonNode entry : collect().get("packages")) {
            if (entry.get("kind").asText().equals("rpm")) {
                told.add(entry.get("name").asText()
                        + " "
                        + entry.get("version").asText()
                        + " "
                        + entry.get("arch").asText());
            }
        }
        assertThat(told).containsExactly("alpha-modules 2:1.0-1 noarch", "mlnx-tools 0:5.2-1 noarch");
    }

    private JsonNode collect() throws Exception {
        Process process = new ProcessBuilder(
                        "unshare", "-rm", "sh", "-c", MOUNT, "x", image.toString(), "" + CollectorRun.SCRIPT)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        process.getOutputStream().close();
        String line = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return new ObjectMapper().readTree(line);
    }

    private static void assumeMounts() throws Exception {
        ExternalTool.orSkip("unshare");
        ExternalTool.orSkip("rpmbuild");
        for (String directory : List.of("/var/lib/rpm", "/lib/modules")) {
            assumeTrue(Files.isDirectory(Path.of(directory)), directory + " is not there to mount on");
        }
        Process process = new ProcessBuilder("unshare", "-rm", "mount", "--bind", "/tmp", "/mnt").start();
        assumeTrue(process.waitFor() == 0, "mounting is not allowed here");
    }
}
