package dev.weaklink.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weaklink.dist.CollectorRun.Ran;
import dev.weaklink.report.Schemas;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Shells;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the collector on nodes with more modules than it handles at once. */
@Tag("slow")
class CollectorSizeTest {
    private static final String OLD = NodeTree.OLD;
    private static final String NEW = NodeTree.NEW;
    private static final int MOST_TABLES = 300;

    @TempDir
    Path directory;

    private Path root;
    private TreeBuilder tree;

    @BeforeEach
    void makeRoot() throws IOException {
        ExternalTool.orSkip("modinfo");
        ExternalTool.orSkip("modprobe");
        root = Files.createDirectories(directory.resolve("node"));
        tree = TreeBuilder.in(root);
    }

    @Test
    void keepsManyTablesWithTheirModules() throws Exception {
        addNumbered(19);
        for (String shell : Shells.installed()) {
            Ran ran = collect(shell);
            assertThat(withItsOwnTable(ran.json())).as(shell).isEqualTo(19);
            assertThat(ran.json().has("leftOut")).isFalse();
        }
    }

    /** Tests failures to hash one file in each group of eight, and the whole first group. */
    @ParameterizedTest
    @CsvSource(delimiter = '#', quoteCharacter = '`', textBlock = """
          REAL "$@" | grep -v '/dev/fd/5$'                                # 17
          if [ -e '{mark}' ]; then exec REAL "$@"; else touch '{mark}'; fi # 11
          """)
    void reportsOmittedDigestsOfTables(String sha256sum, int hashed) throws Exception {
        addNumbered(19);
        String body = sha256sum.replace("{mark}", directory.resolve("mark").toString());
        CollectorRun run = CollectorRun.in(directory)
                .with(CollectorRun.TOOLS)
                .and("modinfo", "modprobe", "touch")
                .replacing("sha256sum", "case \"$*\" in */dev/fd/4*) ;; *) exec REAL \"$@\" ;; esac\n" + body);
        Ran ran = run.run("dash", "", "--root=" + root);
        assertThat(withItsOwnTable(ran.json())).isEqualTo(hashed);
        assertThat(ran.json().get("leftOut").toString()).isEqualTo("[\"crcs\"]");
        assertThat(Schemas.problems(ran.text())).isEmpty();
    }

    private void addNumbered(int count) {
        for (int i = 0; i < count; i++) {
            ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, "m" + i);
            tree.module(OLD, "extra/m" + i + ".ko", i == 9 ? module : module.importing("kfree", i));
        }
    }

    /**
     * Returns the number of modules with the digest of a symbol table, which must be that of the module's own table.
     */
    private static int withItsOwnTable(JsonNode node) throws Exception {
        int count = 0;
        for (JsonNode module : node.get("modules")) {
            if (module.has("crcs")) {
                int number = Integer.parseInt(module.get("name").asText().substring(1));
                String table = "0x11223344\tmodule_layout\n0x%08x\tkfree\n".formatted(number);
                String without = "0x11223344\tmodule_layout\n";
                assertThat(module.get("crcs").asText())
                        .as(module.get("name").asText())
                        .isEqualTo(CollectorTest.digest((number == 9 ? without : table).getBytes(UTF_8)));
                count++;
            }
        }
        return count;
    }

    @Test
    void omitsAndReportsDigestsOfTooManyTables() throws Exception {
        addDifferent(MOST_TABLES + 1);
        Ran first = collect("dash");
        assertThat(Schemas.problems(first.text())).isEmpty();
        assertThat(first.json().get("leftOut").toString()).isEqualTo("[\"crcs\"]");
        assertThat(first.text()).doesNotContain("\"crcs\":");
        for (String shell : Shells.installed()) {
            assertThat(collect(shell).out()).as(shell).isEqualTo(first.out());
        }
        JsonNode asked = collect("dash", "--crcs").json();
        assertThat(asked.has("leftOut")).isFalse();
        assertThat(asked.get("modules")).hasSize(MOST_TABLES + 1).allMatch(one -> one.has("crcs"));
    }

    @Test
    void countsLinksAndEqualFilesOnce() throws Exception {
        addDifferent(MOST_TABLES);
        tree.module(NEW, "extra/again.ko", different(0));
        tree.weakLink(NEW, "weak-updates/m1.ko", OLD, "extra/m1.ko");
        Ran ran = collect("dash");
        assertThat(ran.json().has("leftOut")).isFalse();
        assertThat(ran.json().get("modules")).hasSize(MOST_TABLES + 2).allMatch(one -> one.has("crcs"));
    }

    @Test
    void listsFourThousandModules() throws Exception {
        assertLists(4000, "dash", List.of());
    }

    @Test
    void listsManyModulesEquallyInEveryShell() throws Exception {
        assertLists(240, "dash", Shells.installed());
    }

    /** Compares the lists without modprobe, which is called for each module and is tested elsewhere. */
    private void assertLists(int count, String shell, List<String> others) throws Exception {
        byte[] file = NodeTree.alpha().build();
        String below = "extra/a directory with a long name/module";
        for (int i = 0; i < count / 2; i++) {
            tree.module(OLD, below + i + ".ko", file, Compression.NONE);
            tree.weakLink(NEW, "weak-updates/module" + i + ".ko", OLD, below + i + ".ko");
        }
        CollectorRun run = CollectorRun.in(directory).with(CollectorRun.TOOLS);
        Ran first = run.run(shell, "", "--root=" + root);
        JsonNode modules = first.json().get("modules");
        assertThat(modules).hasSize(count);
        for (JsonNode module : modules) {
            assertThat(module.get("digest").asText()).isEqualTo(CollectorTest.digest(file));
        }
        for (String other : others) {
            assertThat(run.run(other, "", "--root=" + root).out()).as(other).isEqualTo(first.out());
        }
    }

    private void addDifferent(int count) {
        for (int i = 0; i < count; i++) {
            tree.module(OLD, "extra/m" + i + ".ko", different(i));
        }
    }

    private static ModuleBuilder different(int crc) {
        return ModuleBuilder.typical(Machine.X86_64, "m").importing("kfree", crc);
    }

    private Ran collect(String shell, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.add("--root=" + root);
        return CollectorRun.in(directory).run(shell, "", words.toArray(new String[0]));
    }
}
