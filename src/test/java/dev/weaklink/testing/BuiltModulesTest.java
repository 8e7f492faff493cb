package dev.weaklink.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the modules in test-fixtures/built have the properties that the README there lists. */
class BuiltModulesTest {
    private static final Path BUILT = Path.of("test-fixtures", "built");
    private static final int LARGEST = 30_000;

    @ParameterizedTest
    @ValueSource(strings = {"oot_a", "oot_b", "oot_g", "oot_h", "oot_p", "oot_w"})
    void everyImportHasARowThatAgreesWithTheModule(String name) throws IOException {
        List<String> rows = Files.readAllLines(BUILT.resolve("demo.symvers")).stream()
                .map(row -> row.substring(0, row.indexOf('\t', 11)))
                .toList();
        List<String> versions = ExternalTool.orSkip("modprobe")
                .run("--dump-modversions", BUILT.resolve(name + ".ko").toString())
                .lines()
                .filter(version -> !version.contains("\toot_"))
                .toList();

        assertThat(versions).isNotEmpty().isSubsetOf(rows);
        assertThat(Files.size(BUILT.resolve(name + ".ko"))).isLessThan(LARGEST);
    }

    @Test
    void findsTheGplOnlySymbolBeforeTheProprietarySymbol() throws IOException {
        assertThat(undefined("oot_g")).containsSubsequence("alloc_workqueue", "oot_p_fn");
    }

    @Test
    void importsOnlyPlainSymbolsInTheProprietaryModule() throws IOException {
        List<String> gplOnly = Files.readAllLines(BUILT.resolve("demo.symvers")).stream()
                .filter(row -> row.contains("\tEXPORT_SYMBOL_GPL\t"))
                .map(row -> row.split("\t", -1)[1])
                .toList();

        assertThat(undefined("oot_h")).contains("oot_p_fn").doesNotContainAnyElementsOf(gplOnly);
    }

    @Test
    void theChangedKernelDiffersInOneCrcAndOneNamespace() throws IOException {
        List<String> rows = Files.readAllLines(BUILT.resolve("demo.symvers"));
        List<String> changed = Files.readAllLines(BUILT.resolve("demo-changed.symvers"));

        assertThat(changed).hasSameSizeAs(rows);
        assertThat(changed.stream().filter(row -> !rows.contains(row)))
                .containsExactly(
                        "0x0badc0de\talloc_workqueue\tvmlinux\tEXPORT_SYMBOL_GPL\t",
                        "0x5d12b280\tdma_buf_get\tvmlinux\tEXPORT_SYMBOL_GPL\tDMA_BUF_CORE");
    }

    private static List<String> undefined(String name) throws IOException {
        String file = BUILT.resolve(name + ".ko").toString();
        return ExternalTool.orSkip("readelf")
                .run("-sW", file)
                .lines()
                .filter(line -> line.contains(" UND ") && !line.endsWith(" UND "))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .toList();
    }
}
