package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Four nodes in directories of this machine. cn1 to cn3 are alike. cn4 has one more module, and one of its loaded
 * modules is another build than the module's file.
 */
final class Fleet {
    static final List<String> NAMES = List.of("cn1", "cn2", "cn3", "cn4");
    static final String KERNEL = "5.14.0-1.x86_64";
    static final Path DIST = Path.of("src/main/dist").toAbsolutePath();
    static final Path RECIPES = DIST.resolve("recipes");

    /** The time limit of a recipe; none takes more than some seconds. */
    private static final int MINUTES = 3;

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Path directory;

    private Fleet(Path directory) {
        this.directory = directory;
    }

    static Fleet in(Path directory) throws IOException {
        Fleet fleet = new Fleet(directory);
        for (String name : NAMES) {
            fleet.fill(TreeBuilder.in(Files.createDirectories(fleet.root(name))), name);
        }
        // Replaces the collecting script: reads the directory of the node on which it runs.
        fleet.program(
                "collect",
                "node=${NODE:-$SLURMD_NODENAME}",
                "for word; do case $word in --name=*) node=${word#*=} ;; esac; done",
                "exec sh '" + DIST.resolve("weaklink-collect") + "' --root='" + directory + "'/$node \"$@\"");
        fleet.program("weaklink", "exec '" + String.join("' '", WeaklinkRunner.command(List.of())) + "' \"$@\"");
        return fleet;
    }

    private void fill(TreeBuilder tree, String name) {
        boolean odd = name.equals("cn4");
        StringBuilder index = new StringBuilder("extra/alpha.ko:");
        tree.module(KERNEL, "extra/alpha.ko", module("alpha").modInfo("srcversion=A1"));
        for (int i = 0; i < (odd ? 7 : 6); i++) {
            String place = "extra/many/m" + i + ".ko";
            tree.module(KERNEL, place, module("m" + i));
            index.append('\n').append(place).append(':');
        }
        tree.file("lib/modules/" + KERNEL + "/modules.order", new byte[0]);
        text(tree, "lib/modules/" + KERNEL + "/modules.dep", index.toString());
        text(tree, "proc/sys/kernel/hostname", name);
        text(tree, "proc/sys/kernel/osrelease", KERNEL);
        text(tree, "sys/module/alpha/initstate", "live");
        text(tree, "sys/module/alpha/srcversion", odd ? "A0" : "A1");
        text(tree, "sys/module/alpha/taint", "OE");
    }

    private static ModuleBuilder module(String name) {
        return ModuleBuilder.typical(Machine.X86_64, name);
    }

    private static void text(TreeBuilder tree, String path, String line) {
        tree.file(path, (line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the root directory of a node. */
    Path root(String name) {
        return directory.resolve(name);
    }

    /** Returns a file or directory beside the nodes. */
    Path beside(String name) {
        return directory.resolve(name);
    }

    /** Writes a shell script beside the nodes. */
    Path program(String name, String... lines) throws IOException {
        Path file = Files.writeString(beside(name), "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Runs a program that must succeed, and returns a file with its output. */
    Path run(Map<String, String> environment, String... command) throws IOException {
        Path out = Files.createTempFile(directory, "told", ".txt");
        Path err = beside("errors");
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        Map<String, String> all = new HashMap<>(environment);
        all.put("WEAKLINK_COLLECT", beside("collect").toString());
        all.put("WEAKLINK", beside("weaklink").toString());
        all.put("WEAKLINK_CACHE", "off");
        all.put("LC_ALL", "C.UTF-8");
        builder.environment().putAll(all);
        Process process =
                builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        process.getOutputStream().close();
        try {
            boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
            assertThat(ended && process.exitValue() == 0)
                    .as("%s:\n%s%s", List.of(command), Files.readString(err), Files.readString(out))
                    .isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            process.destroyForcibly();
        }
        return out;
    }

    /** Checks that the audit finds all nodes, distinguishes them correctly and reports no problems. */
    static JsonNode assertAudited(Path told) throws IOException {
        WeaklinkRunner.Run run = WeaklinkRunner.run(List.of("audit", told.toString(), "--format", "json"));
        assertThat(run.stderr()).isEmpty();
        assertThat(run.exitCode()).as("cn4 is wrong").isEqualTo(1);
        JsonNode audit = MAPPER.readTree(String.join("\n", run.stdout()));
        assertThat(audit.get("nodes").asInt()).isEqualTo(4);
        assertThat(audit.at("/input/problems").asInt()).isZero();
        assertThat(audit.at("/incomplete/nodes").asText()).isEmpty();
        List<String> groups = new ArrayList<>();
        for (JsonNode group : audit.get("groups")) {
            groups.add(group.get("nodes").asText() + " " + group.get("count").asInt());
            assertThat(group.get("running").asInt())
                    .isEqualTo(group.get("count").asInt());
            assertThat(group.get("defects")).isEmpty();
        }
        assertThat(groups).containsExactly("cn[1-3] 3", "cn4 1");
        assertThat(audit.at("/sets")).hasSize(2);
        assertThat(audit.get("running")).hasSize(1);
        assertThat(audit.at("/running/0/kind").asText()).isEqualTo("loaded-differs");
        assertThat(audit.at("/running/0/nodes").asText()).isEqualTo("cn4");
        return audit;
    }
}
