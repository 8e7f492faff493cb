package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the recipes for Slurm in a real cluster. */
class SlurmRecipesIT {
    private static final Path RECIPES = Fleet.RECIPES.resolve("slurm");

    @TempDir
    Path directory;

    private Fleet fleet;

    @BeforeEach
    void makeNodes() throws IOException {
        fleet = Fleet.in(directory);
    }

    @Test
    void jobWritesAFileForEachNode() throws IOException {
        Path nodes = fleet.beside("nodes");
        try (SlurmCluster cluster = SlurmCluster.start(fleet)) {
            collectInto(nodes, cluster);
        }
        try (Stream<Path> files = Files.list(nodes)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("cn1.json", "cn2.json", "cn3.json", "cn4.json");
        }
        Fleet.assertAudited(nodes);
    }

    @Test
    void theHealthCheckDrainsTheBrokenNodeAndNoOther() throws IOException {
        Path check = fleet.program(
                "health",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                "export PATH SLURM_CONF=" + fleet.beside("slurm/slurm.conf"),
                "export WEAKLINK_COLLECT=" + fleet.beside("collect"),
                "export WEAKLINK_VERDICTS=" + fleet.beside("verdicts"),
                "export WEAKLINK_VERDICT=" + fleet.beside("verdict.$SLURMD_NODENAME"),
                "export WEAKLINK_MODULES=" + directory + "/$SLURMD_NODENAME/lib/modules",
                "exec sh " + Fleet.RECIPES.resolve("weaklink-health") + " \"$@\"");
        for (String node : List.of("cn1", "cn2", "cn3", "cn4")) {
            // The check trusts no verdict if the running kernel has no modules.
            String running = System.getProperty("os.version");
            Files.createDirectories(
                    directory.resolve(node).resolve("lib/modules").resolve(running));
        }
        Path program = fleet.program("health-check", "exec " + check + " --drain");
        try (SlurmCluster cluster =
                SlurmCluster.start(fleet, "HealthCheckProgram=" + program, "HealthCheckInterval=1")) {
            judge(cluster);
            Map<String, String> slurm = cluster.environment();
            fleet.run(slurm, "srun", "-N4", "sh", "-c", check + " --refresh || :");
            fleet.run(slurm, "sh", "-c", "until scontrol show node cn4 | grep DRAIN; do sleep 0.2; done");
            Path nodes = fleet.run(slurm, "scontrol", "--oneliner", "show", "nodes");
            assertThat(Files.readAllLines(nodes))
                    .hasSize(4)
                    .allMatch(line -> line.startsWith("NodeName=cn4 ")
                            ? line.contains("Reason=weaklink: something is wrong with the modules; see weaklink audit ")
                            : !line.contains("DRAIN"));
        }
    }

    private void collectInto(Path nodes, SlurmCluster cluster, String... options) throws IOException {
        Path script = RECIPES.resolve("weaklink-collect.sbatch");
        fleet.run(
                cluster.environment(),
                words(new String[] {"sbatch", "--wait", "--nodes=4", script.toString(), nodes.toString()}, options));
    }

    /** Writes the output of weaklink-verdicts for the modules of the nodes. */
    private void judge(SlurmCluster cluster) throws IOException {
        Path nodes = fleet.beside("nodes");
        collectInto(nodes, cluster, "--no-name");
        Path lines = fleet.run(Map.of(), "sh", "-c", "cat " + nodes + "/*.json");
        String verdicts = Fleet.RECIPES.resolve("weaklink-verdicts").toString();
        Path judged = fleet.run(Map.of(), "sh", verdicts, lines.toString());
        assertThat(Files.readAllLines(judged))
                .extracting(line -> line.split(" ", -1)[1])
                .containsExactlyInAnyOrder("ok", "broken");
        Files.move(judged, fleet.beside("verdicts"));
    }

    private static String[] words(String[] first, String... last) {
        return words(first, List.of(last));
    }

    private static String[] words(String[] first, List<String> last) {
        return Stream.concat(Stream.of(first), last.stream()).toArray(String[]::new);
    }
}
