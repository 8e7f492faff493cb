package dev.weaklink.realkernel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * A Slurm cluster on this machine: a controller, and a daemon for each node of a fleet, which sees the node's host
 * name. The cluster has its own key, sockets, ports and directories, and does not touch the machine's own Slurm.
 */
final class SlurmCluster implements AutoCloseable {
    private static final String HOST_NAME = "/proc/sys/kernel/hostname";

    private final Deque<Daemon> daemons = new ArrayDeque<>();
    private final Path directory;
    private final Path configuration;

    private SlurmCluster(Path directory) {
        this.directory = directory;
        this.configuration = directory.resolve("slurm.conf");
    }

    /** Starts a cluster with further lines for its slurm.conf; skips the running test if a program is missing. */
    static SlurmCluster start(Fleet fleet, String... settings) throws IOException {
        for (String program : List.of("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol")) {
            ExternalTool.orSkip(program);
        }
        assumeHostNames();
        SlurmCluster cluster = new SlurmCluster(Files.createDirectories(fleet.beside("slurm")));
        try {
            cluster.startAll(settings);
        } catch (IOException | RuntimeException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    private static void assumeHostNames() throws IOException {
        ExternalTool.orSkip("unshare");
        Process probe = new ProcessBuilder("unshare", "--uts", "sh", "-c", "echo cn1 > " + HOST_NAME)
                .redirectErrorStream(true)
                .start();
        probe.getOutputStream().close();
        try {
            probe.getInputStream().readAllBytes();
            assumeTrue(probe.waitFor() == 0, "host names cannot be set here");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** Returns the environment in which Slurm's programs find the cluster. */
    Map<String, String> environment() {
        return Map.of("SLURM_CONF", configuration.toString());
    }

    private void startAll(String... settings) throws IOException {
        // All users must be able to reach the socket of munged.
        for (Path path : List.of(directory.getParent(), directory)) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Path keys = Files.createDirectories(directory.resolve("munge"));
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rwx------"));
        byte[] key = new byte[1024];
        new SecureRandom().nextBytes(key);
        Path keyFile = Files.write(keys.resolve("key"), key);
        Files.setPosixFilePermissions(keyFile, PosixFilePermissions.fromString("r--------"));
        writeConfiguration(settings);
        start(
                "Created socket",
                "munged",
                "--foreground",
                "--key-file=" + keyFile,
                "--socket=" + directory.resolve("munge.socket"),
                "--pid-file=" + keys.resolve("pid"),
                "--seed-file=" + keys.resolve("seed"),
                "--num-threads=1");
        start("Running as primary controller", "slurmctld", "-D", "-f", configuration.toString());
        for (String name : Fleet.NAMES) {
            start(
                    "slurmd started",
                    "unshare",
                    "--uts",
                    "sh",
                    "-c",
                    "echo \"$1\" > " + HOST_NAME + " && exec slurmd -D -N \"$1\" -f \"$2\"",
                    "sh",
                    name,
                    configuration.toString());
        }
    }

    private void start(String ready, String... command) throws IOException {
        daemons.push(Daemon.start(ready, environment(), List.of(command)));
    }

    private void writeConfiguration(String... settings) throws IOException {
        List<Integer> ports = freePorts(1 + Fleet.NAMES.size());
        String user = System.getProperty("user.name");
        List<String> lines = new ArrayList<>(List.of(
                "ClusterName=test",
                "SlurmctldHost=localhost(127.0.0.1)",
                "SlurmctldPort=" + ports.get(0),
                "SlurmUser=" + user,
                "SlurmdUser=" + user,
                "AuthType=auth/munge",
                "AuthInfo=socket=" + directory.resolve("munge.socket"),
                "StateSaveLocation=" + Files.createDirectories(directory.resolve("state")),
                "SlurmdSpoolDir=" + directory + "/spool.%n",
                "SlurmctldPidFile=" + directory + "/slurmctld.pid",
                "SlurmdPidFile=" + directory + "/slurmd.%n.pid",
                "ProctrackType=proctrack/linuxproc",
                "TaskPlugin=task/none",
                "JobAcctGatherType=jobacct_gather/none",
                "AccountingStorageType=accounting_storage/none",
                "MpiDefault=none",
                "SelectType=select/cons_tres",
                "SelectTypeParameters=CR_Core",
                "ReturnToService=2"));
        for (int i = 0; i < Fleet.NAMES.size(); i++) {
            String name = Fleet.NAMES.get(i);
            Files.createDirectories(directory.resolve("spool." + name));
            lines.add("NodeName=" + name + " NodeAddr=127.0.0.1 CPUs=1 Port=" + ports.get(i + 1));
        }
        lines.add("PartitionName=all Nodes=ALL Default=YES");
        lines.addAll(List.of(settings));
        Files.write(configuration, lines);
    }

    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                ServerSocket socket = new ServerSocket(0);
                sockets.add(socket);
                ports.add(socket.getLocalPort());
            }
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
        return ports;
    }

    /** Stops all daemons, the last one first. */
    @Override
    public void close() {
        while (!daemons.isEmpty()) {
            daemons.pop().close();
        }
    }
}
