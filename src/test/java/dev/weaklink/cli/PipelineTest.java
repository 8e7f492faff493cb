package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.sys.DurableFiles;
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

/** The steps of the pipelines with the arguments of their README, run on this machine. */
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

    /** Writes one build of each of two products to the place where pipelines expect packages. */
    private void putPackages() throws IOException {
        Path dist = Files.createDirectories(work.resolve("dist"));
        putPackage(dist.resolve("driver.rpm"), "driver", 5);
        putPackage(dist.resolve("other.rpm"), "other", 5);
    }

    private static void putPackage(Path file, String module, int printk) throws IOException {
        String path = "./lib/modules/6.1.0-9-amd64/extra/" + module + ".ko";
        Files.write(file, new TarWriter().file(path, module(module, printk)).bytes());
    }

    private void putScript() throws IOException {
        Path script = work.resolve("weaklink-ci");
        Files.copy(CI.resolve("weaklink-ci"), script);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Returns the settings of an example in the README, by name. */
    private static Map<String, String> example(String pipeline) throws IOException {
        String readme = Files.readString(CI.resolve("README.md"));
        String part = readme.substring(readme.indexOf("## " + pipeline)).split("\n## ", 3)[0];
        Map<String, String> settings = new HashMap<>();
        Matcher setting = Pattern.compile("(?m)^ {8}(\\w+): (.*)$").matcher(part);
        while (setting.find()) {
            settings.put(setting.group(1), setting.group(2));
        }
        settings.remove("library");
        settings.remove("WEAKLINK_LIBRARY");
        return settings;
    }

    private String output() throws IOException {
        return Files.readString(directory.resolve("output"), StandardCharsets.UTF_8);
    }

    private JsonNode result() throws IOException {
        return new ObjectMapper()
                .readTree(work.resolve("weaklink-results/weaklink.json").toFile());
    }

    /** Leaves only the cached files in the workspace, as in the next run of a pipeline. */
    private void keepOnly(List<String> cached) throws IOException {
        Path next = Files.createDirectory(directory.resolve("next"));
        for (String path : cached) {
            Files.createDirectories(next.resolve(path).getParent());
            Files.move(work.resolve(path), next.resolve(path));
        }
        DurableFiles.deleteTree(work.resolve("weaklink-results"));
        for (String path : cached) {
            Files.createDirectories(work.resolve(path).getParent());
            Files.move(next.resolve(path), work.resolve(path));
        }
    }

    private static Map<?, ?> step(List<?> steps, String uses) {
        for (Object step : steps) {
            if (String.valueOf(((Map<?, ?>) step).get("uses")).startsWith(uses)) {
                return (Map<?, ?>) ((Map<?, ?>) step).get("with");
            }
        }
        throw new AssertionError(uses);
    }

    @Test
    void runsTheGithubActionOfTheReadme() throws Exception {
        putPackages();
        Map<?, ?> runs = (Map<?, ?>) yaml("action.yml").get("runs");
        assertThat(runs.get("using")).isEqualTo("composite");
        List<?> steps = (List<?>) runs.get("steps");
        Map<?, ?> check = (Map<?, ?>) steps.get(1);
        assertThat(check.get("shell")).isEqualTo("bash");
        Path summary = directory.resolve("summary");
        Map<String, String> given = example("GitHub");
        Map<String, String> variables = Map.of(
                "GITHUB_ACTION_PATH", CI.toString(),
                "GITHUB_STEP_SUMMARY", summary.toString(),
                "WEAKLINK_REQUIRES", given.get("requires"),
                "BUILDS", given.get("builds"));
        String script = String.valueOf(check.get("run"));
        assertThat(run(script, variables)).as(output()).isZero();
        assertThat(work.resolve("weaklink-results/weaklink.html")).isNotEmptyFile();
        assertThat(work.resolve("weaklink-results/weaklink.xml")).content().contains("failures=\"0\"");
        assertThat(summary).content().contains("required: 1 kernel for each of 2 products, all served");

        Map<?, ?> restored = step(steps, "actions/cache/restore@");
        Map<?, ?> saved = step(steps, "actions/cache/save@");
        assertThat(saved.get("path")).isEqualTo(restored.get("path"));
        assertThat(saved.get("key")).isEqualTo(restored.get("key"));
        keepOnly(String.valueOf(saved.get("path")).lines().toList());
        putPackage(work.resolve("dist/other.rpm"), "other", 6);
        assertThat(run(script, variables)).as(output()).isEqualTo(1);
        assertThat(summary).content().contains("**not served** 6.1.0-9-amd64 by other: ");
        assertThat(result().at("/required/lost")).hasSize(1);
        assertThat(result().at("/changes")).hasSize(2);
    }

    @Test
    void runsTheGitlabJobOfTheReadme() throws Exception {
        putPackages();
        putScript();
        Map<?, ?> job = (Map<?, ?>) yaml("gitlab.yml").get(".weaklink");
        String script = String.valueOf(((List<?>) job.get("script")).get(0));
        assertThat(run(script, example("GitLab"))).as(output()).isZero();
        Map<?, ?> reports = (Map<?, ?>) ((Map<?, ?>) job.get("artifacts")).get("reports");
        assertThat(work.resolve(String.valueOf(reports.get("junit")))).isNotEmptyFile();

        Map<?, ?> cache = (Map<?, ?>) job.get("cache");
        assertThat(cache.get("when")).isEqualTo("always");
        keepOnly(((List<?>) cache.get("paths")).stream().map(String::valueOf).toList());
        putPackage(work.resolve("dist/driver.rpm"), "driver", 6);
        assertThat(run(script, example("GitLab"))).as(output()).isEqualTo(1);
        assertThat(result().at("/changes")).hasSize(2);
    }

    @Test
    void runsTheJenkinsStageOfTheReadme() throws Exception {
        putPackages();
        putScript();
        String file = Files.readString(CI.resolve("Jenkinsfile"));
        Map<String, String> variables = new HashMap<>();
        Matcher variable = Pattern.compile("(WEAKLINK_\\w+) = '([^']*)'").matcher(file);
        while (variable.find()) {
            variables.put(variable.group(1), variable.group(2));
        }
        variables.put("WEAKLINK_LIBRARY", "oci:" + directory.resolve("library"));
        assertThat(run(quoted(file, "sh"), variables)).as(output()).isZero();
        assertThat(work.resolve(quoted(file, "junit"))).isNotEmptyFile();
        assertThat(quoted(file, "archiveArtifacts")).isEqualTo("weaklink-results/**");
        putPackage(work.resolve("dist/other.rpm"), "other", 6);
        assertThat(run(quoted(file, "sh"), variables)).as(output()).isEqualTo(1);
        assertThat(result().at("/changes")).hasSize(2);
    }

    private static String quoted(String file, String step) {
        Matcher found = Pattern.compile("\\b" + step + " '([^']*)'").matcher(file);
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    @Test
    void entryPointUsesAFittingBuildOrBuilds() throws Exception {
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
