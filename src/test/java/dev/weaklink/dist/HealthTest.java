package dev.weaklink.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.NodeLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the health check of a node: the verdicts that it accepts, and its effects on a broken node. */
class HealthTest {
    private static final Path RECIPES = Path.of("src/main/dist/recipes").toAbsolutePath();

    private static final String TOLD = "{\"schema\":\"weaklink.node/1\"}\n";

    @TempDir
    Path directory;

    private String kernel;
    private Path tools;

    @BeforeEach
    void makeTools() throws IOException {
        kernel = Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip();
        tools = Files.createDirectories(directory.resolve("tools"));
        Files.createDirectories(directory.resolve("modules/" + kernel + "/extra/a"));
        RecipesTest.program(tools.resolve("weaklink-collect"), "cat '" + directory + "/told'");
        Files.writeString(directory.resolve("told"), TOLD);
        RecipesTest.program(tools.resolve("java"), "echo java >> '" + directory + "/java'; exit 9");
        RecipesTest.program(tools.resolve("scontrol"), "echo \"$*\" >> '" + directory + "/scontrol'; echo State=IDLE");
        RecipesTest.program(
                tools.resolve("weaklink"),
                "cat > /dev/null; status=$(cat '"
                        + directory
                        + "/audit')\n"
                        + "case $status in 0) echo n1; echo ;; 1) echo; echo n1 ;; *) echo; echo ;; esac\n"
                        + "exit $status");
    }

    @Test
    void isUnknownWithoutAVerdict() throws Exception {
        assertThat(health())
                .isEqualTo(new Answer(3, "weaklink: unknown: no verdict yet; run weaklink-health --refresh\n"));
    }

    @Test
    void printsTheKeptVerdictWithoutJava() throws Exception {
        for (var expected : List.of(new int[] {0, 0}, new int[] {1, 2}, new int[] {3, 3})) {
            judge(expected[0]);
            assertThat(health("--refresh").status()).isEqualTo(expected[1]);
            assertThat(health().status()).isEqualTo(expected[1]);
        }
        assertThat(directory.resolve("java")).doesNotExist();
    }

    @Test
    void isUnknownForModulesWithoutAVerdict() throws Exception {
        judge(0);
        Files.writeString(directory.resolve("told"), TOLD.replace("1", "2"));
        assertThat(health("--refresh").out()).contains("contains no verdict on this node's modules");
    }

    /** A failure is not a good verdict, even if the verdicts contain a line for the failing command's output. */
    @ParameterizedTest
    @ValueSource(strings = {"exit 2", "true", "echo Welcome"})
    void isNotGoodIfTheCollectorFails(String command) throws Exception {
        RecipesTest.program(tools.resolve("weaklink-collect"), command);
        Files.writeString(
                directory.resolve("verdicts"),
                sha256("") + " ok nothing is wrong\n" + sha256("Welcome") + " ok nothing is wrong\n");
        assertThat(health("--refresh")).isEqualTo(new Answer(3, "weaklink: unknown: weaklink-collect failed\n"));
    }

    @Test
    void forgetsAVerdictIfTheModulesChange() throws Exception {
        judge(0);
        assertThat(health("--refresh").status()).isZero();
        Path verdict = directory.resolve("run/verdict");
        Files.setLastModifiedTime(verdict, FileTime.fromMillis(1));
        assertThat(health())
                .isEqualTo(new Answer(
                        3,
                        "weaklink: unknown: modules have changed since the last verdict; run weaklink-health"
                                + " --refresh\n"));
        Files.writeString(verdict, "5.0.0-other ok all is well\n");
        assertThat(health().out()).contains("the last verdict is for kernel 5.0.0-other");
    }

    @Test
    void forgetsAVerdictIfTheDirectoryChanges() throws Exception {
        judge(0);
        assertThat(health("--refresh").status()).isZero();
        Path modules = directory.resolve("modules/" + kernel);
        Files.delete(modules.resolve("extra/a"));
        Files.delete(modules.resolve("extra"));
        Files.setLastModifiedTime(modules, FileTime.fromMillis(System.currentTimeMillis() + 10_000));
        assertThat(health().out()).contains("unknown: modules have changed since");
        Files.delete(modules);
        assertThat(health()).isEqualTo(new Answer(3, "weaklink: unknown: " + modules + " not found\n"));
    }

    @Test
    void drainsABrokenNodeAndReturnsSuccessToSlurm() throws Exception {
        judge(1);
        health("--refresh");
        assertThat(health("--drain").status()).isZero();
        assertThat(Files.readString(directory.resolve("scontrol")))
                .contains("State=DRAIN Reason=weaklink: something is wrong with the modules; see weaklink audit");
        RecipesTest.program(
                tools.resolve("scontrol"), "echo \"$*\" > '" + directory + "/again'; echo State=IDLE+DRAIN");
        health("--drain");
        assertThat(Files.readString(directory.resolve("again"))).doesNotContain("update");
    }

