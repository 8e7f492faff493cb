package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ModuleSpec.Export.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs of weak-modules2 when packages, kernels and their modules are removed. */
class WeakModules2RemovalTest extends SuseRuns {
    @Test
    void replacesLinksOfARemovedPackageByAnotherVersion() throws IOException {
        String one = install(ONE, "a", 5);
        String two = install(TWO, "a", 5);
        image.run("", "--add-kernel", NEW);
        assertThat(image.linked(NEW, two)).isEqualTo(two);
        image.rpm.erase(TWO);
        Files.delete(image.host(two));

        WholeRun replaced = image.run(two + "\n", "--remove-kmp", TWO, "-v");

        assertThat(replaced).isEqualTo(new WholeRun(0, "", """
                Package demo-kmp-default-1.10_k6.4.0_1-1.1 removed from kernel 6.4.0-1-default
                Weak-updates symlinks to no other demo-kmp-default package could be created
                Package demo-kmp-default-1.10_k6.4.0_1-1.1 replaced by package demo-kmp-default-1.0_k6.4.0_1-1.1 in kernel 6.4.0-2-default
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-1-default 6.4.0-1-default" as soon as your system is complete.
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-2-default 6.4.0-2-default" as soon as your system is complete.
                depmod -a 6.4.0-1-default
                depmod -a 6.4.0-2-default
                """));
        assertThat(image.linked(NEW, one)).isEqualTo(one);
        assertThat(image.linked(NEW, two)).isNull();
        image.rpm.erase(ONE);
        Files.delete(image.host(one));
        WholeRun removed = image.run(one + "\n", "--remove-kmp", ONE, "-v");
        assertThat(removed).isEqualTo(removed(ONE, OLD, NEW));
        assertThat(Files.exists(image.link(NEW, one), LinkOption.NOFOLLOW_LINKS))
                .isFalse();
    }

    @Test
    void keepsTheLinksIfAnUpdateHasTheSamePaths() throws IOException {
        String file = install(ONE, "a", 5);
        image.run("", "--add-kmp", ONE);
        image.rpm.install(TWO, file);
        image.rpm.erase(ONE);

        WholeRun run = image.run(file + "\n", "--remove-kmp", ONE, "-v");

        assertThat(run.status()).isZero();
        assertThat(image.linked(NEW, file)).isEqualTo(file);
    }

    @Test
    void removesTheLinksIfAnUpdateWithTheSamePathsDoesNotFit() throws IOException {
        String file = install(ONE, "a", 5);
        image.run("", "--add-kmp", ONE);
        image.rpm.install(TWO, file).erase(ONE);
        image.module(OLD, ONE, "a", 6);

        WholeRun run = image.run(file + "\n", "--remove-kmp", ONE, "-v");

        assertThat(run).isEqualTo(removed(ONE, OLD, NEW));
        assertThat(image.linked(NEW, file)).isNull();
    }

    @Test
    void printsNoReplacementForAVersionThatIsAlreadyLinked() throws IOException {
        String two = install(TWO, "a", 5);
        image.run("", "--add-kmp", TWO);
        String one = image.module(NEW, ONE, "a", 5);
        image.rpm.install(ONE, one).erase(ONE);
        Files.delete(image.host(one));

        assertThat(image.run(one + "\n", "--remove-kmp", ONE, "-v")).isEqualTo(removed(ONE, NEW));
        assertThat(image.linked(NEW, two)).isEqualTo(two);
    }

    /** The package's own kernel now has another file of that name. */
    @Test
    void removesLinksOfAnUpdateWhoseModuleNamesAreTaken() throws IOException {
        String file = install(ONE, "a", 5);
        image.run("", "--add-kmp", ONE);
        image.rpm.install(TWO, file).erase(ONE);
        image.module(NEW, TWO, "a", 5);

        WholeRun run = image.run(file + "\n", "--remove-kmp", ONE, "-v");

        assertThat(run).isEqualTo(removed(ONE, OLD, NEW));
        assertThat(image.linked(NEW, file)).isNull();
    }

    @Test
    void keepsTheLinksOfAReinstalledPackage() throws IOException {
        String file = install(ONE, "a", 5);
        image.run("", "--add-kmp", ONE);

        assertThat(image.run(file + "\n", "--remove-kmp", ONE, "-v"))
                .isEqualTo(new WholeRun(0, "", "Package " + ONE + " is installed; its links stay\n"));

        assertThat(image.linked(NEW, file)).isEqualTo(file);
    }

