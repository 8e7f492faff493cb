package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.SymversBuilder;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** What pipelines run: the action's and the template's own lines, on this machine. */
@Tag("slow")
class PipelineTest {
    private static final Path CI = Path.of("src/main/dist/ci").toAbsolutePath();

    @TempDir
    Path directory;

    private Path work;
    private Path program;

    @BeforeEach
    void prepare() throws IOException {
        Path store = directory.resolve("store");
        keep(directory, store, "6.1.0-9-amd64", 5);
        keep(directory, store, "6.1.0-10-amd64", 6);
        String layout = "oci:" + directory.resolve("library");
        assertThat(WholeRun.of("store", "push", layout, "--store", store.toString())
                        .status())
                .isZero();
        work = Files.createDirectory(directory.resolve("work"));
        Files.createDirectory(work.resolve("build"));
        Files.write(work.resolve("build/driver.ko"), module("driver", 5));
        Files.writeString(work.resolve("kernels.yaml"), "must-serve: [6.1.0-9]\n");
        program = directory.resolve("weaklink");
        Files.writeString(program, "#!/bin/sh\nexec java -cp '" + classPath() + "' dev.weaklink.cli.Main \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path", "").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private int run(String script, Map<String, String> variables) throws Exception {
        ProcessBuilder shell = new ProcessBuilder("bash", "-c", script);
        shell.directory(work.toFile());
        shell.redirectErrorStream(true);
        shell.redirectOutput(directory.resolve("output").toFile());
        shell.environment().put("WEAKLINK", program.toString());
        shell.environment().put("WEAKLINK_LIBRARY", "oci:" + directory.resolve("library"));
        shell.environment().putAll(variables);
        return shell.start().waitFor();
    }

    private static Map<?, ?> yaml(String name) throws IOException {
        return new Yaml().load(Files.readString(CI.resolve(name)));
    }

    private static byte[] module(String name, int printk) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=5.14.0-427.el9_4.x86_64 SMP mod_unload modversions ")
                .importing("_printk", printk)
                .build();
    }

