package dev.weaklink.links.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.links.transaction.HistoryEntry.TransactionState;
import dev.weaklink.links.transaction.TransactionRunner.UndoRequest;
import dev.weaklink.sys.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** Random sequences of transactions, kills and undos, compared with a map from link names to targets. */
class TransactionProperties {
    private static final String FAST_DEPMOD =
            "#!/bin/sh\ncd \"$2/lib/modules/$5\" && cd weak-updates 2>/dev/null && echo * > ../modules.tmp"
                    + " && mv ../modules.tmp ../modules.dep\nexit 0\n";

    /**
     * A wanted change of a link.
     *
     * @param target the number of the new target, 0 to remove the link
     */
    record Wish(String name, int target) {}

    /**
     * A transaction.
     *
     * @param kill the fault point at which the transaction is interrupted, if it has so many
     * @param undo true to undo the transaction afterwards
     */
    record Round(List<Wish> wishes, int kill, boolean undo) {}

    @Provide
    Arbitrary<Round> rounds() {
        Arbitrary<String> names = Arbitraries.of("a.ko", "b.ko", "p/a.ko", "p/b.ko", "p/q/a.ko", "r/s/t/a.ko");
        Arbitrary<List<Wish>> wishes = Combinators.combine(
                        names, Arbitraries.integers().between(0, 2))
                .as(Wish::new)
                .list()
                .uniqueElements(Wish::name)
                .ofMaxSize(5);
        Arbitrary<Integer> kills =
                Arbitraries.oneOf(Arbitraries.just(1000), Arbitraries.integers().between(1, 80));
        return Combinators.combine(wishes, kills, Arbitraries.of(true, false)).as(Round::new);
    }

    @Property(tries = 40)
    void linksAreWhatTheModelSaysAndUndoIsExact(@ForAll @Size(max = 5) List<@From("rounds") Round> rounds)
            throws Exception {
        Path directory = MemoryDirectory.create().toRealPath();
        try {
            SmallImage image = new SmallImage(directory);
            image.depmod(FAST_DEPMOD);
            DurableFiles.deleteTree(image.weakUpdates());
            Map<String, String> model = new TreeMap<>();
            for (Round round : rounds) {
                play(image, round, model);
                assertThat(links(image)).isEqualTo(model);
                assertThat(image.leftovers()).isEmpty();
            }
            undoAll(image);
        } finally {
            DurableFiles.deleteTree(directory);
        }
    }

    private static void play(SmallImage image, Round round, Map<String, String> model) throws Exception {
        SortedMap<String, String> before = image.snapshot();
        LinkTransaction transaction = transaction(round, model);
        try {
            image.runner(TransactionListener.NONE, InterruptedTransaction.at(round.kill))
                    .run(transaction);
        } catch (InterruptedTransaction.Kill e) {
            image.runner().run(transaction);
        }
        HistoryEntry last = image.history().last();
        boolean changed = last != null && !last.changes().isEmpty();
        if (round.undo && changed && !image.snapshot().equals(before)) {
            image.runner().undo(new UndoRequest("undo", last.number(), false, List.of()));
            assertThat(image.snapshot()).isEqualTo(before);
        } else {
            round.wishes.forEach(wish -> fulfil(wish, model));
        }
    }

    private static void fulfil(Wish wish, Map<String, String> model) {
        if (wish.target == 0) {
            model.remove(wish.name);
        } else {
            model.put(wish.name, "/target" + wish.target);
        }
    }

    private static LinkTransaction transaction(Round round, Map<String, String> model) {
        List<Change> changes = new ArrayList<>();
        for (Wish wish : round.wishes) {
            String path = SmallImage.LINKS + wish.name;
            changes.add(
                    wish.target == 0
                            ? new Change.RemoveLink(path, model.getOrDefault(wish.name, "/none"))
                            : new Change.PutLink(path, "/target" + wish.target));
        }
        return new LinkTransaction("random", changes, List.of(SmallImage.NEW), List.of());
    }

    /** Undoes all transactions, the newest first. */
    private static void undoAll(SmallImage image) throws Exception {
        List<HistoryEntry> entries = image.history().entries();
        for (int i = entries.size() - 1; i >= 0; i--) {
            if (entries.get(i).state() == TransactionState.DONE) {
                image.runner().undo(new UndoRequest("undo", entries.get(i).number(), false, List.of()));
            }
        }
        assertThat(image.weakUpdates()).doesNotExist();
    }

    private static Map<String, String> links(SmallImage image) throws IOException {
        Map<String, String> links = new TreeMap<>();
        if (image.weakUpdates().toFile().exists()) {
            for (Map.Entry<String, String> entry :
                    TreeSnapshot.of(image.weakUpdates()).entrySet()) {
                if (!entry.getKey().endsWith("/")) {
                    links.put(entry.getKey(), entry.getValue().substring("link to ".length()));
                }
            }
        }
        return links;
    }
}
