package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Whole runs like SUSE's weak-modules2, with the real rpm and depmod. */
class WeakModules2Test extends SuseRuns {
    @Test
    void linksAPackageUnderItsWholePathOnKernelsOfItsFlavor() throws IOException {
        String file = install(ONE, "a", 5);

        assertThat(image.run("", "--add-kmp", ONE)).isEqualTo(new WholeRun(0, "", initrds(OLD, NEW)));

        assertThat(image.linked(NEW, file)).isEqualTo(file);
        assertThat(image.link(NEW, file)).endsWithRaw(Path.of("weak-updates/updates", ONE, "a.ko"));
        assertThat(image.linked(OLD, file)).as("its own kernel").isNull();
        assertThat(image.linked(OTHER_FLAVOR, file)).isNull();
        assertThat(image.tree.modules(NEW).resolve("modules.dep"))
                .content()
                .contains("weak-updates/updates/" + ONE + "/a.ko:");
    }

    /** Programs that would inspect the host instead of the image must not run. */
    @Test
    void verboseMessagesUseTheOriginalWording() throws IOException {
        install(ONE, "a", 5);
        image.environment.put("INITRD_IN_POSTTRANS", "1");

        assertThat(image.run("", "--add-kmp", ONE, "--verbose"))
                .isEqualTo(new WholeRun(0, "", """
                Package %1$s does not need to be added to kernel %2$s
                Package %1$s added to kernel %3$s
                touch /run/regenerate-initrd/%2$s
                touch /run/regenerate-initrd/%3$s
                depmod -a %2$s
                depmod -a %3$s
                """.formatted(ONE, OLD, NEW)));
        assertThat(image.host("/run/regenerate-initrd/" + NEW)).isEmptyFile();
        assertThat(image.host("/run/regenerate-initrd/" + OLD)).isEmptyFile();
    }

    @Test
    void doesNotLinkAPackageWithOneBadModule() throws IOException {
        String good = image.module(OLD, "two", "good", 5);
        String bad = image.module(OLD, "two", "bad", 6);
        image.rpm.install(ONE, good, bad);
        String other = install("other-kmp-default-1-1", "other", 5);

        WholeRun run = image.run("", "--add-kernel", NEW, "--debug");

        assertThat(run).isEqualTo(new WholeRun(0, "", """
                /usr/lib/modules/6.4.0-1-default/updates/two/bad.ko disagrees about version of symbol _printk
                /usr/lib/modules/6.4.0-1-default/updates/two/good.ko: other modules of its package cannot be linked
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-2-default 6.4.0-2-default" as soon as your system is complete.
                """));
        assertThat(image.linked(NEW, good)).isNull();
        assertThat(image.linked(NEW, bad)).isNull();
        assertThat(image.linked(NEW, other)).isEqualTo(other);
    }

    /** weak-modules2 replaces links only, never regular files. */
    @Test
    void leavesAPackageAloneWhereAFileIsInThePlaceOfALink() throws IOException {
        String file = install(ONE, "a", 5);
        String other = install("other-kmp-default-1-1", "other", 5);
        Path copy = image.link(NEW, file);
        Files.createDirectories(copy.getParent());
        Files.copy(image.host(file), copy);

        WholeRun run = image.run("", "--add-kernel", NEW);

        assertThat(run.status()).as("%s", run).isZero();
        assertThat(Files.isRegularFile(copy, LinkOption.NOFOLLOW_LINKS)).isTrue();
        assertThat(copy).hasSameBinaryContentAs(image.host(file));
        assertThat(image.linked(NEW, other)).isEqualTo(other);
    }

    @Test
    void isSilentAboutUnfitPackagesUnlessVerbose() throws IOException {
        image.rpm.install(ONE, image.module(OLD, "a", "a", 6));

        WholeRun run = image.run("", "--add-kmp", ONE, "-v");

        assertThat(run).isEqualTo(new WholeRun(0, "", """
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 does not need to be added to kernel 6.4.0-1-default
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-1-default 6.4.0-1-default" as soon as your system is complete.
                depmod -a 6.4.0-1-default
                """));
    }

    @Test
    void namesAPackageThatDoesNotFitAndSucceeds() throws IOException {
        String file = image.module(OLD, "a", SuseImage.built("a", OLD).importing("gone", 1), "a");
        image.rpm.install(ONE, file);

        WholeRun run = image.run("", "--add-kmp", ONE, "--debug");

        assertThat(run).isEqualTo(new WholeRun(0, "", """
                /usr/lib/modules/6.4.0-1-default/updates/a/a.ko needs unknown symbol gone
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 not added to kernel 6.4.0-2-default
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-1-default 6.4.0-1-default" as soon as your system is complete.
                """));
    }