    @Test
    void doesNotTouchAGoodNode() throws Exception {
        judge(0);
        health("--refresh");
        assertThat(health("--drain").status()).isZero();
        assertThat(directory.resolve("scontrol")).doesNotExist();
    }

    /** Writes the verdicts as the central machine does, with an audit that exits with this status. */
    private void judge(int status) throws Exception {
        Files.writeString(directory.resolve("audit"), "" + status);
        Path lines = Files.writeString(directory.resolve("lines"), TOLD);
        Answer verdicts = run(RECIPES.resolve("weaklink-verdicts"), lines.toString());
        assertThat(verdicts.status()).isZero();
        Files.writeString(directory.resolve("verdicts"), verdicts.out());
    }

    @Test
    void judgesAllDistinctLinesInOneStart() throws Exception {
        Path starts = useRealAudit();
        String good = new NodeLines("6.1").line(null);
        String broken = new NodeLines("6.1").danglingLink("6.1", "knem").line(null);
        String cut = good.substring(0, good.length() - 9);
        String other = good.replace("node/1", "node/2");
        List<String> told =
                new ArrayList<>(List.of(good, broken, cut, "{\"schema\":\"x", "", "Hi", other, good, broken));
        for (int i = 0; i < 12; i++) {
            told.add(new NodeLines("6.1." + i).line(null));
        }
        Path lines = Files.write(directory.resolve("lines"), told);
        Answer all = run(RECIPES.resolve("weaklink-verdicts"), lines.toString());
        assertThat(all.status()).isZero();
        assertThat(Files.readAllLines(starts)).hasSize(1);
        assertThat(all.out().lines().map(line -> line.split(" ")[1]))
                .containsExactlyInAnyOrderElementsOf(() -> Stream.concat(
                                Stream.of("broken", "unknown", "unknown"),
                                Stream.generate(() -> "ok").limit(13))
                        .iterator());
        assertThat(all.out())
                .contains(sha256(broken) + " broken something is wrong with the modules; see weaklink audit\n");
        assertThat(all.out()).contains(sha256(good) + " ok nothing is wrong with the modules\n");
        Answer unread = run(RECIPES.resolve("weaklink-verdicts"), lines.toString(), "--kernel", "/no/kernel");
        assertThat(unread.out().lines()).noneMatch(line -> line.contains(" ok "));
    }

    /** The broken node's line is sorted after the four foreign lines and the good line, so its number is 6. */
    @ParameterizedTest
    @ValueSource(strings = {"\r", "", "\0", "\n"})
    void appliesALineOnlyToItsNode(String between) throws Exception {
        useRealAudit();
        String good = new NodeLines("6.1").line(null);
        String broken = new NodeLines("6.1").danglingLink("6.1", "knem").line(null);
        String foreign = "{\"schema\":\"weaklink.node/1\",\"kernels\":[],\"modules\":[]}";
        List<String> told = new ArrayList<>(List.of(broken, good));
        for (int number = 3; number <= 6; number++) {
            told.add(foreign + between + "n" + number + ": " + good);
        }
        Path lines = Files.write(directory.resolve("lines"), told);
        Answer all = run(RECIPES.resolve("weaklink-verdicts"), lines.toString());
        assertThat(all.status()).isZero();
        assertThat(all.out()).doesNotContain(sha256(broken) + " ok");
        assertThat(all.out().lines().filter(line -> line.contains(" ok "))).hasSizeLessThanOrEqualTo(2);
    }

    /** Makes weaklink-verdicts run the program itself; returns a file with a line for each start. */
    private Path useRealAudit() throws IOException {
        Path starts = directory.resolve("starts");
        RecipesTest.program(
                tools.resolve("weaklink"),
                "echo start >> '"
                        + starts
                        + "'\nexec '"
                        + Path.of(System.getProperty("java.home"), "bin", "java")
                        + "' -cp '"
                        + System.getProperty("java.class.path")
                        + "' dev.weaklink.cli.Main \"$@\"");
        return starts;
    }

    private static String sha256(String line) throws Exception {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    private Answer health(String... arguments) throws Exception {
        return run(RECIPES.resolve("weaklink-health"), arguments);
    }

    private Answer run(Path program, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("sh", program.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        var environment = builder.environment();
        environment.put("PATH", tools + ":" + environment.get("PATH"));
        environment.put("WEAKLINK_VERDICTS", directory.resolve("verdicts").toString());
        environment.put("WEAKLINK_VERDICT", directory.resolve("run/verdict").toString());
        environment.put("WEAKLINK_MODULES", directory.resolve("modules").toString());
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process process = builder.start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Answer(process.waitFor(), out);
    }

    record Answer(int status, String out) {}
}
