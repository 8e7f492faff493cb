package dev.weaklink.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.ReadOptions;
import dev.weaklink.links.LinkChanges;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.TransactionListener;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A run of weak-modules while another process changes links. The run must decide by the links that the other process
 * leaves.
 */
class ConcurrentDialectsTest {
    private static final String OLD = "5.14.0-1.el9";
    private static final String NEW = "5.14.0-2.el9";

    @TempDir
    Path directory;

    private final CountDownLatch waiting = new CountDownLatch(1);
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    @BeforeEach
    void installKernels() {
        ExternalTool.orSkip("depmod");
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

    /** Runs weak-modules. The first message on standard error shows that the run waits. */
    private int weakModules(FaultPoint faults, String... words) {
        PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8) {
            @Override
            public void flush() {
                super.flush();
                waiting.countDown();
            }
        };
        String list = directory + "/lib/modules/" + OLD + "/extra/a.ko\n";
        StandardStreams streams = new StandardStreams(
                RedHatDialect.NAME,
                new ByteArrayInputStream(list.getBytes(StandardCharsets.UTF_8)),
                new ByteArrayOutputStream(),
                err,
                directory);
        try {
            return new RedHatDialect(streams, TransactionSettings.DEFAULT.withFaults(faults))
                    .run(List.of(String.join(" ", words)
                            .concat(" --no-initramfs --basedir " + directory)
                            .split(" ")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns a fault point that starts the second run when the first has planned, and lets the first continue when the
     * second waits.
     */
    private FaultPoint starting(CompletableFuture<Integer> second, String... words) {
        return step -> {
            if (step.equals("before making a transaction's directory")) {
                second.completeAsync(() -> weakModules(FaultPoint.NONE, words));
                try {
                    assertThat(waiting.await(1, TimeUnit.MINUTES)).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        };
    }

    private boolean isLinked() {
        Path link = directory.resolve("lib/modules/" + NEW + "/weak-updates/a.ko");
        return Files.exists(link, LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void removesLinksOfAnotherProcessWithTheKernel() throws Exception {
        CompletableFuture<Integer> second = new CompletableFuture<>();
        assertThat(weakModules(starting(second, "--remove-kernel", NEW), "--add-modules"))
                .isZero();
        assertThat(second.get(1, TimeUnit.MINUTES)).isZero();
        assertThat(said.toString(StandardCharsets.UTF_8)).contains(" is changing links; waiting for it to finish");
        assertThat(isLinked()).isFalse();
        assertThat(History.read(Root.of(directory)).entries()).hasSize(2);
    }

    @Test
    void removesLinksOfApplyWithTheKernel() throws Exception {
        CompletableFuture<Integer> second = new CompletableFuture<>();
        try {
            new LinkChanges(TransactionSettings.DEFAULT.withFaults(starting(second, "--remove-kernel", NEW)))
                    .apply(
                            new PlanRequest(directory, List.of(), ReadOptions.uncached(1)),
                            "weaklink apply",
                            false,
                            TransactionListener.NONE);
        } catch (NotDoneException e) {
            throw new AssertionError(e);
        }
        assertThat(second.get(1, TimeUnit.MINUTES)).isZero();
        assertThat(isLinked()).isFalse();
        assertThat(History.read(Root.of(directory)).entries()).hasSize(2);
    }

    @Test
    void doesNotRepeatLinksOfAnotherProcess() throws Exception {
        CompletableFuture<Integer> second = new CompletableFuture<>();
        assertThat(weakModules(starting(second, "--add-kernel", NEW), "--add-kernel", NEW))
                .isZero();
        assertThat(second.get(1, TimeUnit.MINUTES)).isZero();
        assertThat(isLinked()).isTrue();
        assertThat(History.read(Root.of(directory)).entries()).hasSize(1);
    }
}
