package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** Tests that links, in every combination, never lead out of a root directory. */
class RootConfinementTest {
    private static final String[] NAMES = {"a", "b", "c", "d/a", "d/b", "d/e/a"};

    @Property(tries = 300)
    void neverLeavesTheRoot(@ForAll @Size(6) List<@From("targets") String> targets, @ForAll("targets") String path)
            throws IOException {
        Path temp = Files.createTempDirectory("root").toRealPath();
        try {
            Path image = Files.createDirectories(temp.resolve("image"));
            Files.createDirectories(image.resolve("d/e"));
            for (int i = 0; i < NAMES.length; i++) {
                Files.createSymbolicLink(image.resolve(NAMES[i]), Path.of(targets.get(i)));
            }
            assertStaysInside(Root.of(image), path, image);
        } finally {
            delete(temp);
        }
    }

    private static void assertStaysInside(Root root, String path, Path image) {
        Path resolved;
        try {
            resolved = root.resolve(path);
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("too many symbolic links");
            return;
        }
        assertThat(resolved).startsWithRaw(image).isEqualTo(resolved.normalize());
        for (Path at = resolved; !at.equals(image); at = at.getParent()) {
            assertThat(Files.isSymbolicLink(at)).as("link left in %s", resolved).isFalse();
        }
    }

    @Provide
    Arbitrary<String> targets() {
        Arbitrary<String> names = Arbitraries.of("a", "b", "c", "d", "e", "..", "..", ".", "x", "image");
        return names.list()
                .ofMinSize(1)
                .ofMaxSize(6)
                .flatMap(parts -> Arbitraries.of("", "/", "../../../", "/../", "/tmp/", "//")
                        .map(prefix -> prefix + String.join("/", parts)));
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> paths = Files.walk(tree)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
