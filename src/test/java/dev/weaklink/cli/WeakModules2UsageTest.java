package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The messages and changes of weak-modules2, and the arguments that it refuses. */
class WeakModules2UsageTest extends SuseRuns {
    @Test
    void ignoresPackagesBuiltFromTheKernelsOwnSources() throws IOException {
        String file = image.module(OLD, "a", "a", 5);
        image.rpm.install(ONE, List.of("kmp_in_kernel"), List.of(file));

        WholeRun run = image.run("", "--add-kmp", ONE);

        assertThat(run)
                .isEqualTo(new WholeRun(1, "", "ERROR: " + ONE + " is not an installed kernel module package\n"));
    }

    @Test
    void packagesForSeveralKernelsOrInForeignPlacesAreRefused() throws IOException {
        image.rpm.install(ONE, image.module(OLD, "a", "a", 5), image.module("6.4.0-9-default", "a", "b", 5));
        image.rpm.install("bad-kmp-default-1-1", "/usr/lib/modules/" + OLD + "/kernel/bad.ko");

        WholeRun several = image.run("", "--add-kmp", ONE);

        assertThat(several.status()).isEqualTo(1);
        assertThat(several.err().lines())
                .containsExactlyInAnyOrder(
                        "Error: package " + ONE + " seems to contain modules for multiple kernel versions",
                        "Error: package bad-kmp-default-1-1 must not install modules into kernel/ or"
                                + " weak-updates/",
                        "ERROR: " + ONE + " is not an installed kernel module package");
        String good = install("good-kmp-default-1-1", "good", 5);
        assertThat(image.run("", "--add-kernel", NEW).status()).isZero();
        assertThat(image.linked(NEW, good)).isEqualTo(good);
    }

    @Test
    void writesNothingOnADryRun() throws IOException {
        String file = install(ONE, "a", 5);
        image.environment.put("INITRD_IN_POSTTRANS", "1");
        List<String> before = image.listing();

        WholeRun run = image.run("", "--add-kmp", ONE, "--dry-run", "-v", "--logfile", "x.log");

        assertThat(run).isEqualTo(new WholeRun(0, "", """
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 does not need to be added to kernel 6.4.0-1-default
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 added to kernel 6.4.0-2-default
                touch /run/regenerate-initrd/6.4.0-1-default
                touch /run/regenerate-initrd/6.4.0-2-default
                depmod -a 6.4.0-1-default
                depmod -a 6.4.0-2-default
                """));
        image.run("", "--add-kernel", NEW, "--dry-run");
        image.run("", "--remove-kernel", NEW, "--dry-run");
        image.run(file, "--remove-kmp", TWO, "--dry-run");
        assertThat(image.listing()).isEqualTo(before);
    }

    @Test
    void messagesGoToTheLogFile() throws IOException {
        install(ONE, "a", 5);
        Files.createDirectories(image.host("/var/log"));
        image.environment.put("WM2_VERBOSE", "1");

        WholeRun run = image.run("", "--add-kmp", ONE, "--logfile", "wm2.log");

        assertThat(run).isEqualTo(new WholeRun(0, "", "weak-modules2: appending output to /var/log/wm2.log\n"));
        assertThat(image.host("/var/log/wm2.log"))
                .content()
                .contains("Package " + ONE + " added to kernel " + NEW + "\n");
    }

    @Test
    void reportsAnImageWithoutPackages() {
        WholeRun run = WholeRun.reading(
                new byte[0],
                "weak-modules2",
                "--basedir",
                directory.resolve("rpm").toString(),
                "--add-kmp",
                ONE);

        assertThat(run).isEqualTo(new WholeRun(1, "", "ERROR: no RPM database in " + directory.resolve("rpm") + "\n"));
    }

    @Test
    void doesNothingForAMissingKernel() throws IOException {
        List<String> before = image.listing();

        assertThat(image.run("", "--add-kernel", "6.4.0-7-default")).isEqualTo(new WholeRun(0, "", ""));
        assertThat(image.run("", "--remove-kernel", "6.4.0-7-default")).isEqualTo(new WholeRun(0, "", ""));

        assertThat(image.listing()).isEqualTo(before);
    }

    @Test
    void printsTheUsageAfterWrongUsage() {
        assertUsage(image.run(""), "ERROR: Please specify one of the --add-* or --remove-* options");
        assertUsage(image.run("", "--add-kmp"), "ERROR: Option --add-kmp requires exactly one argument");
        assertUsage(image.run("", "--add-kernel", "a", "b"), "ERROR: Too many arguments to --add-kernel");
        assertUsage(image.run("", "--frob"), "weak-modules2: unrecognized option '--frob'");
        assertThat(image.run("", "-h").status()).isZero();
    }

    private void assertUsage(WholeRun run, String message) {
        String usage = image.run("", "--usage").out();
        assertThat(run).isEqualTo(new WholeRun(1, "", message + "\n" + usage));
    }

    @Test
    void escapesHostileFileNames() throws IOException {
        String file = install(ONE, "a", 5);
        image.tree.module(NEW, "extra/\u001b[2J/a.ko", SuseImage.built("a", NEW));

        WholeRun run = image.run("", "--add-kmp", ONE, "--debug");

        assertThat(run).isEqualTo(new WholeRun(0, "", """
                demo-kmp-default-1.0_k6.4.0_1-1.1: there is /usr/lib/modules/6.4.0-2-default/extra/\\x1b[2J/a.ko
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 not added to kernel 6.4.0-2-default
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-1-default 6.4.0-1-default" as soon as your system is complete.
                """));
        assertThat(image.linked(NEW, file)).isNull();
    }
}
