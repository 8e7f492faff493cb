package dev.weaklink.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeSetTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpu7 cn500 cn003 cn001 cn002    | cn[001-003,500],gpu7",
                "cn1 cn1 cn2                     | cn[1-2]",
                "cn9 cn10 cn11                   | cn[9-11]",
                "cn09 cn10 cn99 cn100            | cn[09-10,99-100]",
                "cn098 cn099 cn100               | cn[098-100]",
                "cn1 cn01 cn2                    | cn[1-2,01]",
                "r1n1 r1n2 r2n1 r2n2             | r1n[1-2],r2n[1-2]",
                "r1-ib r2-ib r3-ib               | r[1-3]-ib",
                "r1n7 r2n7                       | r[1-2]n7",
                "login cn1                       | cn1,login",
                "10.0.0.9 10.0.0.10              | 10.0.0.[9-10]",
                "1 2 4                           | [1-2,4]",
                "n0 n00 n1                       | n[0-1,00]",
            })
    void namesFold(String names, String folded) {
        List<String> list = Arrays.asList(names.trim().split(" "));
        assertThat(Nodes.of(list).folded()).isEqualTo(folded);
    }

    @Test
    void emptyListFoldsToEmptyText() {
        assertThat(Nodes.of(List.of()).folded()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cn[001-003,500],gpu7 | cn001 cn002 cn003 cn500 gpu7",
                "cn[8-10]             | cn8 cn9 cn10",
                "cn[1-7/3]            | cn1 cn4 cn7",
                "r[1-2]n[01-02]-ib    | r1n01-ib r1n02-ib r2n01-ib r2n02-ib",
                "cn2,cn1,cn[1-2]      | cn1 cn2",
                "[1-2]                | 1 2",
                "cn[08-11]            | cn08 cn09 cn10 cn11",
                "cn[99999999999999999999] | cn99999999999999999999",
            })
    void expandsSets(String folded, String names) throws UnreadableException {
        assertThat(NodeSet.expand(folded)).containsExactly(names.split(" "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "a,",
                "a[",
                "a[1",
                "a[1-",
                "a[]",
                "a[1-]",
                "a[2-1]",
                "a[1-9/0]",
                "a[001-2]",
                "a]",
                "a b",
                "@all",
                "a*",
                "-rf",
                "a\u001b[31m",
                "a[0-99999999999]",
                "a[0-99999999999999999999]",
                "a[0-999999999999999999]",
                "a[0-9999][0-9999]",
                "a[0-199999],b[0-199999]",
            })
    void refusesInvalidAndHugeSets(String text) {
        assertThatThrownBy(() -> NodeSet.expand(text))
                .isInstanceOf(UnreadableException.class)
                .message()
                .isNotBlank()
                .doesNotContain("\u001b");
    }

    @Test
    void limitsANameTo255Characters() throws UnreadableException {
        String longest = "a".repeat(255);
        assertThat(NodeSet.expand(longest)).containsExactly(longest);
        assertThatThrownBy(() -> NodeSet.expand("a[1-2]" + longest)).isInstanceOf(UnreadableException.class);
    }

    @Test
    void foldsOnlyValidNames() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Nodes.of(List.of("a[1]")).folded());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Nodes.of(List.of("")).folded());
    }

    @Test
    void foldsSetsThatClusterShellReads() throws IOException {
        ExternalTool nodeset = ExternalTool.orSkip("nodeset");
        List<String> names = new ArrayList<>(List.of("gpu7", "login", "r1n2-ib", "r2n2-ib", "n9"));
        for (int i = 1; i <= 412; i++) {
            names.add("cn" + "0".repeat(3 - Integer.toString(i).length()) + i);
        }
        names.add("n10");
        String expanded = nodeset.run("-e", Nodes.of(names).folded()).trim();
        assertThat(expanded.split(" ")).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void readsSetsThatClusterShellFolds() throws IOException {
        ExternalTool nodeset = ExternalTool.orSkip("nodeset");
        List<String> names = List.of("a1-01", "a1-02", "a2-01", "a2-02", "b9", "b10", "b12", "c");
        String folded = nodeset.run(arguments("-f", names)).trim();
        assertThat(NodeSet.expand(folded)).containsExactlyInAnyOrderElementsOf(names);
    }

    private static String[] arguments(String option, List<String> names) {
        List<String> all = new ArrayList<>(List.of(option));
        all.addAll(names);
        return all.toArray(new String[0]);
    }
}
