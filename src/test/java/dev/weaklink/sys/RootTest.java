package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RootTest {
    @TempDir
    Path temp;

    private Path image;
    private Root root;

    @BeforeEach
    void makeImage() throws IOException {
        image = Files.createDirectories(temp.toRealPath().resolve("image"));
        Files.createDirectories(image.resolve("merged/lib/modules/K"));
        root = Root.of(image);
    }

    private void link(String at, String target) throws IOException {
        Files.createSymbolicLink(image.resolve(at), Path.of(target));
    }

    @Test
    void absoluteLinksStartAgainAtTheRoot() throws IOException {
        link("lib", "/merged/lib");
        assertThat(root.resolve("/lib/modules/K")).isEqualTo(image.resolve("merged/lib/modules/K"));
    }

    @Test
    void relativeLinksStartAtTheirDirectory() throws IOException {
        link("merged/lib/modules/K/build", "../../../src/headers");
        assertThat(root.resolve("/merged/lib/modules/K/build/Module.symvers"))
                .isEqualTo(image.resolve("merged/src/headers/Module.symvers"));
    }

    @Test
    void parentOfALinkedDirectoryIsTheParentOfItsTarget() throws IOException {
        link("modules", "merged/lib/modules");
        assertThat(root.resolve("/modules/../x")).isEqualTo(image.resolve("merged/lib/x"));
    }

    @Test
    void dotsNeverClimbAboveTheRoot() throws IOException {
        link("up", "../../../../../../config");
        assertThat(root.resolve("/../../config/passwd")).isEqualTo(image.resolve("config/passwd"));
        assertThat(root.resolve("up/passwd")).isEqualTo(image.resolve("config/passwd"));
    }

    @Test
    void findsDanglingLinksOfTheHostAndOfAnImage() throws IOException {
        link("merged/lib/modules/K/extra", "/nowhere/at/all");
        link("merged/lib/modules/K/updates", "/merged");
        assertThat(new RootText(root).dangles("/merged/lib/modules/K", "extra")).isTrue();
        assertThat(new RootText(root).dangles("/merged/lib/modules/K", "updates"))
                .isFalse();
        String onHost = image + "/merged/lib/modules/K";
        assertThat(new RootText(Root.HOST).dangles(onHost, "extra")).isTrue();
        assertThat(new RootText(Root.HOST).dangles(onHost, "updates")).isTrue();
        link("merged/lib/modules/K/source", image.toString());
        assertThat(new RootText(Root.HOST).dangles(onHost, "source")).isFalse();
    }

    @Test
    void keepsTheMissingPartOfAPath() throws IOException {
        assertThat(root.resolve("boot/./none/../symvers")).isEqualTo(image.resolve("boot/symvers"));
    }

    @Test
    void refusesALoopOfLinks() throws IOException {
        link("a", "b");
        link("b", "/a");
        assertThatThrownBy(() -> root.resolve("/a/x"))
                .isInstanceOf(IOException.class)
                .hasMessage("/a/x: too many symbolic links");
    }

    @Test
    void followsFortyLinksButNotFortyOne() throws IOException {
        for (int i = 1; i <= 41; i++) {
            link("l" + i, i == 1 ? "merged" : "l" + (i - 1));
        }
        assertThat(root.resolve("l40")).isEqualTo(image.resolve("merged"));
        assertThatThrownBy(() -> root.resolve("l41")).hasMessageContaining("too many symbolic links");
    }

    @Test
    void acceptsALinkAsTheRoot() throws IOException {
        Path alias = Files.createSymbolicLink(temp.resolve("alias"), image);
        assertThat(Root.of(alias).resolve("merged")).isEqualTo(image.resolve("merged"));
    }

    @Test
    void requiresAnExistingDirectory() throws IOException {
        Path file = Files.createFile(temp.resolve("file"));
        assertThatThrownBy(() -> Root.of(file)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Root.of(temp.resolve("none"))).isInstanceOf(IOException.class);
    }

    @Test
    void reportsTheReasonForAMalformedPath() {
        assertThatThrownBy(() -> root.resolve("a\0b"))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("not a valid path");
    }

    @Test
    void returnsThePathInsideTheRoot() {
        assertThat(root.inside(image.resolve("usr/lib"))).isEqualTo("/usr/lib");
        assertThat(root.inside(image)).isEqualTo("/");
        assertThat(Root.HOST.inside(Path.of("/lib/modules"))).isEqualTo("/lib/modules");
        assertThatThrownBy(() -> root.inside(temp)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void acceptsPathsWithTheRootAsGivenOrResolved() throws IOException {
        Path link = Files.createSymbolicLink(temp.resolve("link"), image);
        Root given = Root.of(link);
        assertThat(given.withoutTop(link + "/lib/a.ko")).isEqualTo("/lib/a.ko");
        assertThat(given.withoutTop(given.top() + "/lib/a.ko")).isEqualTo("/lib/a.ko");
        assertThat(given.withoutTop("/lib/a.ko")).isNull();
        assertThat(given.withoutTop(link + "x/a.ko")).isNull();
        assertThat(Root.HOST.withoutTop("/lib/a.ko")).isNull();
    }

    @Test
    void leavesLinksOfTheHostToTheKernel() throws IOException {
        assertThat(Root.of(Path.of("/"))).isSameAs(Root.HOST);
        assertThat(Root.HOST.resolve("lib/modules")).isEqualTo(Path.of("/lib/modules"));
    }
}
