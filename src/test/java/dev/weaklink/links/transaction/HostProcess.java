package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.TransactionRunner.UndoRequest;
import dev.weaklink.sys.Root;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A process that carries out a transaction on the running system itself and undoes it. The caller must run it in a
 * private mount namespace.
 */
final class HostProcess {
    private HostProcess() {}

    public static void main(String... arguments) throws Exception {
        TransactionRunner runner =
                new TransactionRunner(Root.HOST, TransactionSettings.DEFAULT, TransactionListener.NONE);
        runner.run(RealDepmodTest.links("/lib/modules"));
        Files.copy(Path.of("/lib/modules", SmallImage.NEW, "modules.dep"), System.out);
        runner.undo(new UndoRequest("undo", 1, false, List.of()));
        System.out.println("undone");
    }
}
