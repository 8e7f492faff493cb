package dev.weaklink.dist;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import dev.weaklink.fleet.intake.Intake;
import dev.weaklink.fleet.intake.Intake.NodeVisitor;
import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.testing.ExternalTool;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the recipes with the programs that they are for, and the intake of their output. */
@Tag("slow")
class RecipesTest {
    private static final Path RECIPES = Path.of("src/main/dist/recipes").toAbsolutePath();

    private static final Set<String> NODES = Set.of("cn1", "cn2", "cn3");

    @TempDir
    Path directory;

    private Path root;
    private Path collect;

    @BeforeEach
    void makeNode() throws IOException {
        root = Files.createDirectories(directory.resolve("node"));
        new NodeTree(root).fill();
        Files.writeString(root.resolve("proc/sys/kernel/hostname"), "localhost\n");
        collect = directory.resolve("collect");
        program(collect, "exec sh '" + CollectorRun.SCRIPT + "' --root='" + root + "' \"$@\"");
    }

    @Test
    void clushFoldsEqualNodes() throws Exception {
        ExternalTool.orSkip("clush");
        String told = run(
                Map.of("WEAKLINK_COLLECT", collect.toString()),
                RECIPES.resolve("weaklink-clush"),
                "-R",
                "exec",
                "-w",
                "cn[001-003]");
        assertThat(told).contains("cn[001-003] (3)");
        assertReads(told, "cn001", "cn002", "cn003");
    }

    @Test
    void pdshPrintsALineForEachNode() throws Exception {
        ExternalTool.orSkip("pdsh");
        String told = run(
                Map.of("WEAKLINK_COLLECT", collect.toString()),
                RECIPES.resolve("weaklink-pdsh"),
                "-R",
                "exec",
                "-w",
                "cn[1-2]",
                "sh",
                "-c");
        assertThat(told.lines()).hasSize(2);
        assertReads(told, "cn1", "cn2");
    }

    @Test
    void ansibleFillsADirectory() throws Exception {
        ExternalTool.orSkip("ansible-playbook");
        Path nodes = directory.resolve("nodes of mine");
        run(
                Map.of("ANSIBLE_LOCAL_TEMP", directory.toString(), "HOME", directory.toString()),
                located("ansible-playbook"),
                "-i",
                "cn1,cn2,",
                "-c",
                "local",
                "-e",
                new ObjectMapper()
                        .writeValueAsString(
                                Map.of("weaklink_directory", nodes.toString(), "weaklink_collect", collect.toString())),
                RECIPES.resolve("ansible/collect.yml").toString());
        Taken taken = new Taken();
        Intake intake = new Intake(taken, Set.of());
        intake.read(nodes.toString(), new ByteArrayInputStream(new byte[0]));
        intake.finish();
        assertThat(taken.problems).isEmpty();
        assertThat(taken.nodes).containsOnlyKeys("cn1", "cn2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-o"})
    void readsAnsiblesOwnOutput(String form) throws Exception {
        ExternalTool.orSkip("ansible");
        String all = "ansible all " + form + " -i cn1,cn2 -c local -m ";
        assertReads(shell(all + "shell -a '" + collect + "'"), "cn1", "cn2");
        assertReads(shell(all + "script -a '" + collect + " --no-name'"), "cn1", "cn2");
        Taken taken = taken(shell("ansible all " + form + " -i cn1, -c local -a weaklink-collect; true"));
        assertThat(taken.silent).containsExactly(Map.entry("cn1", "weaklink-collect not found"));
        taken = taken(shell("ansible all " + form + " -i cn1, -c local -m shell -a 'exit 7'; true"));
        assertThat(taken.silent).containsExactly(Map.entry("cn1", "exit code 7"));
        taken = taken(shell("ansible all " + form + " -i no-such-host.invalid, -a true; true"));
        assertThat(taken.silent).containsOnlyKeys("no-such-host.invalid");
        assertThat(taken.problems).isEmpty();
    }

