package dev.weaklink.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.system.InstalledModules.InstalledBuild;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InstalledModulesTest {
    @TempDir
    Path temp;

    private FakeSystem system;

    @BeforeEach
    void install() throws IOException {
        system = new FakeSystem(temp.resolve("image"));
        for (String kernel : new String[] {"6.1", "6.2", "6.3", "6.4", "6.10"}) {
            system.files("/lib/modules/" + kernel + "/kernel/own.ko");
            system.file("/lib/modules/" + kernel + "/modules.order", "kernel/own.ko\n");
        }
    }

    private InstalledModules modules() throws IOException {
        return new InstalledModules(system.root());
    }

    private static String path(InstalledBuild found) {
        return found.kernel() + " " + found.file().inside();
    }

    @ParameterizedTest
    @CsvSource({"6.1, 6.2", "6.2, 6.2", "6.3, 6.2", "6.4, 6.4", "6.10, 6.4", ", 6.4"})
    void prefersTheOwnBuildThenTheNextOlderThenTheNextNewer(String kernel, String expected) throws IOException {
        system.files("/lib/modules/6.2/extra/dri-ver.ko", "/lib/modules/6.4/updates/dri-ver.ko.xz");
        assertThat(modules().build("dri-ver", kernel).kernel()).isEqualTo(expected);
        assertThat(modules().build("dri_ver", kernel).kernel()).isEqualTo(expected);
    }

    @Test
    void usesALinkOfAnotherKernelOnlyWithoutAFile() throws IOException {
        system.files("/opt/driver.ko");
        system.link("/lib/modules/6.3/weak-updates/driver.ko", "/opt/driver.ko");
        assertThat(path(modules().build("driver", "6.4"))).isEqualTo("6.3 /lib/modules/6.3/weak-updates/driver.ko");
        system.files("/lib/modules/6.1/extra/driver.ko");
        assertThat(path(modules().build("driver", "6.4"))).isEqualTo("6.1 /lib/modules/6.1/extra/driver.ko");
        assertThat(modules().build("driver", "6.3").kernel()).isEqualTo("6.3");
    }

    @Test
    void nameMeansTheFileThatDepmodChooses() throws IOException {
        system.files("/lib/modules/6.2/extra/a.ko", "/lib/modules/6.2/updates/a.ko");
        assertThat(path(modules().build("a", "6.2"))).isEqualTo("6.2 /lib/modules/6.2/updates/a.ko");
        assertThat(modules().isChosenAnywhere("a")).isTrue();
    }

    @Test
    void buildsAreInAnyDirectoryButNotAmongTheKernelsOwnModules() throws IOException {
        system.files("/lib/modules/6.2/misc/vmmon.ko");
        assertThat(modules().build("own", "6.2")).isNull();
        assertThat(modules().build("vmmon", "6.4").kernel()).isEqualTo("6.2");
        assertThat(modules().names()).containsExactly("vmmon");
    }

    @Test
    void findsADirectoryOfOneKernelWithOrWithoutItsParent() throws IOException {
        system.files("/lib/modules/6.1/extra/ofed/a.ko", "/lib/modules/6.2/extra/ofed/b/b.ko");
        system.files("/lib/modules/6.2/extra/ofed.ko");
        for (String name : new String[] {"extra/ofed", "ofed"}) {
            assertThat(modules().below(name, "6.4"))
                    .extracting(InstalledModulesTest::path)
                    .containsExactly("6.2 /lib/modules/6.2/extra/ofed/b/b.ko");
        }
        assertThat(modules().below("extra/ofe", "6.4")).isEmpty();
    }
}
