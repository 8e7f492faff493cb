package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads the output of real programs that query many nodes. */
class RecipesIT {
    private static final String[] ON_EACH = {"-R", "exec", "-w", "cn[1-4]", "env", "NODE=%h"};

    @TempDir
    Path directory;

    private Fleet fleet;

    @BeforeEach
    void makeNodes() throws IOException {
        fleet = Fleet.in(directory);
    }

    @Test
    void clushFoldsNodesThatAreAlike() throws IOException {
        ExternalTool.orSkip("clush");
        Path told = fleet.run(Map.of(), words(Fleet.RECIPES.resolve("weaklink-clush"), ON_EACH));
        assertThat(Files.readAllLines(told))
                .filteredOn(line -> !line.startsWith("{"))
                .containsExactly(
                        "---------------",
                        "cn[1-3] (3)",
                        "---------------",
                        "---------------",
                        "cn4",
                        "---------------");
        Fleet.assertAudited(told);
    }

    @Test
    void clushPutsNamesBeforeLines() throws IOException {
        ExternalTool.orSkip("clush");
        String command = fleet.beside("collect") + " --no-name";
        Path told = fleet.run(Map.of(), words(Path.of("clush"), ON_EACH, command));
        assertThat(Files.readAllLines(told)).hasSize(4).allMatch(line -> line.matches("cn[1-4]: \\{.*"));
        Fleet.assertAudited(told);
    }

    @Test
    void pdshPutsNamesBeforeLines() throws IOException {
        ExternalTool.orSkip("pdsh");
        Path told = fleet.run(Map.of(), words(Fleet.RECIPES.resolve("weaklink-pdsh"), ON_EACH, "sh", "-c"));
        assertThat(Files.readAllLines(told)).hasSize(4).allMatch(line -> line.matches("cn[1-4]: \\{.*"));
        Fleet.assertAudited(told);
    }

    @Test
    void dshbakFoldsWhatPdshPrints() throws IOException {
        ExternalTool.orSkip("pdsh");
        ExternalTool.orSkip("dshbak");
        String each = "pdsh -R exec -w 'cn[1-4]' env NODE=%h " + fleet.beside("collect") + " --no-name";
        Path told = fleet.run(Map.of(), "sh", "-c", each + " | dshbak -c");
        assertThat(Files.readAllLines(told)).contains("cn[1-3]", "cn4");
        Fleet.assertAudited(told);
    }

    @Test
    void ansiblesRoleWritesAFileForEachNode() throws IOException {
        ExternalTool.orSkip("ansible-playbook");
        Path nodes = fleet.beside("nodes of mine");
        playbook(Map.of(), nodes);
        assertThat(nodes).isDirectoryContaining(file -> file.endsWith("cn4.json"));
        Fleet.assertAudited(nodes);
    }

    @Test
    void ansibleFetchesFilesIntoADirectoryForEachNode() throws IOException {
        ExternalTool.orSkip("ansible");
        for (String name : Fleet.NAMES) {
            Path told = fleet.run(Map.of("NODE", name), fleet.beside("collect").toString(), "--no-name");
            Files.move(told, fleet.root(name).resolve("told.json"));
        }
        Path nodes = fleet.beside("nodes");
        ansible(Map.of(), "fetch", "src=" + directory + "/{{inventory_hostname}}/told.json dest=" + nodes);
        assertThat(nodes.resolve("cn4" + directory + "/cn4/told.json")).isRegularFile();
        Fleet.assertAudited(nodes);
    }

    @Test
    void readsAnsiblesJsonCallback() throws IOException {
        ExternalTool.orSkip("ansible-playbook");
        String callback = "ansible.posix.json";
        Path callbacks = fleet.run(local(Map.of()), "ansible-doc", "-t", "callback", "-l");
        assumeTrue(Files.readString(callbacks).contains(callback), callback + " is not installed");
        Fleet.assertAudited(playbook(Map.of("ANSIBLE_STDOUT_CALLBACK", callback), fleet.beside("nodes")));
        Fleet.assertAudited(ansible(
                Map.of("ANSIBLE_STDOUT_CALLBACK", callback, "ANSIBLE_LOAD_CALLBACK_PLUGINS", "1"),
                "script",
                fleet.beside("collect") + " --name={{inventory_hostname}}"));
    }

    private Path playbook(Map<String, String> environment, Path nodes) throws IOException {
        return fleet.run(
                local(environment),
                "ansible-playbook",
                "-i",
                String.join(",", Fleet.NAMES),
                "-c",
                "local",
                "-e",
                variables(nodes),
                Fleet.RECIPES.resolve("ansible/collect.yml").toString());
    }

    private Path ansible(Map<String, String> environment, String module, String arguments) throws IOException {
        return fleet.run(
                local(environment),
                "ansible",
                "all",
                "-i",
                String.join(",", Fleet.NAMES),
                "-c",
                "local",
                "-m",
                module,
                "-a",
                arguments);
    }

    /** Returns an environment in which programs neither read nor write the user's files. */
    private Map<String, String> local(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(more);
        all.put("HOME", directory.toString());
        all.put("ANSIBLE_LOCAL_TEMP", directory.toString());
        return all;
    }

    private String variables(Path nodes) throws JsonProcessingException {
        Map<String, String> variables = Map.of(
                "weaklink_directory", nodes.toString(),
                "weaklink_collect", fleet.beside("collect").toString());
        return new ObjectMapper().writeValueAsString(variables);
    }

    private static String[] words(Path program, String[] more, String... last) {
        List<String> words = new ArrayList<>();
        words.add(program.toString());
        words.addAll(List.of(more));
        words.addAll(List.of(last));
        return words.toArray(new String[0]);
    }
}
