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
    @TempDir
    private Path directory;

    private Checkout checkout;

    private static final String BUILDING =
            "weaklink: building, because this is the first start or the sources have changed";

    private static final String PREPARING = "weaklink: preparing fast starts\n";

    /** What it says of an archive that it makes. */
    private static String withoutVersion(Checkout.Result result) {
        return result.err().replaceAll(" with Java [^\\n]*", "");
    }

    @BeforeEach
    void setUp() throws IOException {
        checkout = new Checkout(directory, "a checkout");
    }

    @Test
    void theFirstStartBuildsAndSaysSoAndLaterOnesDoNot() throws Exception {
        Checkout.Result first = checkout.run("check", "a b", "*", "");
        Checkout.Result second = checkout.run("check");

        assertThat(first.out()).isEqualTo("check\na b\n*\n\n");
        assertThat(first.err().lines().findFirst()).hasValue(BUILDING);
        assertThat(first.status()).isZero();
        assertThat(Files.readString(checkout.home.resolve("builds")))
                .isEqualTo("-B -DskipTests -DskipAnalysis -Dweaklink.commit= package\n");
        assertThat(second).isEqualTo(new Checkout.Result(0, "check\n", ""));
    }

    @Test
    void canBeCalledThroughSymbolicLinksFromAnywhere() throws Exception {
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("bin/other"));
        Files.createSymbolicLink(directory.resolve("bin/other"), checkout.launcher());

        assertThat(checkout.run(Map.of(), link, "x").out()).isEqualTo("x\n");
        assertThat(checkout.run(Map.of(), Path.of("a checkout/../link"), "y").out())
                .isEqualTo("y\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"weak-modules", "weak-modules2"})
    void aLinkNamedLikeADialectRunsThatDialect(String name) throws Exception {
        Path link = directory.resolve(name);
        Files.createSymbolicLink(link, checkout.launcher());

        assertThat(checkout.run(Map.of(), link, "--add-kernel", "a b").out()).isEqualTo(name + "\n--add-kernel\na b\n");
    }

    @Test
    void aFailedBuildShowsTheEndOfItsLog() throws Exception {
        Files.createFile(checkout.home.resolve("broken"));

        Checkout.Result result = checkout.run("check");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err().replace("" + checkout.home, "HOME"))
                .isEqualTo(BUILDING
                        + "\nweaklink: Maven downloads its plugins and the libraries (about 90 MB) unless"
                        + " ~/.m2 has them; this can take minutes\n"
                        + "weaklink: the build has failed; the last lines of HOME/target/build.log:\n"
                        + "[ERROR] missing semicolon\n");
    }

    @Test
    void twoFirstStartsAtOnceBuildOnce() throws Exception {
        Checkout.Started one = checkout.start(Map.of(), checkout.launcher(), "1");
        Checkout.Started two = checkout.start(Map.of(), checkout.launcher(), "2");

        assertThat(one.finish().out()).isEqualTo("1\n");
        assertThat(two.finish().out()).isEqualTo("2\n");
        assertThat(checkout.builds()).isEqualTo(1);
    }

    @Test
    void newerSourcesAreBuiltInACheckoutAndLeftAloneElsewhere() throws Exception {
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
        assertThat(inCheckout.err().lines().findFirst()).hasValue(BUILDING);
    }

    @Test
    void anArchiveOfNoUseIsSilent() throws Exception {
        checkout.run("check");
        Path archive = archives().get(0);
        assertThat(Files.size(archive)).isPositive();
        FileTime made = Files.getLastModifiedTime(archive);
        Files.delete(archive);
        Files.writeString(archive, "no archive");
        Files.setLastModifiedTime(archive, made);

        assertThat(checkout.run("check")).isEqualTo(new Checkout.Result(0, "check\n", ""));
    }

    @Test
    void theArchiveIsUsed() throws Exception {
        // the JVM finds no classes of its archives in a jar whose path has a blank
        checkout = new Checkout(directory, "checkout");
        checkout.run("check");

        assertArchiveIsUsed(checkout.launcher());
    }

    @ParameterizedTest
    @ValueSource(strings = {"-a", "-r"})
    void aCopiedOrMovedCheckoutGetsAnArchiveOfItsOwn(String how) throws Exception {
        checkout = new Checkout(directory, "checkout");
        checkout.run("check");
        Path copy = directory.resolve("copy");
        Process cp = new ProcessBuilder("cp", how, checkout.home.toString(), copy.toString())
                .inheritIO()
                .start();
        assertThat(cp.waitFor()).isZero();

        Checkout.Result first = checkout.run(Map.of(), copy.resolve("weaklink"), "x");

        assertThat(first.out()).isEqualTo("x\n");
        assertThat(withoutVersion(first)).isEqualTo(PREPARING);
        assertArchiveIsUsed(copy.resolve("weaklink"));
        assertThat(checkout.run(Map.of(), copy.resolve("weaklink"), "y")).isEqualTo(new Checkout.Result(0, "y\n", ""));
        assertArchiveIsUsed(checkout.launcher());
    }

    /** Packages are often built so that their files are older than what was made on this machine. */
    @Test
    void aPackageThatIsUpgradedGetsAnotherArchive() throws Exception {
        Path share = Files.createDirectories(directory.resolve("usr/share/weaklink"));
        Path jar = Files.copy(checkout.home.resolve("finished.jar"), share.resolve("weaklink.jar"));
        String script = Files.readString(checkout.launcher());
        Path launcher = directory.resolve("usr/weaklink");
        Checkout.script(
                launcher,
                script.replaceFirst("\njars=\n", "\njars=" + share + "\n")
                        .replace(
                                "/var/cache/weaklink",
                                directory.resolve("cache").toString()));

        assertThat(withoutVersion(checkout.run(Map.of(), launcher, "x"))).isEqualTo(PREPARING);
        assertArchiveIsUsed(launcher);
        Files.setLastModifiedTime(jar, FileTime.fromMillis(1_600_000_000_000L));
        assertThat(withoutVersion(checkout.run(Map.of(), launcher, "x"))).isEqualTo(PREPARING);

        assertArchiveIsUsed(launcher);
        assertThat(checkout.run(Map.of(), launcher, "y")).isEqualTo(new Checkout.Result(0, "y\n", ""));
    }

    @Test
    void anArchiveThatCannotBeMadeIsNotTriedAgain() throws Exception {
        Checkout.Result first = checkout.run(Map.of("WEAKLINK_JAVA_OPTS", ""), checkout.launcher(), "x");
        Path archive = archives().get(0);
        Files.write(archive, new byte[0]);

        assertThat(first.err().lines().map(line -> line.replaceAll(" with Java.*", "")))
                .contains(PREPARING.strip());
        assertThat(checkout.run("y")).isEqualTo(new Checkout.Result(0, "y\n", ""));
    }

    private void assertArchiveIsUsed(Path launcher) throws Exception {
        Checkout.Result strict =
                checkout.run(Map.of("WEAKLINK_JAVA_OPTS", "-Xshare:on -Xlog:class+load:stdout"), launcher);
        assertThat(strict.out()).contains("EchoMain source: shared objects file");
    }

    /** Less than a start begins with otherwise, and less than its archive would like. */
    @ParameterizedTest
    @ValueSource(strings = {"-Xmx64m", "-Xms32m", "-Xms64m -Xmn96m", "-Xmn8m", "-Xmx300m"})
    void heapsOfOtherSizesStart(String options) throws Exception {
        checkout.run("x");

        assertThat(checkout.run(Map.of("WEAKLINK_JAVA_OPTS", options), checkout.launcher(), "y"))
                .isEqualTo(new Checkout.Result(0, "y\n", ""));
    }

    /** What Java and all that it starts make, and what a crash of it leaves. */
    @Test
    void nobodyElseMayWriteWhatIsMade() throws Exception {
        Path home = directory.resolve("jdk");
        Files.createDirectories(home.resolve("bin"));
        Checkout.script(home.resolve("bin/java"), "umask; echo \"$@\"\n");
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"21.0.2\"\n");
        Path loose = directory.resolve("loose");
        Checkout.script(loose, "umask \"$1\"; exec '" + checkout.launcher() + "' x\n");

        checkout.run("x");
        Map<String, String> environment = Map.of("JAVA_HOME", home.toString());

        String open = checkout.run(environment, loose, "000").out();
        assertThat(open).startsWith("0022\n").contains(" -XX:ReplayDataFile=/dev/null ");
        assertThat(open).containsPattern(" -XX:ErrorFile=/(dev/null|var/log/weaklink-crash-%p\\.log) ");
        assertThat(checkout.run(environment, loose, "077").out()).startsWith("0077\n");
    }

    @Test
    void aJavaHomeWithoutJavaIsSaidPlainly() throws Exception {
        Checkout.Result result = checkout.run(Map.of("JAVA_HOME", "/nonexistent"), checkout.launcher());

        assertThat(result)
                .isEqualTo(new Checkout.Result(
                        2,
                        "",
                        "weaklink: JAVA_HOME is /nonexistent, but there is no bin/java in it;"
                                + " correct or unset it\n"));
    }

    @Test
    void aJavaTooOldIsSaidWithThePackageThatHelps() throws Exception {
        Path old = directory.resolve("jdk-11");
        Files.createDirectories(old.resolve("bin"));
        Checkout.script(old.resolve("bin/java"), "exit 1\n");
        Files.writeString(old.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"11.0.2\"\nLIBC=\"gnu\"\n");

        Checkout.Result result = checkout.run(Map.of("JAVA_HOME", old.toString()), checkout.launcher());

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err())
                .contains("is Java 11.0.2, but 17 or newer is needed; to get it: ")
                .containsPattern("install .*maven|install a JDK");
        Path installed = directory.resolve("installed");
        Checkout.script(
                installed, Files.readString(checkout.launcher()).replaceFirst("\njars=\n", "\njars=/nowhere\n"));
        assertThat(checkout.run(Map.of("JAVA_HOME", old.toString()), installed).err())
                .containsPattern("to get it: .*install .*(headless|Java 17 or newer)\n$")
                .doesNotContain("maven");
    }

    @Test
    void withoutMavenTheMessageNamesWhatToInstall() throws Exception {
        Files.delete(directory.resolve("bin/mvn"));
        Path tools = Files.createDirectory(directory.resolve("tools"));
        for (String tool : List.of("readlink", "find", "mkdir", "dirname")) {
            Checkout.script(tools.resolve(tool), "exec /usr/bin/" + tool + " \"$@\"\n");
        }

        Checkout.Result result = checkout.run(Map.of("PATH", tools.toString()), checkout.launcher());

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith("weaklink: there is no mvn in PATH to build with; to get it: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.2.1", "3.5.4", "3.6.2"})
    void aMavenTooOldIsSaidBeforeItFails(String version) throws Exception {
        Checkout.Result result = checkout.run(Map.of("FAKE_MAVEN", version), checkout.launcher(), "--version");

        assertThat(result.err())
                .startsWith("weaklink: mvn is Maven " + version + ", but 3.6.3 or newer is needed; to get it: ");
        assertThat(result.status()).isEqualTo(2);
        assertThat(checkout.builds()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.6.3", "3.10.0", "4.0.0-rc-4", "of some kind"})
    void anyOtherMavenIsUsed(String version) throws Exception {
        checkout.run(Map.of("FAKE_MAVEN", version), checkout.launcher(), "--version");

        assertThat(checkout.builds()).isEqualTo(1);
    }

    private List<Path> archives() throws IOException {
        try (Stream<Path> files = Files.list(checkout.home.resolve("target/cds"))) {
            return files.filter(file -> file.toString().endsWith(".jsa")).toList();
        }
    }
}
