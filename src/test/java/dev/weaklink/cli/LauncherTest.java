package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The shell script {@code ./weaklink}. */
@Tag("slow")
class LauncherTest {
    private static final String BUILDING = "weaklink: building; unless ~/.m2 has the libraries, Maven downloads about"
            + " 90 MB, which can take minutes\n";

    @TempDir
    private Path directory;

    private Checkout checkout;

    @BeforeEach
    void setUp() throws IOException {
        checkout = new Checkout(directory, "a checkout");
    }

    @Test
    void buildsWithoutTestsAtTheFirstStartOnly() throws Exception {
        Checkout.Result first = checkout.run("check", "a b", "*", "");
        Checkout.Result second = checkout.run("check");

        assertThat(first).isEqualTo(new Checkout.Result(0, "check\na b\n*\n\n", BUILDING));
        assertThat(Files.readString(checkout.home.resolve("builds")))
                .isEqualTo("-q -B -ntp -Dmaven.test.skip=true -DskipAnalysis -Dweaklink.commit= package\n");
        assertThat(second).isEqualTo(new Checkout.Result(0, "check\n", ""));
    }

    @Test
    void canBeReadInAMinute() throws Exception {
        assertThat(Files.readAllLines(checkout.launcher())).hasSizeLessThanOrEqualTo(150);
    }

    @Test
    void startsThroughSymbolicLinksFromAnyDirectory() throws Exception {
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("bin/other"));
        Files.createSymbolicLink(directory.resolve("bin/other"), checkout.launcher());

