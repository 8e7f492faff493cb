package dev.weaklink.cli;

import static dev.weaklink.cli.RebuildPlace.KERNEL;
import static dev.weaklink.cli.RebuildPlace.built;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.links.transaction.InterruptedTransaction;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.links.transaction.TreeSnapshot;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.ModuleBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The way from a plan that requires a rebuild to a kernel that would load the installed modules. */
class RebuildInstallTest {
    private static final String OLD = "6.1.0-0-amd64";

    @TempDir
    Path directory;

    private RebuildPlace place;

    @BeforeEach
    void prepare() throws IOException {
        ExternalTool.orSkip("depmod");
        place = RebuildPlace.in(directory);
        place.image().module(OLD, "extra/mlnx-ofa_kernel/wl_core.ko", refused("wl_core"));
        place.image().module(OLD, "extra/mlnx-ofa_kernel/wl_compat.ko", refused("wl_compat"));
    }

    private static ModuleBuilder refused(String name) {
        return built(name, OLD).importing("_printk", 4);
    }

    /** The manifest in an image may name any path of the host. */
    @Test
    void refusesAKeptResultInAnotherDirectory() throws IOException {
        assertThat(place.rebuild(Map.of()).status()).isZero();
        Path elsewhere = directory.toRealPath().resolve("elsewhere");
        Files.move(place.run(1).resolve("results"), elsewhere);
        Path manifest = place.run(1).resolve("manifest.json");
        String text = Files.readString(manifest);
        Files.writeString(manifest, text.replace(place.run(1).resolve("results").toString(), elsewhere.toString()));
        WholeRun run = install("1");
        assertThat(place.neutral(run)).isEqualTo(new WholeRun(4, """
                6.1.0-1-amd64: mlnx failed: broken-result
                  DIRECTORY/elsewhere/MLNX_OFED_LINUX-24.10-1.1.4.0-debian12-x86_64-ext.tgz: is outside the run
                Next: build the modules again
                  log and results: RUN
                """, ""));
        assertThat(place.image().modules(KERNEL).resolve("extra")).doesNotExist();
        Files.writeString(manifest, text);
        Files.createSymbolicLink(place.run(1).resolve("results"), elsewhere);
        assertThat(place.neutral(install("1"))).isEqualTo(new WholeRun(4, """
                6.1.0-1-amd64: mlnx failed: broken-result
                  RUN/results/MLNX_OFED_LINUX-24.10-1.1.4.0-debian12-x86_64-ext.tgz: is outside the run
                Next: build the modules again
                  log and results: RUN
                """, ""));
        assertThat(place.image().modules(KERNEL).resolve("extra")).doesNotExist();
    }

    @Test
    void judgesAndInstallsAnUnjudgedResult() throws IOException {
        assertThat(place.rebuild(Map.of()).status()).isZero();
        Path manifest = place.run(1).resolve("manifest.json");
        Files.writeString(
                manifest, Files.readString(manifest).replace("\"state\":\"built\"", "\"state\":\"unjudged\""));
        WholeRun next = place.rebuild(Map.of());
        assertThat(place.neutral(next.messages().get(0)))
                .isEqualTo("an earlier run was interrupted after its build (RUN); to check and install its results, run"
                        + " 'weaklink rebuild' for this kernel with --install=1");
        assertThat(place.keepsResult(1)).isTrue();
        assertThat(install("1").status()).isZero();
        assertThat(Files.readString(manifest)).contains("\"state\":\"built\"");
    }

    @Test
    void dryRunOfAnInstallationPrintsItsFilesAndInstallsNothing() throws IOException {
        assertThat(place.rebuild(Map.of()).status()).isZero();
        SortedMap<String, String> before = installed();

        WholeRun run = install("1", "--dry-run");

        assertThat(run.status()).as("%s", run).isZero();
        assertThat(run.out()).contains("would install: /lib/modules/");
        assertThat(installed()).isEqualTo(before);
        assertThat(install("1").status()).isZero();
        assertThat(installed()).isNotEqualTo(before);
    }

    private WholeRun install(String... words) {
        List<String> all = new ArrayList<>(List.of("rebuild", "--kernel", KERNEL));
        all.addAll(List.of("--root", place.image().root().toString(), "--install"));
        all.addAll(List.of(words));
        return WholeRun.with(place.environment(), all.toArray(String[]::new));
    }

    @Test
    void removesInstalledFilesIfDepmodFails() throws IOException {
        Path depmod = Files.writeString(directory.resolve("depmod"), "#!/bin/sh\nexit 1\n");
        Files.setPosixFilePermissions(depmod, PosixFilePermissions.fromString("rwxr-xr-x"));
        TransactionSettings failing = TransactionSettings.DEFAULT.withDepmod(depmod);
        WholeRun run = WholeRun.of(failing, new byte[0], place.environment(), place.words("--install"));
        assertThat(run.messages().get(run.messages().size() - 1))
                .isEqualTo("cannot install: depmod failed for kernel 6.1.0-1-amd64 (exit status 1); everything is"
                        + " as it was before");
        assertThat(run.status()).isEqualTo(4);
        assertThat(place.image().modules(KERNEL).resolve("extra")).doesNotExist();
        assertThat(run.status()).isEqualTo(4);
    }

    @Test
    void undoTakesBackAnInterruptedInstallationAndItsRepetitionTogether() throws IOException {
        SortedMap<String, String> before = installed();
        TransactionSettings killed = TransactionSettings.DEFAULT.withFaults(step -> {
            if (step.equals("after depmod")) {
                InterruptedTransaction.at(1).at(step);
            }
        });
        assertThatThrownBy(() -> WholeRun.of(killed, new byte[0], place.environment(), place.words("--install")))
                .isInstanceOf(InterruptedTransaction.Kill.class);
        WholeRun again = place.rebuild(Map.of(), "--install");
        assertThat(again.status()).as("%s", again).isZero();
        assertThat(installed()).isNotEqualTo(before);
        WholeRun undo = WholeRun.of("undo", "--root", place.image().root().toString());
        assertThat(undo.status()).as("%s", undo).isZero();
        assertThat(installed()).isEqualTo(before);
    }

    private SortedMap<String, String> installed() throws IOException {
        SortedMap<String, String> tree = TreeSnapshot.of(place.image().root());
        tree.keySet().removeIf(path -> !path.startsWith("lib/") && !path.startsWith("etc/"));
        return tree;
    }
}
