package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.archive.HostileApk3;
import dev.weaklink.format.archive.HostileFormat;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs of the whole program, with little memory, on hostile packages of every format. */
@Tag("slow")
class HostilePackagesTest {
    private static final String CUT = ": truncated gzip data";

    @TempDir
    Path directory;

    /** Returns the messages of the program by the package's name. The program runs in its own process. */
    private Map<String, List<String>> check(Map<String, Path> packages) throws Exception {
        Path symvers = Files.write(
                directory.resolve("Module.symvers"),
                new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                        .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 1)
                        .bytes());
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Xmx128m",
                // The manifest of the program's jar has the same setting.
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "dev.weaklink.cli.Main",
                "check",
                "--kernel",
                symvers.toString(),
                "--quiet"));
        packages.values().forEach(file -> words.add(file.toString()));
        Map<Path, Long> before = files();
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isBetween(1, 3);
        assertThat(files()).isEqualTo(before);
        Map<String, List<String>> lines = new TreeMap<>();
        for (String line : said.split("\n")) {
            packages.forEach((name, file) -> {
                String start = "weaklink: " + file;
                if (line.startsWith(start)) {
                    lines.computeIfAbsent(name, n -> new ArrayList<>()).add(line.substring(start.length()));
                }
            });
        }
        assertThat(lines.values().stream().mapToInt(List::size).sum())
                .as(said)
                .isEqualTo(said.lines().count());
        return lines;
    }

    /** Returns the sizes of all files below the directory. */
    private Map<Path, Long> files() throws IOException {
        Map<Path, Long> found = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                found.put(file, Files.size(file));
            }
        }
        return found;
    }

    /** All formats are checked in one run, because most of the time of a run is for starting. */
    @Test
    void reportsEachHostilePackageInOneLineAndReadsTheOthers() throws Exception {
        Map<String, Path> packages = new TreeMap<>();
        for (HostileFormat format : HostileFormat.values()) {
            Path place = Files.createDirectories(directory.resolve(format + "/a/b/c"));
            packages.put(format + " bomb", format.write(place.resolve("bomb"), format.bomb()));
            packages.put(format + " behind", format.write(place.resolve("behind"), format.bombBehind()));
            packages.put(format + " million", format.write(place.resolve("million"), format.million()));
            packages.put(format + " cut", format.write(place.resolve("cut"), format.truncated()));
            packages.put(format + " out", format.write(place.resolve("out"), format.traversal()));
        }
        Map<String, List<String>> said = check(packages);
        for (HostileFormat format : HostileFormat.values()) {
            assertThat(said.get(format + " bomb"))
                    .as("%s", format)
                    .containsExactly(
                            "!/lib/modules/6.1/extra/m.ko: larger than 536870912 bytes; left out",
                            ": expands to more than 250 times its size; rest not read");
            assertThat(said).doesNotContainKey(format + " behind");
            assertThat(said.get(format + " million"))
                    .as("%s", format)
                    .containsExactly(": more than 500000 entries; rest not read");
            assertThat(said.get(format + " cut")).as("%s", format).containsExactly(CUT);
            assertThat(said.get(format + " out"))
                    .as("%s", format)
                    .containsExactly(
                            "!../../../escaped.ko: leads out of the package or is not a path; left out",
                            "!lib/../../escaped.ko: leads out of the package or is not a path; left out");
        }
    }

    @Test
    void reportsEachHostileApkInOneLine() throws Exception {
        Map<String, Path> packages = new TreeMap<>();
        for (HostileApk3 harm : HostileApk3.values()) {
            packages.put(harm.name(), Files.write(directory.resolve(harm.name() + ".apk"), harm.bytes()));
        }
        String large = "!/lib/modules/6.1/extra/m.ko: larger than 536870912 bytes; left out";
        String bomb = ": expands to more than 250 times its size; rest not read";
        String leads = ": leads out of the package or is not a path; left out";
        assertThat(check(packages))
                .containsOnly(
                        Map.entry("TRUNCATED", List.of(": truncated deflate data")),
                        Map.entry("OUTSIDE", List.of(": corrupt apk package: a value outside of its block")),
                        Map.entry("CYCLE", List.of(": corrupt apk package: a file without a name")),
                        Map.entry("DEFLATED_BOMB", List.of(large, bomb)),
                        Map.entry("ZSTD_BOMB", List.of(large, bomb)),
                        Map.entry("MILLION", List.of(": more than 500000 entries; rest not read")),
                        Map.entry(
                                "TRAVERSAL",
                                List.of(
                                        "!../../.." + leads,
                                        "!../../../escaped.ko" + leads,
                                        "!lib/../../escaped.ko" + leads)),
                        Map.entry(
                                "DISORDER",
                                List.of(": corrupt apk package: a data block does not match the list of files")));
    }

    /** Only bundles are searched for packages. The other formats are not bundles. */
    @Test
    void readsFourLevelsOfNestedPackages() throws Exception {
        Map<String, Path> packages = new TreeMap<>();
        Map<String, List<String>> expected = new TreeMap<>();
        for (HostileFormat format : HostileFormat.values()) {
            if (format != HostileFormat.RPM) {
                Path place = directory.resolve("nested-" + format);
                packages.put("" + format, format.write(place, HostileFormat.TAR.nested()));
                expected.put("" + format, List.of(": no files named .ko, .ko.gz, .ko.xz or .ko.zst in the package"));
            }
        }
        expected.put(
                "TAR", List.of("!/level.tar!/level.tar!/level.tar!/level.tar: a package nested too deep; not read"));
        assertThat(check(packages)).isEqualTo(expected);
    }
}