        assertThat(checkout.run(Map.of(), link, "x").out()).isEqualTo("x\n");
        assertThat(checkout.run(Map.of(), Path.of("a checkout/../link"), "y").out())
                .isEqualTo("y\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"weak-modules", "weak-modules2"})
    void runsADialectThroughALinkOfItsName(String name) throws Exception {
        Path link = directory.resolve(name);
        Files.createSymbolicLink(link, checkout.launcher());

        assertThat(checkout.run(Map.of(), link, "--add-kernel", "a b").out()).isEqualTo(name + "\n--add-kernel\na b\n");
    }

    @Test
    void showsMavensErrorsOfAFailedBuild() throws Exception {
        Files.createFile(checkout.home.resolve("broken"));

        Checkout.Result result = checkout.run("check");

        assertThat(result)
                .isEqualTo(new Checkout.Result(
                        2,
                        "",
                        BUILDING + "[ERROR] missing semicolon\nweaklink: the build failed; see the errors above\n"));
    }

    @Test
    void concurrentFirstStartsBuildOnce() throws Exception {
        Checkout.Started one = checkout.start(Map.of(), checkout.launcher(), "1");
        Checkout.Started two = checkout.start(Map.of(), checkout.launcher(), "2");

        assertThat(one.finish().out()).isEqualTo("1\n");
        assertThat(two.finish().out()).isEqualTo("2\n");
        assertThat(checkout.builds()).isEqualTo(1);
    }

    @Test
    void buildsNewerSourcesOnlyInACheckout() throws Exception {
        checkout.run("check");
        Path source = Files.createFile(checkout.home.resolve("src/main/New.java"));
        Path jar = checkout.home.resolve("target/weaklink.jar");
        Files.setLastModifiedTime(
                source, FileTime.fromMillis(Files.getLastModifiedTime(jar).toMillis() + 5000));

        checkout.run("check");
        int elsewhere = checkout.builds();
        Files.createFile(checkout.home.resolve(".git"));
        Checkout.Result inCheckout = checkout.run("check");

        assertThat(elsewhere).isEqualTo(1);
        assertThat(checkout.builds()).isEqualTo(2);
        assertThat(inCheckout.err()).isEqualTo(BUILDING);
    }

    @Test
    void ignoresAnUnusableArchiveSilently() throws Exception {
        checkout.run("check");
        Path archive = archives().get(0);
        Files.delete(archive);
        Files.writeString(archive, "no archive");

        assertThat(checkout.run("check")).isEqualTo(new Checkout.Result(0, "check\n", ""));
    }

    @Test
    void theFirstCheckMakesTheArchiveThatLaterStartsUse() throws Exception {
        // The JVM finds no classes of its archives in a jar whose path contains a blank.
        checkout = new Checkout(directory, "checkout");
        checkout.run("--version");
        assertThat(checkout.home.resolve("target/cds")).doesNotExist();

        checkout.run("check");

        assertThat(archives()).hasSize(1);
        assertArchiveIsUsed(checkout.launcher());
    }

    @Test
    void concurrentFirstChecksBothAnswer() throws Exception {
        checkout.run("x");
        Checkout.Started one = checkout.start(Map.of(), checkout.launcher(), "check", "1");
        Checkout.Started two = checkout.start(Map.of(), checkout.launcher(), "check", "2");

        assertThat(one.finish()).isEqualTo(new Checkout.Result(0, "check\n1\n", ""));
        assertThat(two.finish()).isEqualTo(new Checkout.Result(0, "check\n2\n", ""));
        assertThat(archives()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-a", "-r"})
    void createsAnArchiveForACopiedOrMovedCheckout(String how) throws Exception {
        checkout = new Checkout(directory, "checkout");
        checkout.run("check");
        Path copy = directory.resolve("copy");
        Process cp = new ProcessBuilder("cp", how, checkout.home.toString(), copy.toString())
                .inheritIO()
                .start();
        assertThat(cp.waitFor()).isZero();

        Checkout.Result first = checkout.run(Map.of(), copy.resolve("weaklink"), "check");

        assertThat(first).isEqualTo(new Checkout.Result(0, "check\n", ""));
        assertArchiveIsUsed(copy.resolve("weaklink"));
        assertArchiveIsUsed(checkout.launcher());
    }

    /** Packages are often built so that their files are older than files made on this machine. */
    @Test
    void makesANewArchiveForAnUpgradedPackage() throws Exception {
        Path share = Files.createDirectories(directory.resolve("usr/share/weaklink"));
        Path jar = Files.copy(checkout.home.resolve("finished.jar"), share.resolve("weaklink.jar"));
        Path cache = directory.resolve("cache");
        Path launcher = directory.resolve("usr/weaklink");
        Checkout.script(
                launcher,
                Files.readString(checkout.launcher())
                        .replaceFirst("\njars=\n", "\njars=" + share + "\n")
                        .replace("/var/cache/weaklink", cache.toString()));

        checkout.run(Map.of(), launcher, "check");
        assertArchiveIsUsed(launcher);
        Files.setLastModifiedTime(jar, FileTime.fromMillis(1_600_000_000_000L));
        checkout.run(Map.of(), launcher, "check");

        assertArchiveIsUsed(launcher);
        assertThat(checkout.run(Map.of(), launcher, "y")).isEqualTo(new Checkout.Result(0, "y\n", ""));
        try (Stream<Path> files = Files.list(cache)) {
            assertThat(files.filter(file -> file.toString().endsWith(".jsa"))).hasSize(1);
        }
    }

    private void assertArchiveIsUsed(Path launcher) throws Exception {
        Checkout.Result strict =
                checkout.run(Map.of("WEAKLINK_JAVA_OPTS", "-Xshare:on -Xlog:class+load:stdout"), launcher);
        assertThat(strict.out()).contains("EchoMain source: shared objects file");
    }

    /** The heaps are smaller than the default initial heap, and than the heap of the archive. */
    @ParameterizedTest
    @ValueSource(strings = {"-Xmx64m", "-Xms32m", "-Xms64m -Xmn96m", "-Xmn8m", "-Xmx300m", "-XX:MaxRAM=128m"})
    void heapsOfOtherSizesStart(String options) throws Exception {
        checkout.run("check");

        assertThat(checkout.run(Map.of("WEAKLINK_JAVA_OPTS", options), checkout.launcher(), "y"))
                .isEqualTo(new Checkout.Result(0, "y\n", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1g 536870912", "3g 1610612736", "64g 2147483648"})
    void limitsTheHeapToHalfOfTheMemoryAndTwoGibibytes(String memoryAndHeap) throws Exception {
        String[] words = memoryAndHeap.split(" ");

        Checkout.Result result = checkout.run(
                Map.of("WEAKLINK_JAVA_OPTS", "-XX:+PrintFlagsFinal -XX:MaxRAM=" + words[0]), checkout.launcher());

        assertThat(result.out()).containsPattern(" MaxHeapSize += " + words[1] + " ");
    }

    /** The umask must apply to Java and to all programs that Java starts. The report of a crash must also be safe. */
    @Test
    void makesFilesThatOthersCannotWrite() throws Exception {
        Path home = fakeJava("21.0.2", "umask; echo \"$@\"\n");
        Path loose = directory.resolve("loose");
        Checkout.script(loose, "umask \"$1\"; exec '" + checkout.launcher() + "' x\n");

        checkout.run("x");
        Map<String, String> environment = Map.of("JAVA_HOME", home.toString());

        String open = checkout.run(environment, loose, "000").out();
        assertThat(open).startsWith("0022\n").contains(" -XX:ReplayDataFile=/dev/null ");
        assertThat(open).containsPattern(" -XX:ErrorFile=/(dev/null|var/log/weaklink-crash-%p\\.log) ");
        assertThat(checkout.run(environment, loose, "077").out()).startsWith("0077\n");
    }

    /** The dynamic linker finds Java's libraries by the path of the program only if /proc exists. */
    @Test
    void javaFindsItsLibrariesWithoutProc() throws Exception {
        Path home = fakeJava("21.0.2", "echo \"${LD_LIBRARY_PATH-none}\"\n");
        Map<String, String> environment = Map.of("JAVA_HOME", home.toString());
        checkout.run("x");
        Path launcher = checkout.home.resolve("without-proc");
        Checkout.script(launcher, Files.readString(checkout.launcher()).replace("/proc/self/exe", directory + "/none"));

        assertThat(checkout.run(environment, checkout.launcher(), "x").out()).isEqualTo("none\n");
        assertThat(checkout.run(environment, launcher, "x").out()).isEqualTo(home + "/lib\n");
    }

    @Test
    void rejectsAJavaHomeWithoutJava() throws Exception {
        Checkout.Result result = checkout.run(Map.of("JAVA_HOME", "/nonexistent"), checkout.launcher());

        assertThat(result)
                .isEqualTo(new Checkout.Result(
                        2,
                        "",
                        "weaklink: JAVA_HOME is /nonexistent, but there is no bin/java in it;"
                                + " correct or unset it\n"));
    }

    @Test
    void rejectsAJavaThatIsTooOld() throws Exception {
        Path old = fakeJava("11.0.2", "exit 1\n");

        Checkout.Result result = checkout.run(Map.of("JAVA_HOME", old.toString()), checkout.launcher());

        assertThat(result)
                .isEqualTo(new Checkout.Result(
                        2,
                        "",
                        "weaklink: " + old + "/bin/java is Java 11.0.2, but 17 or newer is needed"
                                + " (README.md, \"From source\", lists the packages to install)\n"));
    }

    private Path fakeJava(String version, String script) throws IOException {
        Path home = directory.resolve("jdk");
        Files.createDirectories(home.resolve("bin"));
        Checkout.script(home.resolve("bin/java"), script);
        Files.writeString(
                home.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"" + version + "\"\nLIBC=\"gnu\"\n");
        return home;
    }

    @Test
    void namesThePackagesIfMavenIsMissing() throws Exception {
        Files.delete(directory.resolve("bin/mvn"));
        Path tools = Files.createDirectory(directory.resolve("tools"));
        for (String tool : List.of("readlink", "sed")) {
            Checkout.script(tools.resolve(tool), "exec /usr/bin/" + tool + " \"$@\"\n");
        }

        Checkout.Result result = checkout.run(Map.of("PATH", tools.toString()), checkout.launcher());

        assertThat(result)
                .isEqualTo(new Checkout.Result(
                        2,
                        "",
                        "weaklink: no mvn in PATH to build with"
                                + " (README.md, \"From source\", lists the packages to install)\n"));
    }

    private List<Path> archives() throws IOException {
        try (Stream<Path> files = Files.list(checkout.home.resolve("target/cds"))) {
            return files.filter(file -> file.toString().endsWith(".jsa")).toList();
        }
    }
}
