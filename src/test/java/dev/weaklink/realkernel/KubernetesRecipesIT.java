package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the recipes for Kubernetes, as far as kubectl works without a cluster. */
class KubernetesRecipesIT {
    private static final Path RECIPES = Fleet.RECIPES.resolve("kubernetes");
    private static final Path SCRIPT = Fleet.DIST.resolve("weaklink-collect");
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    Path directory;

    private Fleet fleet;

    @BeforeEach
    void makeNodes() throws IOException {
        ExternalTool.orSkip("kubectl");
        fleet = Fleet.in(directory);
    }

    /** Compares the manifests with kubectl's output, because kubectl drops unknown fields. */
    @ParameterizedTest
    @ValueSource(strings = {"daemonset.yaml", "job.yaml"})
    void kubernetesKnowsEveryFieldOfTheManifests(String name) throws IOException {
        Path file = RECIPES.resolve(name);
        JsonNode manifest = yaml(file).get(0);
        ObjectNode container = (ObjectNode) manifest.at("/spec/template/spec/containers/0");
        container.put("image", "registry.test/other:1");
        String[] words = {"set", "image", "--local", "-f", file.toString(), "-o", "json"};
        Path told = kubectl(words, "*=registry.test/other:1");
        assertKept(manifest, MAPPER.readTree(told.toFile()), "");
    }

    private static void assertKept(JsonNode expected, JsonNode actual, String where) {
        if (expected.isObject()) {
            for (Iterator<String> keys = expected.fieldNames(); keys.hasNext(); ) {
                String key = keys.next();
                assertKept(expected.get(key), actual.path(key), where + "/" + key);
            }
        } else if (expected.isArray()) {
            assertThat(actual).as(where).hasSize(expected.size());
            for (int i = 0; i < expected.size(); i++) {
                assertKept(expected.get(i), actual.get(i), where + "/" + i);
            }
        } else {
            assertThat(actual).as(where).isEqualTo(expected);
        }
    }

    @Test
    void theScriptIsAConfigMapAsItIs() throws IOException {
        Path told = kubectl(
                new String[] {"create", "configmap", "weaklink-collect", "--dry-run=client"},
                "--from-file=" + SCRIPT,
                "-o",
                "json");
        assertThat(MAPPER.readTree(told.toFile()).at("/data/weaklink-collect").asText())
                .isEqualTo(Files.readString(SCRIPT));
    }

    /** Expects the name that kustomize generates for the map, wherever a manifest refers to the map. */
    @Test
    void theManifestsReferToThatConfigMap() throws IOException {
        Path kustomization = Files.createDirectories(fleet.beside("kustomization"));
        for (Path file : List.of(RECIPES.resolve("daemonset.yaml"), RECIPES.resolve("job.yaml"), SCRIPT)) {
            Files.copy(file, kustomization.resolve(file.getFileName()));
        }
        Files.writeString(kustomization.resolve("kustomization.yaml"), """
        resources: [daemonset.yaml, job.yaml]
        configMapGenerator:
          - name: weaklink-collect
            files: [weaklink-collect]
        """);
        Map<String, JsonNode> made = new HashMap<>();
        for (JsonNode one : yaml(kubectl(new String[] {"kustomize"}, kustomization.toString()))) {
            made.put(one.get("kind").asText(), one);
        }
        assertThat(made).containsOnlyKeys("ConfigMap", "DaemonSet", "Job");
        String map = made.get("ConfigMap").at("/metadata/name").asText();
        assertThat(map).startsWith("weaklink-collect-");
        for (String kind : List.of("DaemonSet", "Job")) {
            List<String> maps = new ArrayList<>();
            for (JsonNode volume : made.get(kind).at("/spec/template/spec/volumes")) {
                maps.add(volume.at("/configMap/name").asText());
            }
            assertThat(maps).containsExactlyInAnyOrder("", map);
        }
    }

    @Test
    void auditReadsTheOutputOfKubectlLogs() throws IOException {
        Map<String, String> logs = new HashMap<>();
        for (String name : Fleet.NAMES) {
            logs.put("weaklink-collect-x7k" + name, log(name));
        }
        String selector = "job-name=weaklink-collect";
        assertThat(Files.readString(RECIPES.resolve("job.yaml")))
                .contains("kubectl logs --selector " + selector + " --prefix --tail=1 |");
        Path told;
        try (StandInApi api = StandInApi.start(selector, logs)) {
            told = kubectl(
                    new String[] {"--server=" + api.address(), "logs", "--selector", selector}, "--prefix", "--tail=1");
        }
        assertThat(Files.readAllLines(told))
                .hasSize(4)
                .allMatch(line -> line.startsWith("[pod/weaklink-collect-x7kcn"));
        Fleet.assertAudited(told);
    }

    /** Returns the output of the job's own command on a node, with the directories of this machine. */
    private String log(String name) throws IOException {
        JsonNode container = yaml(RECIPES.resolve("job.yaml")).get(0).at("/spec/template/spec/containers/0");
        String command = container
                .at("/command/2")
                .asText()
                .replace("/weaklink/weaklink-collect", SCRIPT.toString())
                .replace("/host", fleet.root(name).toString());
        return Files.readString(fleet.run(Map.of("NODE", name), "sh", "-c", command));
    }

    /** Runs kubectl without the user's own clusters. */
    private Path kubectl(String[] words, String... more) throws IOException {
        List<String> all = new ArrayList<>(List.of("kubectl"));
        all.addAll(List.of(words));
        all.addAll(List.of(more));
        Map<String, String> environment = Map.of("HOME", directory.toString(), "KUBECONFIG", "/dev/null");
        return fleet.run(environment, all.toArray(new String[0]));
    }

    private static List<JsonNode> yaml(Path file) throws IOException {
        try (YAMLParser parser = new YAMLFactory().createParser(file.toFile())) {
            return MAPPER.readerFor(JsonNode.class).<JsonNode>readValues(parser).readAll();
        }
    }
}
