package dev.weaklink.standin;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A run of the stand-in in its own process group. */
final class StandInProcess implements AutoCloseable {
    private final Process process;
    private final Path output;
    private final String word;

    private StandInProcess(Process process, Path output, String word) {
        this.process = process;
        this.output = output;
        this.word = word;
    }

    /**
     * Starts a run and waits until its fault has written to STANDIN_READY.
     *
     * @param scratch the directory for the FIFO and the output
     */
    static StandInProcess ready(StandInImage image, Map<String, String> switches, Path scratch, String... arguments)
            throws IOException {
        ExternalTool.orSkip("setsid");
        ExternalTool.orSkip("kill");
        Path ready = scratch.resolve("ready");
        ExternalTool.orSkip("mkfifo").run(ready.toString());
        Map<String, String> all = new HashMap<>(switches);
        all.put("STANDIN_READY", ready.toString());
        List<String> command = new ArrayList<>(List.of(
                "setsid", "env", "--default-signal=INT,TERM,HUP", image.script().toString()));
        command.addAll(List.of(arguments));
        Path output = scratch.resolve("output");
        Process process = StandInRun.builder(command, all)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new StandInProcess(process, output, Files.readString(ready).strip());
    }

    /** Returns the process id that the fault has written. */
    long reportedPid() {
        return Long.parseLong(word);
    }

    /** Sends a signal to the whole process group. */
    void signal(String signal) throws IOException {
        ExternalTool.orSkip("kill").run("-" + signal, "--", "-" + process.pid());
    }

    /** Sends a signal to the whole process group, and waits for the end of the script. */
    StandInRun signalGroup(String signal) throws IOException {
        signal(signal);
        return ended();
    }

    /** Returns the number of processes that are left in the process group. */
    int left() throws IOException {
        int left = 0;
        String group = Long.toString(process.pid());
        for (ProcessHandle handle : ProcessHandle.allProcesses().toList()) {
            Path stat = Path.of("/proc", Long.toString(handle.pid()), "stat");
            if (Files.exists(stat) && group.equals(groupOf(stat))) {
                left++;
            }
        }
        return left;
    }

    @Override
    public void close() throws IOException {
        if (left() > 0) {
            signalGroup("KILL");
        }
    }

    StandInRun ended() throws IOException {
        try {
            int exitCode = process.waitFor();
            return new StandInRun(exitCode, Files.readString(output), "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for the stand-in", e);
        }
    }

    /** Returns the process group in the file stat of proc(5): the third field after the name in parentheses. */
    private static String groupOf(Path stat) {
        try {
            String text = Files.readString(stat);
            return text.substring(text.lastIndexOf(')') + 2).split(" ", 4)[2];
        } catch (IOException e) {
            return "none: it has ended";
        }
    }
}