    /** During the %postun script, rpm still lists the package, and forgets the package afterwards. */
    @Test
    void removesLinksOfAPackageThatRpmStillLists() throws IOException {
        String file = install(ONE, "a", 5);
        image.run("", "--add-kmp", ONE);
        Files.delete(image.host(file));

        WholeRun run = image.run(file + "\n", "--remove-kmp", ONE, "-v");

        assertThat(run).isEqualTo(removed(ONE, OLD, NEW));
        assertThat(image.linked(NEW, file)).isNull();
    }

    @Test
    void removesLinksOfAnUpdateThatDoesNotFit() throws IOException {
        String file = install(ONE, "a", 5);
        image.run("", "--add-kmp", ONE);
        image.rpm.install(TWO, file);
        image.module(OLD, ONE, "a", 6);

        assertThat(image.run(file + "\n", "--remove-kmp", ONE, "-v").status()).isZero();

        assertThat(image.linked(NEW, file)).isNull();
    }

    @Test
    void removesLinksThatNeedRemovedModules() throws IOException {
        image.tree.module(NEW, "kernel/base.ko", SuseImage.built("base", NEW).exporting("base", Table.NORMAL, 1));
        String file = image.module(OLD, "a", SuseImage.built("a", OLD).importing("base", 1), "a");
        image.rpm.install(ONE, file);
        image.run("", "--add-kernel", NEW);
        assertThat(image.linked(NEW, file)).isEqualTo(file);
        Path base = image.tree.modules(NEW).resolve("kernel/base.ko");
        Files.delete(base);

        WholeRun run = image.run(base + "\n", "--remove-kernel-modules", NEW, "-v");

        assertThat(run).isEqualTo(new WholeRun(0, "", """
                Package demo-kmp-default-1.0_k6.4.0_1-1.1 removed from kernel 6.4.0-2-default
                Please run "/usr/bin/dracut -f /boot/initrd-6.4.0-2-default 6.4.0-2-default" as soon as your system is complete.
                depmod -a 6.4.0-2-default
                """));
        assertThat(image.linked(NEW, file)).isNull();
        image.tree.module(NEW, "kernel/base.ko", SuseImage.built("base", NEW).exporting("base", Table.NORMAL, 1));
        image.run(base + "\n", "--add-kernel-modules", NEW);
        assertThat(image.linked(NEW, file)).isEqualTo(file);
    }

    @Test
    void removesEverythingOfARemovedKernel() throws IOException {
        String file = install(ONE, "a", 5);
        image.run("", "--add-kmp", ONE);
        Path kernel = image.tree.modules(NEW);
        for (String name : List.of("kernel/own.ko", "kernel", "vmlinuz", "symvers.gz")) {
            Files.delete(kernel.resolve(name));
        }
        try (var left = Files.newDirectoryStream(kernel, "modules.*")) {
            for (Path index : left) {
                Files.delete(index);
            }
        }

        assertThat(image.run("", "--remove-kernel", NEW)).isEqualTo(new WholeRun(0, "", ""));

        assertThat(kernel).doesNotExist();
        assertThat(image.host(file)).exists();
    }

    @Test
    void removesOnlyTheLinksOfAnInstalledKernel() throws IOException {
        String file = install(ONE, "a", 5);
        image.run("", "--add-kmp", ONE);

        assertThat(image.run("", "--remove-kernel", NEW).status()).isZero();

        assertThat(image.linked(NEW, file)).isNull();
        assertThat(image.tree.modules(NEW).resolve("kernel/own.ko")).exists();
        assertThat(image.tree.modules(NEW).resolve("modules.dep")).content().doesNotContain("weak-updates");
    }

    @Test
    void requestsAnInitrdOnRemovalOnlyIfItIsDueAlready() throws IOException {
        String file = install(ONE, "a", 5);
        image.environment.put("INITRD_IN_POSTTRANS", "1");
        image.run("", "--add-kernel", NEW);
        image.rpm.erase(ONE);
        Files.delete(image.host(file));
        image.tree.file("run/regenerate-initrd/" + NEW, new byte[0]);

        WholeRun run = image.run(file + "\n", "--remove-kmp", ONE);

        assertThat(run).isEqualTo(new WholeRun(0, "", initrds(OLD)));
        assertThat(image.host("/run/regenerate-initrd/" + OLD)).doesNotExist();
    }
}
