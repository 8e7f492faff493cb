package dev.weaklink.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.UnreadableException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KmpFilesTest {
    @Test
    void countsOnlyModulesCompressedOrNot() throws UnreadableException {
        KmpFiles files = KmpFiles.of(
                "x",
                List.of(
                        "/usr/lib/modules/K-default/updates/b.ko.zst",
                        "/lib/modules/K-default/extra/a.ko",
                        "/usr/lib/modules/K-default/updates/README",
                        "/usr/share/doc/a.ko",
                        "/etc/depmod.d/a.conf"));

        assertThat(files)
                .isEqualTo(new KmpFiles(
                        "K-default",
                        List.of("/lib/modules/K-default/extra/a.ko", "/usr/lib/modules/K-default/updates/b.ko.zst")));
    }

    @Test
    void returnsNothingWithoutModules() throws UnreadableException {
        assertThat(KmpFiles.of("x", List.of("/usr/share/a", ""))).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/usr/lib/modules/K/a.ko",
                "/usr/lib/modules/K/../K/updates/a.ko",
                "/usr/lib/modules/K//updates/a.ko",
                "/usr/lib/modules//updates/a.ko",
                "usr/lib/modules/K/updates/a.ko",
                "/srv/usr/lib/modules/K/updates/a.ko",
            })
    void findsNoPlaceForOtherPaths(String path) {
        assertThat(KmpFiles.place(path)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "/usr/lib/modules/K/kernel/a.ko, must not install modules into kernel/ or weak-updates/",
        "/lib/modules/K/weak-updates/updates/a.ko, must not install modules into kernel/",
        "/lib/modules/L/updates/a.ko, seems to contain modules for multiple kernel versions",
    })
    void refusesFilesInReservedDirectories(String path, String reason) {
        assertThatThrownBy(() -> KmpFiles.of("x", List.of("/lib/modules/K/updates/b.ko", path)))
                .isInstanceOf(UnreadableException.class)
                .hasMessageStartingWith("Error: package x " + reason);
    }

    @Test
    void skipsWarningsInRpmsAnswer() {
        List<String> problems = new ArrayList<>();
        List<Kmp> kmps = new RpmAnswer("default", problems)
                .read(List.of(
                        "warning: something",
                        "N\ta-kmp-default\t1\t2",
                        "P\ta-kmp-default",
                        "F\t/lib/modules/K/updates/a.ko",
                        "N\tb-kmp-azure\t1\t2",
                        "F\t/lib/modules/K/updates/b.ko",
                        "N\tc-kmp-default\t1\t2",
                        "P\tkmp_in_kernel",
                        "F\t/lib/modules/K/kernel/c.ko",
                        "N\td-kmp-default\t1\t2",
                        "F\t/usr/share/d"));

        assertThat(kmps)
                .containsExactly(new Kmp("a-kmp-default", "1", "2", "K", List.of("/lib/modules/K/updates/a.ko")));
        assertThat(problems).containsExactly("WARNING: d-kmp-default-1-2 does not contain any kernel modules");
    }
}