    @Test
    void readsTheOutputOfLoopsAndParallel() throws Exception {
        for (String name : List.of(" --no-name", " --name=$h")) {
            String loop = "for h in cn1 cn2; do echo \"== $h\"; " + collect + name + "; done";
            assertReads(shell(loop), "cn1", "cn2");
        }
        String each = "sh -c '" + collect + " --no-name | sed \"s/^/{}: /\"'";
        assertReads(shell("echo cn1 cn2 | xargs -n 1 | xargs -P 2 -I {} " + each), "cn1", "cn2");
        String named = "sh -c '" + collect + " --name={}'";
        assertReads(shell("echo cn1 cn2 | xargs -n 1 | xargs -P 2 -I {} " + named), "cn1", "cn2");
        ExternalTool.orSkip("parallel");
        String tagged = "parallel --tag '" + collect + " --no-name; : {}' ::: cn1 cn2";
        assertReads(shell(tagged), "cn1", "cn2");
    }

    @Test
    void losesNoNodeToClushsCounter() throws Exception {
        ExternalTool.orSkip("clush");
        Path slow = directory.resolve("slow");
        program(slow, "sleep 1.5; exec '" + collect + "' --name=$1 $2");
        for (String name : List.of("", "--no-name")) {
            String told = shell("clush -R exec -b -w 'cn[1-3]' " + slow + " %h " + name);
            assertThat(told).contains("clush: 3/3\r---");
            assertReads(told, "cn1", "cn2", "cn3");
        }
    }

    @Test
    void readsBlocksOfDshbak() throws Exception {
        ExternalTool.orSkip("pdsh");
        ExternalTool.orSkip("dshbak");
        for (String option : List.of("", "-c")) {
            String pdsh = "pdsh -R exec -w 'cn[1-2]' " + collect + " --no-name | dshbak " + option;
            assertReads(shell(pdsh), "cn1", "cn2");
        }
    }

    @Test
    void attributesErrorsOfClushAndPdshToTheirNodes() throws Exception {
        ExternalTool.orSkip("clush");
        ExternalTool.orSkip("pdsh");
        Path each = directory.resolve("each");
        program(
                each,
                "case $1 in cn1) echo Welcome; exec '"
                        + collect
                        + "' --no-name ;; cn2) echo denied; exit 3 ;; *) nowhere/weaklink-collect ;; esac");
        for (String program : List.of("clush -R exec", "clush -b -R exec", "pdsh -R exec")) {
            Taken taken = taken(NODES, shell(program + " -w 'cn[1-3]' " + each + " %h; true"));
            assertThat(taken.nodes).as(program).containsOnlyKeys("cn1");
            assertThat(taken.silent)
                    .as(program)
                    .containsExactly(
                            Map.entry("cn2", "exit code 3: denied"), Map.entry("cn3", "weaklink-collect not found"));
        }
    }

    /** Returns the text that a command prints on both outputs. */
    private String shell(String command) throws Exception {
        return run(
                Map.of("ANSIBLE_LOCAL_TEMP", directory.toString(), "HOME", directory.toString()),
                located("sh"),
                "-c",
                "{ " + command + "\n} 2>&1");
    }

