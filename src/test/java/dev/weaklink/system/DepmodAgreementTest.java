package dev.weaklink.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.NeedsTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Compares weaklink's choices with those of the installed depmod, for random trees and configurations. */
class DepmodAgreementTest {
    @NeedsTools("depmod")
    @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
    void choosesWhatDepmodChooses(
            @ForAll("files") Set<String> files,
            @ForAll("links") Set<String> links,
            @ForAll("externals") Set<String> externals,
            @ForAll("configs") List<String> config)
            throws IOException {
        Path temp = Files.createTempDirectory("tree").toRealPath();
        try {
            FakeImage image = new FakeImage(temp).with(files.toArray(String[]::new));
            image.with("target.x");
            image.reachItselfFromInside();
            for (String link : links) {
                image.link(link, "../target.x");
            }
            for (String external : externals) {
                image.touch("/opt/" + external);
            }
            image.config("a.conf", written(config, temp));
            assertThat(image.choices()).isEqualTo(Depmod.choices(temp, FakeImage.RELEASE));
        } finally {
            delete(temp);
        }
    }

    private static String[] written(List<String> config, Path temp) {
        return config.stream().map(line -> line.replace("@", temp + "/opt")).toArray(String[]::new);
    }

    @Provide
    Arbitrary<Set<String>> files() {
        Arbitrary<String> directory = Arbitraries.of(
                "kernel",
                "kernel/net",
                "extra",
                "extra/1",
                "extra/2",
                "updates",
                "updates/dkms",
                "updates-old",
                "extra-mods",
                "weak-updates/p",
                ".hidden",
                "kernel/build",
                ".");
        return paths(directory).set().ofMaxSize(14);
    }

    @Provide
    Arbitrary<Set<String>> links() {
        return Arbitraries.of("weak-updates/a.ko", "weak-updates/b-b.ko.xz", "weak-updates/n.x.ko")
                .set()
                .ofMaxSize(2);
    }

    @Provide
    Arbitrary<Set<String>> externals() {
        return paths(Arbitraries.of("one", "one/sub", "two", "one-more")).set().ofMaxSize(5);
    }

    private static Arbitrary<String> paths(Arbitrary<String> directories) {
        Arbitrary<String> names = Arbitraries.of("a.ko", "a.ko.xz", "b-b.ko", "b_b.ko", "c.ko", "n.x.ko");
        return Combinators.combine(directories, names).as((directory, name) -> directory + "/" + name);
    }

    @Provide
    Arbitrary<List<String>> configs() {
        Arbitrary<String> line = Arbitraries.of(
                "search built-in weak-updates",
                "search updates extra built-in weak-updates",
                "search extra extra/1 built-in",
                "search extra/2 extra built-in",
                "search external built-in",
                "search updates built-in external",
                "search extra/",
                "  search\textra \\\n updates",
                "search",
                "external * @/one",
                "external 6.1 @/two @/one-more",
                "external ^6[.]1.0-[[:digit:]]+-test$ @/one-more",
                "external 6.2 @/one",
                "external * @/one/",
                "external * @/missing",
                "override a * extra/1",
                "override a 6.1.0-9-test kernel",
                "override a 6.1.0-9-debug extra",
                "override b-b * extra",
                "override b_b * weak-updates/p",
                "override n * extra",
                "override n.x * kernel",
                "override c * updates/",
                "exclude net",
                "exclude c.ko 1",
                "#search extra built-in",
                "nonsense",
                "override a");
        return line.list().ofMaxSize(5);
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> paths = Files.walk(tree)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
