package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that carries out one transaction, and kills itself at a fault point. The arguments are the image's
 * directory, the number of the fault point (0 for none), and the seconds to wait for the lock.
 */
final class ChildProcess {
    /** The exit status of a process killed by SIGKILL. */
    static final int KILLED = 137;

    private ChildProcess() {}

    public static void main(String... arguments) throws Exception {
        int last = Integer.parseInt(arguments[1]);
        Path directory = Path.of(arguments[0]);
        AtomicInteger reached = new AtomicInteger();
        FaultPoint faults = step -> {
            if (reached.incrementAndGet() == last) {
                Runtime.getRuntime().halt(KILLED);
            }
        };
        TransactionSettings settings = SmallImage.settings(directory)
                .withLockWait(Duration.ofSeconds(Long.parseLong(arguments[2])))
                .withFaults(faults);
        TransactionRunner runner =
                new TransactionRunner(Root.of(directory.resolve("image")), settings, TransactionListener.NONE);
        try {
            TransactionOutcome outcome = runner.run(SmallImage.usual());
            System.out.println("DONE " + outcome.changes().size());
        } catch (NotDoneException e) {
            System.out.println(e.outcome() + " " + e.getMessage());
        }
    }

    static List<String> words(String classPath, Path directory, int last, int wait) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
        words.addAll(List.of("-cp", classPath, ChildProcess.class.getName()));
        words.addAll(List.of(directory.toString(), Integer.toString(last), Integer.toString(wait)));
        return words;
    }

    static String classPath() {
        return System.getProperty("java.class.path");
    }

    static ExternalCommand.Result run(Path directory, int last, int wait) throws IOException {
        return ExternalCommand.of(words(classPath(), directory, last, wait), Duration.ofMinutes(2))
                .run();
    }
}