    @Test
    void replacesALinkedVersionOnlyByANewerOne() throws IOException {
        String one = install(ONE, "a", 5);
        image.run("", "--add-kmp", ONE);
        String two = install(TWO, "a", 5);

        WholeRun newer = image.run("", "--add-kmp", TWO, "-v");

        assertThat(newer).isEqualTo(new WholeRun(0, "", """
                Package demo-kmp-default-1.10_k6.4.0_1-1.1 does not need to be added to kernel 6.4.0-1-default
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 replaced by package demo-kmp-default-1.10_k6.4.0_1-1.1 in kernel 6.4.0-2-default
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-1-default 6.4.0-1-default" as soon as your system is complete.
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-2-default 6.4.0-2-default" as soon as your system is complete.
                depmod -a 6.4.0-1-default
                depmod -a 6.4.0-2-default
                """));
        assertThat(image.linked(NEW, one)).isNull();
        assertThat(image.linked(NEW, two)).isEqualTo(two);
        WholeRun older = image.run("", "--add-kmp", ONE, "-v", "-v");
        assertThat(older).isEqualTo(new WholeRun(0, "", """
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 does not need to be added to kernel 6.4.0-1-default
                Package demo-kmp-default-1.10_k6.4.0_1-1.1 kept in kernel 6.4.0-2-default, not replaced by demo-kmp-default-1.0_k6.4.0_1-1.1
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-1-default 6.4.0-1-default" as soon as your system is complete.
                depmod -a 6.4.0-1-default
                """));
        assertThat(image.linked(NEW, two)).isEqualTo(two);
    }

    @Test
    void linksTheNewestVersionThatFitsForANewKernel() throws IOException {
        String one = install(ONE, "a", 5);
        String two = install(TWO, "a", 6);

        WholeRun run = image.run("", "--add-kernel", NEW, "-v");

        assertThat(run).isEqualTo(new WholeRun(0, "", """
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 added to kernel 6.4.0-2-default
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-2-default 6.4.0-2-default" as soon as your system is complete.
                depmod -a 6.4.0-2-default
                """));
        assertThat(image.linked(NEW, one)).isEqualTo(one);
        assertThat(image.linked(NEW, two)).isNull();
    }

    @Test
    void printsOnlyTheReplacementOfAVersion() throws IOException {
        install(ONE, "a", 5);
        image.run("", "--add-kmp", ONE);
        install(TWO, "a", 5);

        WholeRun run = image.run("", "--add-kernel", NEW, "-v");

        assertThat(run).isEqualTo(new WholeRun(0, "", """
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 replaced by package demo-kmp-default-1.10_k6.4.0_1-1.1 in kernel 6.4.0-2-default
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-2-default 6.4.0-2-default" as soon as your system is complete.
                depmod -a 6.4.0-2-default
                """));
    }

    /** rpm lists both versions until it has removed the replaced one. */
    @Test
    void printsThatAVersionWithTheFilesOfALinkedVersionIsNotNeeded() throws IOException {
        String file = image.module(OLD, "a", "a", 5);
        image.rpm.install(ONE, file).install(TWO, file);

        WholeRun run = image.run("", "--add-kernel", NEW, "-v");

        assertThat(run).isEqualTo(new WholeRun(0, "", """
                Package demo-kmp-default-1.10_k6.4.0_1-1.1 added to kernel 6.4.0-2-default
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 does not need to be added to kernel 6.4.0-2-default
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-2-default 6.4.0-2-default" as soon as your system is complete.
                depmod -a 6.4.0-2-default
                """));
        assertThat(image.linked(NEW, file)).isEqualTo(file);
    }

    @Test
    void linksAPackageAfterThePackagesItNeeds() throws IOException {
        String first = image.module(OLD, "x", exporting("first", "one", "two"), "first");
        String second = image.module(OLD, "y", exporting("second", "two", "one"), "second");
        image.rpm.install("first-kmp-default-1-1", first).install("second-kmp-default-1-1", second);
        String third = image.module(OLD, "z", exporting("third", "three", "_printk", 5), "third");
        String user = image.module(OLD, "z", exporting("user", "four", "three"), "user");
        image.rpm.install("a-user-kmp-default-1-1", user).install("third-kmp-default-1-1", third);

        assertThat(image.run("", "--add-kernel", NEW).status()).isZero();

        assertThat(image.linked(NEW, user)).isEqualTo(user);
        assertThat(image.linked(NEW, third)).isEqualTo(third);
        assertThat(image.linked(NEW, first)).as("neither can be loaded first").isNull();
        assertThat(image.linked(NEW, second)).isNull();
    }

    private static ModuleBuilder exporting(String name, String exported, String imported) {
        return exporting(name, exported, imported, 7);
    }

    private static ModuleBuilder exporting(String name, String exported, String imported, int crc) {
        return SuseImage.built(name, OLD).exporting(exported, Table.NORMAL, 7).importing(imported, crc);
    }

    @Test
    void doesNotLinkAPackageWithAModuleThatExistsAlready() throws IOException {
        String file = install(ONE, "a", 5);
        image.tree.module(NEW, "extra/a.ko", SuseImage.built("a", NEW).importing("_printk", 5));

        WholeRun run = image.run("", "--add-kmp", ONE, "--debug");

        assertThat(run).isEqualTo(new WholeRun(0, "", """
                demo-kmp-default-1.0_k6.4.0_1-1.1: there is /usr/lib/modules/6.4.0-2-default/extra/a.ko
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 not added to kernel 6.4.0-2-default
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-1-default 6.4.0-1-default" as soon as your system is complete.
                """));
        assertThat(image.linked(NEW, file)).isNull();
    }

