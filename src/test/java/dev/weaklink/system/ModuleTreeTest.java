package dev.weaklink.system;

import static dev.weaklink.system.FakeImage.BASE;
import static dev.weaklink.system.FakeImage.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleTree.ModuleFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModuleTreeTest {
    @TempDir
    Path temp;

    private FakeImage image;

    @BeforeEach
    void makeImage() throws IOException {
        image = new FakeImage(temp.resolve("image"));
    }

    private ModuleTree scan() throws IOException {
        return ModuleTree.scan(image.root(), RELEASE);
    }

    @Test
    void findsModulesInEveryPackingAndNothingElse() throws IOException {
        image.with("kernel/a.ko", "kernel/b.ko.gz", "kernel/c.ko.xz", "kernel/d/e.ko.zst");
        image.with("kernel/f.ko.debug", "kernel/g.kox", "kernel/h.o", "modules.dep", "kernel/.i.ko");
        assertThat(scan().names()).containsExactly("a", "b", "c", "e");
        assertThat(scan().all()).extracting(ModuleFile::inside).contains(BASE + "/kernel/d/e.ko.zst");
        assertThat(scan().problems()).isEmpty();
    }

    @Test
    void dashesAndUnderscoresNameTheSameModule() throws IOException {
        image.with("kernel/snd-hda.ko");
        assertThat(scan().names()).containsExactly("snd_hda");
        assertThat(scan().chosen("snd-hda")).isNotNull().isEqualTo(scan().chosen("snd_hda"));
        assertThat(scan().chosen("snd")).isNull();
    }

    @Test
    void endsTheModuleNameAtTheFirstDot() throws IOException {
        image.with("kernel/a.b.ko");
        assertThat(scan().names()).containsExactly("a");
    }

    @Test
    void skipsBuildSourceAndExcludedNamesAtAnyDepth() throws IOException {
        image.with("build/a.ko", "kernel/source/b.ko", "kernel/c/x.ko", "kernel/d.ko", ".hidden/e.ko");
        image.config("x.conf", "exclude c d.ko");
        assertThat(scan().names()).containsExactly("e");
    }

    @Test
    void updatesHidesTheKernelsOwnModuleByDefault() throws IOException {
        image.with("kernel/net/m.ko", "updates/dkms/m.ko.xz", "extra/n.ko", "updates-old/n.ko");
        ModuleFile chosen = scan().chosen("m");
        assertThat(chosen).isNotNull();
        assertThat(chosen.inside()).isEqualTo(BASE + "/updates/dkms/m.ko.xz");
        assertThat(chosen.host()).isEqualTo(image.kernel("updates/dkms/m.ko.xz"));
        assertThat(scan().all()).hasSize(4);
    }

    @Test
    void weakUpdatesAfterBuiltInLosesUnlessOverridden() throws IOException {
        image.with("kernel/m.ko", "extra/z.ko").link("weak-updates/p/m.ko", "../../extra/z.ko");
        image.config("dist.conf", "search updates extra built-in weak-updates");
        assertThat(scan().chosen("m").inside()).isEqualTo(BASE + "/kernel/m.ko");
        image.config("p.conf", "override m * weak-updates/p");
        assertThat(scan().chosen("m"))
                .isEqualTo(new ModuleFile("m", BASE + "/weak-updates/p/m.ko", image.kernel("extra/z.ko")));
    }

    @Test
    void absoluteLinksAreFollowedInsideTheRoot() throws IOException {
        image.touch("/lib/modules/other/extra/m.ko");
        image.link("weak-updates/m.ko", "/lib/modules/other/extra/m.ko");
        assertThat(scan().chosen("m").host()).isEqualTo(image.at("/lib/modules/other/extra/m.ko"));
    }

    @Test
    void findsNothingThroughALinkOutOfTheRoot() throws IOException {
        Path outside = Files.createFile(temp.resolve("outside.ko"));
        image.link("extra/m.ko", outside.toString()).link("extra/n.ko", "../".repeat(20) + outside);
        assertThat(scan().names()).isEmpty();
        assertThat(scan().problems()).hasSize(2);
    }

    @Test
    void danglingLinksAreReportedAndLeaveTheOthersAlone() throws IOException {
        image.with("kernel/a.ko").link("weak-updates/z.ko", "../gone.ko").link("doc", "gone");
        assertThat(scan().names()).containsExactly("a");
        assertThat(scan().problems())
                .containsExactly(new InputProblem(BASE + "/weak-updates/z.ko", "dangling link to ../gone.ko", true));
    }

    @Test
    void linkedDirectoriesAreWalkedUnderTheirOwnName() throws IOException {
        image.touch("/opt/vendor/sub/m.ko");
        image.link("extra/vendor", "/opt/vendor");
        assertThat(scan().chosen("m"))
                .isEqualTo(new ModuleFile("m", BASE + "/extra/vendor/sub/m.ko", image.at("/opt/vendor/sub/m.ko")));
    }

    @Test
    void reportsALinkToAParentDirectory() throws IOException {
        image.with("kernel/net/m.ko").link("kernel/net/loop", "..").link("kernel/self", ".");
        assertThat(scan().all()).hasSize(1);
        assertThat(scan().problems())
                .extracting(InputProblem::message)
                .containsOnly("skipped: link to a directory above the link")
                .hasSize(2);
    }

    @Test
    void reportsAPipeNamedLikeAModule() throws Exception {
        String pipe = image.kernel("kernel/p.ko").toString();
        assumeThat(new ProcessBuilder("mkfifo", pipe).start().waitFor()).isZero();
        assertThat(scan().all()).isEmpty();
        assertThat(scan().problems()).containsExactly(new InputProblem(BASE + "/kernel/p.ko", "not a regular file"));
    }

    @Test
    void findsATreeBelowUsrLib() throws IOException {
        Files.createDirectories(image.at("/usr/lib/modules/6.2"));
        Files.createFile(image.at("/usr/lib/modules/6.2/m.ko"));
        assertThat(ModuleTree.scan(image.root(), "6.2").all())
                .extracting(ModuleFile::inside)
                .containsExactly("/usr/lib/modules/6.2/m.ko");
    }

    @Test
    void prefersTheKernelBelowUsrLibToAnEmptyDirectoryBelowLib() throws IOException {
        Files.createDirectories(image.at("/lib/modules/6.2/weak-updates"));
        Files.createDirectories(image.at("/usr/lib/modules/6.2/kernel"));
        Files.createFile(image.at("/usr/lib/modules/6.2/kernel/m.ko"));
        assertThat(ModuleTree.scan(image.root(), "6.2").names()).containsExactly("m");
    }

    @Test
    void failsForAMissingKernel() throws IOException {
        assertThatThrownBy(() -> ModuleTree.scan(image.root(), "9.9"))
                .isInstanceOf(IOException.class)
                .hasMessage("/lib/modules/9.9: no kernel 9.9 in " + image.root().top());
    }

    @Test
    void refusesAPathAsARelease() {
        for (String release : new String[] {"", ".", "..", "../modules/" + RELEASE}) {
            assertThatThrownBy(() -> ModuleTree.scan(image.root(), release))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("not a kernel release");
        }
    }

    @Test
    void namesThatAreNotUtf8KeepTheirBytes() throws Exception {
        String script = "touch \"$1/$(printf 'caf\\351').ko\"";
        Process touch = new ProcessBuilder(
                        "sh", "-c", script, "sh", image.kernel("kernel").toString())
                .start();
        assumeThat(touch.waitFor()).isZero();
        assertThat(scan().all()).hasSize(1);
        assertThat(Files.exists(scan().all().get(0).host())).isTrue();
    }

    @Test
    void scansTheHostsTree() throws IOException {
        assumeThat(Files.isDirectory(Path.of("/lib/modules"))).isTrue();
        assertThatThrownBy(() -> ModuleTree.scan(Root.HOST, "no-such-kernel")).isInstanceOf(IOException.class);
    }
}
