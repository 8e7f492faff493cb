package dev.weaklink.realkernel;

import static dev.weaklink.realkernel.KernelSeries.K55;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests programs that build only for the running system: a stand-in for DOCA-Host's program, with the real rpmbuild.
 */
class HostBuildsIT {
    private static final String BUILT = K55 + ": 1 module built, 1 of which the kernel would load";
    private static final String MODULES = "/usr/lib/modules/" + K55;

    @TempDir
    Path directory;

    private HostSandbox sandbox;
    private Path source;

    @BeforeEach
    void makeSource() throws IOException {
        BuildTree.orSkip(K55);
        sandbox = HostSandbox.orSkip(directory, "/opt", "/lib/modules", "/var", "/run");
        source = new SourcePackages(Files.createDirectory(directory.resolve("sources"))).rpm();
    }

    /** Returns a script that creates a kernel's directories, and other directories that the programs need. */
    private static String kernel() {
        return "mkdir -p /var/tmp /var/lib /var/cache "
                + MODULES
                + "\ntouch "
                + MODULES
                + "/modules.order "
                + MODULES
                + "/modules.builtin "
                + MODULES
                + "/modules.builtin.modinfo\n";
    }

    private HostSandbox.Result rebuild(String before, Map<String, String> environment, String... words)
            throws IOException {
        List<String> all = new ArrayList<>(List.of("rebuild", "--kernel", K55, "--install"));
        all.addAll(List.of(words));
        return sandbox.run(kernel() + before, all, environment, "find " + MODULES + " /var/lib/weaklink -type f");
    }

    private String docaTool() {
        return "mkdir -p /opt/mellanox/doca/tools\ncp "
                + SourcePackages.standIn("doca-kernel-support")
                + " /opt/mellanox/doca/tools/\n";
    }

    @Test
    void findsTheResultOfDocaInEveryDirectory() throws IOException {
        HostSandbox.Result run = rebuild(docaTool(), Map.of(), "--backend", "doca", "--", "-t", source.toString());
        Path result = result(run);
        try {
            assertThat(run.status()).as("%s", run.lines()).isZero();
            assertThat(run.lines()).contains(BUILT, "  COMPATIBLE  wl_dkms", MODULES + "/extra/wl/wl_dkms.ko");
            assertThat(result.getFileName().toString())
                    .matches("doca-kernel-repo-3\\.1\\.0-1\\.kver\\." + K55.replace('-', '_') + ".*\\.rpm");
        } finally {
            DurableFiles.deleteTree(result.getParent());
        }
    }

    /** Uses a tool that leaves no result, while another user has put a package with such a name into /tmp. */
    @Test
    void doesNotInstallFilesOfAnotherUserInTmp() throws IOException {
        ExternalTool.orSkip("setpriv");
        Path tool = directory.resolve("robbed");
        Files.writeString(tool, """
        #!/bin/sh
        '%s' "$@" || exit
        mkdir /var/tmp/own
        find /tmp/DOCA.* -name 'doca-kernel-repo-*' -newer "$0" -exec mv {} /var/tmp/own/ ';'
        find /tmp/DOCA.* -maxdepth 0 -newer "$0" -exec rm -rf {} +
        chmod -R a+rX /var/tmp/own
        setpriv --reuid=65534 --regid=65534 --clear-groups sh -c \
          'mkdir /tmp/DOCA.foreign && cp /var/tmp/own/* /tmp/DOCA.foreign && echo planted'
        """.formatted(SourcePackages.standIn("doca-kernel-support")));
        try {
            HostSandbox.Result run = rebuild(
                    "mkdir -p /opt/mellanox/doca/tools\ncp "
                            + tool
                            + " /opt/mellanox/doca/tools/doca-kernel-support\n"
                            + "chmod +x /opt/mellanox/doca/tools/doca-kernel-support\n",
                    Map.of(),
                    "-v",
                    "--backend",
                    "doca",
                    "--",
                    "-t",
                    source.toString());
            assertThat(run.lines())
                    .anyMatch(line -> line.endsWith("planted"))
                    .contains(K55 + ": doca failed: no-result")
                    .noneMatch(line -> line.endsWith(".ko"));
            assertThat(run.status()).isEqualTo(4);
        } finally {
            DurableFiles.deleteTree(Path.of("/tmp/DOCA.foreign"));
        }
    }

    /** Returns the copied result, which the tool left in its own directory below /tmp. */
    private static Path result(HostSandbox.Result run) {
        return run.lines().stream()
                .filter(line -> line.startsWith("  result: ") && line.contains("/results/tmp/DOCA."))
                .map(line -> Path.of(line.substring(line.indexOf("/tmp/DOCA."))))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no result in " + run.lines()));
    }

    @Test
    void docaWithoutItsSourcesSucceedsWithoutABuild() throws IOException {
        HostSandbox.Result run = rebuild(docaTool(), Map.of(), "--backend", "doca");
        assertThat(run.status()).isEqualTo(4);
        assertThat(run.lines()).contains(K55 + ": doca failed: no-result").noneMatch(line -> line.endsWith(".ko"));
    }
}
