package dev.weaklink.links;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.ReadOptions;
import dev.weaklink.links.LinkChanges.AppliedPlan;
import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.TransactionListener;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs two applies at once that plan the same links. */
class ConcurrentAppliesTest {
    private static final String OLD = "5.14.0-1.el9";
    private static final String NEW = "5.14.0-2.el9";

    @TempDir
    Path directory;

    private void installKernels() {
        TreeBuilder image = TreeBuilder.in(directory);
        for (String release : List.of(OLD, NEW)) {
            image.module(release, "kernel/own.ko", built("own", release))
                    .symvers(
                            SymversPlace.MODULES_XZ,
                            release,
                            new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                    .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                                    .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5));
        }
        image.module(OLD, "extra/a.ko", built("a", OLD).importing("_printk", 5));
    }

    private static ModuleBuilder built(String name, String release) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
    }

    private AppliedPlan apply(FaultPoint faults, TransactionListener listener) {
        try {
            return new LinkChanges(TransactionSettings.DEFAULT.withFaults(faults))
                    .apply(
                            new PlanRequest(directory, List.of(), ReadOptions.uncached(1)),
                            "weaklink apply",
                            false,
                            listener);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NotDoneException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void secondApplyFindsNothingToDoAndRecordsNothing() throws Exception {
        ExternalTool.orSkip("depmod");
        installKernels();
        CountDownLatch waiting = new CountDownLatch(1);
        CompletableFuture<AppliedPlan> second = new CompletableFuture<>();
        TransactionListener patient = new TransactionListener() {
            @Override
            public void waitingFor(LockFile.Holder holder) {
                waiting.countDown();
            }
        };
        FaultPoint letTheSecondPlan = step -> {
            if (step.equals("before making a transaction's directory")) {
                second.completeAsync(() -> apply(FaultPoint.NONE, patient));
                await(waiting);
            }
        };

        AppliedPlan first = apply(letTheSecondPlan, TransactionListener.NONE);

        assertThat(first.outcome().number()).isEqualTo(1);
        assertThat(second.get(1, TimeUnit.MINUTES).outcome().isNothing()).isTrue();
        assertThat(second.get().planned().plan().changesNothing()).isTrue();
        History history = History.read(Root.of(directory));
        assertThat(history.entries()).hasSize(1);
        HistoryEntry last = history.last();
        assertThat(last).isNotNull();
        assertThat(last.number()).isEqualTo(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