    @Test
    void keepsModulesLoadableThatLoadedBefore() throws IOException {
        image.tree.module(NEW, "kernel/a.ko", SuseImage.built("a", NEW).exporting("service", Table.NORMAL, 1));
        image.tree.module(NEW, "kernel/user.ko", SuseImage.built("user", NEW).importing("service", 1));
        String file = image.module(OLD, "a", SuseImage.built("a", OLD).exporting("service", Table.NORMAL, 2), "a");
        image.rpm.install(ONE, file);

        WholeRun run = image.run("", "--add-kmp", ONE, "--debug");

        assertThat(run).isEqualTo(new WholeRun(0, "", """
                /usr/lib/modules/6.4.0-1-default/updates/a/a.ko: these modules of the kernel would no longer load: user
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 not added to kernel 6.4.0-2-default
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-1-default 6.4.0-1-default" as soon as your system is complete.
                """));
        assertThat(image.linked(NEW, file)).isNull();
    }

    @Test
    void namesAndKeepsAnExistingLinkThatBreaksInTreeModules() throws IOException {
        image.tree.module(NEW, "kernel/a.ko", SuseImage.built("a", NEW).exporting("service", Table.NORMAL, 1));
        image.tree.module(NEW, "kernel/user.ko", SuseImage.built("user", NEW).importing("service", 1));
        String file = image.module(OLD, "a", SuseImage.built("a", OLD).exporting("service", Table.NORMAL, 2), "a");
        image.rpm.install(ONE, file);
        Files.createDirectories(image.link(NEW, file).getParent());
        Files.createSymbolicLink(image.link(NEW, file), Path.of(file));
        String other = install("other-kmp-default-1-1", "other", 5);

        WholeRun run = image.run("", "--add-kmp", "other-kmp-default-1-1");

        assertThat(run).isEqualTo(new WholeRun(0, "", """
                WARNING: kernel 6.4.0-2-default: the existing weak-updates links stop these in-tree modules from loading: user; 'weaklink status --root IMAGE' lists the links
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-1-default 6.4.0-1-default" as soon as your system is complete.
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-2-default 6.4.0-2-default" as soon as your system is complete.
                """.replace(
                        "IMAGE", image.tree.root().toString())));
        assertThat(image.linked(NEW, other)).isEqualTo(other);
        assertThat(image.linked(NEW, file)).isEqualTo(file);
    }

    @Test
    void ignoresAnInTreeModuleThatDoesNotLoadAnyway() throws IOException {
        image.tree.module(
                NEW, "kernel/broken.ko", SuseImage.built("broken", NEW).importing("gone", 1));
        String file = install(ONE, "a", 5);

        assertThat(image.run("", "--add-kmp", ONE).status()).isZero();

        assertThat(image.linked(NEW, file)).isEqualTo(file);
    }

    @Test
    void doesNotReplaceAPackageByAVersionThatBreaksAnother() throws IOException {
        String service = image.module(OLD, "s1", exporting("s", "service", "_printk", 5), "s");
        String user = image.module(OLD, "u", SuseImage.built("u", OLD).importing("service", 7), "u");
        image.rpm.install(ONE, service).install("user-kmp-default-1-1", user);
        image.run("", "--add-kernel", NEW);
        assertThat(image.linked(NEW, user)).isEqualTo(user);
        String newer = image.module(OLD, "s2", SuseImage.built("s", OLD).exporting("service", Table.NORMAL, 8), "s");
        image.rpm.install(TWO, newer);

        WholeRun run = image.run("", "--add-kmp", TWO, "-v", "-v");

        assertThat(run).isEqualTo(new WholeRun(0, "", """
                Package demo-kmp-default-1.10_k6.4.0_1-1.1 does not need to be added to kernel 6.4.0-1-default
                demo-kmp-default-1.10_k6.4.0_1-1.1: user-kmp-default-1-1 would no longer load
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 kept in kernel 6.4.0-2-default, not replaced by demo-kmp-default-1.10_k6.4.0_1-1.1
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-1-default 6.4.0-1-default" as soon as your system is complete.
                depmod -a 6.4.0-1-default
                """));
        assertThat(image.linked(NEW, service)).isEqualTo(service);
    }

    @Test
    void replacesDanglingLinksOfOtherVersions() throws IOException {
        String file = install(ONE, "a", 5);
        String gone = "/usr/lib/modules/" + OLD + "/updates/earlier/a.ko";
        Files.createDirectories(image.link(NEW, gone).getParent());
        Files.createSymbolicLink(image.link(NEW, gone), Path.of(gone));

        image.run("", "--add-kmp", ONE);

        assertThat(image.linked(NEW, file)).isEqualTo(file);
        assertThat(image.linked(NEW, gone)).isNull();
    }
}