    @Test
    void mountsTheNodeReadOnlyInKubernetes() throws Exception {
        for (String file : List.of("daemonset.yaml", "job.yaml")) {
            JsonNode manifest = yaml(RECIPES.resolve("kubernetes").resolve(file));
            JsonNode pod = manifest.at("/spec/template/spec");
            JsonNode container = pod.at("/containers/0");
            assertThat(container.get("command").get(2).asText())
                    .contains("sh /weaklink/weaklink-collect --root=/host --name=\"$NODE\"");
            assertThat(container.at("/env/0/valueFrom/fieldRef/fieldPath").asText())
                    .isEqualTo("spec.nodeName");
            Map<String, String> volumes = new TreeMap<>();
            pod.get("volumes").forEach(volume -> volumes.put(volume.get("name").asText(), ""));
            for (JsonNode mount : container.get("volumeMounts")) {
                assertThat(mount.get("readOnly").asBoolean()).isTrue();
                volumes.put(mount.get("name").asText(), mount.get("mountPath").asText());
            }
            assertThat(volumes).containsExactly(Map.entry("host", "/host"), Map.entry("script", "/weaklink"));
            assertThat(container.at("/securityContext/readOnlyRootFilesystem").asBoolean())
                    .isTrue();
        }
        JsonNode set = yaml(RECIPES.resolve("kubernetes/daemonset.yaml"));
        assertThat(set.at("/spec/selector/matchLabels")).isEqualTo(set.at("/spec/template/metadata/labels"));
    }

    @Test
    void checksTheNodesKernelInTheInitContainer() throws Exception {
        JsonNode pod = yaml(RECIPES.resolve("kubernetes/driver.yaml")).get("spec");
        JsonNode container = pod.at("/initContainers/1");
        assertThat(container.at("/securityContext/readOnlyRootFilesystem").asBoolean())
                .isTrue();
        Path program = Files.writeString(directory.resolve("weaklink"), "#!/bin/sh\necho \"$@\"\nexit 3\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        String command = container.get("command").get(2).asText();
        String said =
                run(Map.of("PATH", directory + ":/usr/bin:/bin"), located("sh"), "-c", "(" + command + ") || echo $?");
        assertThat(said)
                .isEqualTo("check --no-cache --root /host --kernel "
                        + System.getProperty("os.version")
                        + " /modules\n3\n");
    }

    @Test
    void recipesPassShellcheck() throws Exception {
        for (String name : List.of(
                "weaklink-clush",
                "weaklink-pdsh",
                "weaklink-verdicts",
                "weaklink-health",
                "slurm/weaklink-collect.sbatch")) {
            assertThat(ExternalTool.orSkip("shellcheck")
                            .run(RECIPES.resolve(name).toString()))
                    .isEmpty();
        }
    }

    private static Taken taken(String told) {
        return taken(Set.of(), told);
    }

    private static Taken taken(Set<String> expected, String told) {
        Taken taken = new Taken();
        Intake intake = new Intake(taken, expected);
        byte[] bytes = told.getBytes(StandardCharsets.UTF_8);
        intake.read(Intake.STDIN, new ByteArrayInputStream(bytes));
        taken.silent.putAll(intake.finish());
        return taken;
    }

    private void assertReads(String told, String... names) {
        Taken taken = taken(told);
        assertThat(taken.problems).isEmpty();
        assertThat(taken.nodes).containsOnlyKeys(names);
        assertThat(taken.nodes.get(names[0]).modules()).hasSize(4);
    }

    private static JsonNode yaml(Path file) throws IOException {
        try (YAMLParser parser = new YAMLFactory().createParser(file.toFile())) {
            return new ObjectMapper().readTree(parser);
        }
    }

    private String run(Map<String, String> environment, Path program, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        Path err = directory.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
        builder.directory(directory.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out + Files.readString(err)).isZero();
        return out;
    }

    static void program(Path file, String text) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Path located(String name) {
        for (String place : System.getenv("PATH").split(":")) {
            if (Files.isExecutable(Path.of(place, name))) {
                return Path.of(place, name);
            }
        }
        throw new IllegalStateException(name);
    }

    private static final class Taken implements NodeVisitor {
        final Map<String, NodeInventory> nodes = new TreeMap<>();
        final List<InputProblem> problems = new ArrayList<>();
        final Map<String, String> silent = new TreeMap<>();

        @Override
        public void node(String name, NodeInventory inventory) {
            nodes.put(name, inventory);
        }

        @Override
        public void problem(InputProblem problem) {
            problems.add(problem);
        }
    }
}