    private static void keep(Path directory, Path store, String release, int printk) throws IOException {
        byte[] symvers = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, printk)
                .bytes();
        byte[] own = ModuleBuilder.typical(Machine.X86_64, "own")
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ")
                .exporting("own_fn", ModuleSpec.Export.Table.NORMAL, 0xaa)
                .build();
        String top = "./lib/modules/" + release;
        TarWriter tar = new TarWriter().file(top + "/symvers", symvers).file(top + "/kernel/own.ko", own);
        Path file = Files.write(directory.resolve(release + ".tar"), tar.bytes());
        assertThat(WholeRun.of("store", "add", "--store", store.toString(), file.toString())
                        .status())
                .isZero();
    }

    @Test
    void theActionChecksPullsComparesAndFailsByRule() throws Exception {
        Map<?, ?> runs = (Map<?, ?>) yaml("action.yml").get("runs");
        assertThat(runs.get("using")).isEqualTo("composite");
        Map<?, ?> step = (Map<?, ?>) ((List<?>) runs.get("steps")).get(0);
        assertThat(step.get("shell")).isEqualTo("bash");
        Path summary = directory.resolve("summary");
        Map<String, String> variables = Map.of(
                "GITHUB_ACTION_PATH",
                CI.toString(),
                "GITHUB_STEP_SUMMARY",
                summary.toString(),
                "WEAKLINK_REQUIRES",
                "kernels.yaml",
                "BUILDS",
                "build");
        assertThat(run(String.valueOf(step.get("run")), variables))
                .as(Files.readString(directory.resolve("output"), StandardCharsets.UTF_8))
                .isZero();
        assertThat(work.resolve("weaklink-results/weaklink.html")).isNotEmptyFile();
        assertThat(work.resolve("weaklink-results/weaklink.xml")).content().contains("failures=\"0\"");
        assertThat(summary).content().contains("required: 1 kernel, all served");
        Files.writeString(work.resolve("kernels.yaml"), "must-serve: [6.1.0]\n");
        assertThat(run(String.valueOf(step.get("run")), variables)).isEqualTo(1);
        assertThat(summary).content().contains("**not served** 6.1.0-10-amd64");
        assertThat(new ObjectMapper()
                        .readTree(work.resolve("weaklink-results/weaklink.json").toFile())
                        .at("/required/lost"))
                .hasSize(1);
    }

    @Test
    void theTemplateOfGitlabRunsAndNamesItsResults() throws Exception {
        Map<?, ?> job = (Map<?, ?>) yaml("gitlab.yml").get(".weaklink");
        Files.copy(CI.resolve("weaklink-ci"), work.resolve("weaklink-ci"));
        Files.setPosixFilePermissions(work.resolve("weaklink-ci"), PosixFilePermissions.fromString("rwxr-xr-x"));
        String script = String.valueOf(((List<?>) job.get("script")).get(0));
        assertThat(run(script, Map.of("BUILDS", "build"))).isEqualTo(1);
        Map<?, ?> reports = (Map<?, ?>) ((Map<?, ?>) job.get("artifacts")).get("reports");
        assertThat(work.resolve(String.valueOf(reports.get("junit")))).isNotEmptyFile();
    }

    @Test
    void theStageOfJenkinsRunsAndNamesItsResults() throws Exception {
        String file = Files.readString(CI.resolve("Jenkinsfile"));
        Map<String, String> variables = new HashMap<>();
        Matcher variable = Pattern.compile("(WEAKLINK_\\w+) = '([^']*)'").matcher(file);
        while (variable.find()) {
            variables.put(variable.group(1), variable.group(2));
        }
        variables.put("WEAKLINK_LIBRARY", "oci:" + directory.resolve("library"));
        Files.copy(CI.resolve("weaklink-ci"), work.resolve("weaklink-ci"));
        Files.setPosixFilePermissions(work.resolve("weaklink-ci"), PosixFilePermissions.fromString("rwxr-xr-x"));
        byte[] module = module("driver", 5);
        Files.write(
                Files.createDirectory(work.resolve("dist")).resolve("driver.rpm"),
                new TarWriter()
                        .file("./lib/modules/6.1.0-9-amd64/extra/driver.ko", module)
                        .bytes());
        assertThat(run(quoted(file, "sh"), variables))
                .as(Files.readString(directory.resolve("output"), StandardCharsets.UTF_8))
                .isZero();
        assertThat(work.resolve(quoted(file, "junit"))).isNotEmptyFile();
        assertThat(quoted(file, "archiveArtifacts")).isEqualTo("weaklink-results/**");
    }

    private static String quoted(String file, String step) {
        Matcher found = Pattern.compile("\\b" + step + " '([^']*)'").matcher(file);
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    @Test
    void anEntryPointTakesTheBuildThatWillDoOrBuilds() throws Exception {
        String recipe = Files.readString(CI.resolveSibling("recipes/README.md"))
                .lines()
                .filter(line -> line.contains("--best /cache"))
                .findFirst()
                .orElseThrow();
        Path cache =
                Files.createDirectories(work.resolve("cache/6.1.0-9-amd64")).getParent();
        Files.move(work.resolve("build/driver.ko"), cache.resolve("6.1.0-9-amd64/driver.ko"));
        Files.createDirectory(cache.resolve("6.1.0-10-amd64"));
        Files.write(cache.resolve("6.1.0-10-amd64/other.ko"), module("other", 6));
        String own = "uname() { echo 6.1.0-$KERNEL-amd64; }; load() { echo \"loads $*\"; }; build() { echo builds; };"
                + " weaklink() { \"$WEAKLINK\" \"$@\" --store ../store; }; ";
        String script =
                own + recipe.replace("/cache mlx5_core mlx5_ib", "cache driver").replace("/host", ".");
        assertThat(run(script, Map.of("KERNEL", "9"))).isZero();
        assertThat(directory.resolve("output")).hasContent("loads cache/6.1.0-9-amd64");
        assertThat(run(script, Map.of("KERNEL", "10"))).isZero();
        assertThat(directory.resolve("output")).hasContent("builds");
    }
}
