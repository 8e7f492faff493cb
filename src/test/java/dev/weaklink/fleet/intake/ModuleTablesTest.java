package dev.weaklink.fleet.intake;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModuleTablesTest {
    private static final String VERSIONS = "['0x00000001 a','0x00000002 b']";

    private final ModuleTables tables = new ModuleTables();

    @Test
    void keepsEqualTablesOfDifferentFilesOnce() throws IOException {
        read("{'file':'f1','versions':" + VERSIONS + ",'exports':['0x00000003 c']}");
        read("{'file':'f2','versions':" + VERSIONS + ",'exports':['0x00000003 c']}");

        assertThat(tables.find("f1")).isNotNull().isSameAs(tables.find("f2"));
    }

    @Test
    void tellsTablesApartByVersionsAndExports() throws IOException {
        read("{'file':'f1','versions':" + VERSIONS + ",'exports':['0x00000003 c']}");
        read("{'file':'f2','versions':['0x00000001 a','0x00000003 b'],'exports':['0x00000003 c']}");
        read("{'file':'f3','versions':" + VERSIONS + ",'exports':['0x00000004 c']}");
        read("{'file':'f4','versions':" + VERSIONS + ",'exports':[]}");
        read("{'file':'f5','versions':" + VERSIONS + "}");
        read("{'file':'f6','exports':['0x00000003 c']}");

        assertThat("f1 f2 f3 f4 f5 f6".split(" "))
                .extracting(tables::find)
                .doesNotContainNull()
                .doesNotHaveDuplicates();
    }

    /** The exports of a table are covered by no digest that other nodes report. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'versions':['0x00000001 a','0x00000009 b'],'exports':['0x00000003 c','0x00000004 d']",
                "'versions':" + VERSIONS + ",'exports':['0x00000003 c','0x00000009 d']",
                "'versions':" + VERSIONS + ",'exports':['0x00000003 c']",
            })
    void usesNoTableOfAFileForWhichNodesReportDifferentTables(String other) throws IOException {
        read("{'file':'f'," + other + "}");
        read("{'file':'f','versions':" + VERSIONS + ",'exports':['0x00000003 c','0x00000004 d']}");

        assertThat(tables.isDisputed("f")).isTrue();
        assertThat(tables.find("f")).isNull();
    }

    /** Repeated tables are only compared, so the comparison must find each difference that digests show. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'0x0000000a a'",
                "'0x0000000a a','0x123456789 b','0x00000001 c'",
                "'0x0000000a a','0x123456789 bb'",
                "'0x0000000a a','0x023456789 b'",
                "'0x0000000a a','0x0123456789 b'",
                "'0x0000000A a','0x123456789 b'",
                "'0xa a','0x123456789 b'",
                "'0x0000000a .a','0x123456789 b'",
                "'0x0000000a  a','0x123456789 b'",
                "'0x123456789 b','0x0000000a a'",
                "",
            })
    void findsEachDifferenceOfARepeatedTable(String other) throws IOException {
        String usual = "'versions':['0x0000000a a','0x123456789 b']";
        read("{'file':'f'," + usual + "}");
        read("{'file':'f'," + usual + "}");
        read("{'file':'g','versions':[" + other + "]}");
        read("{'file':'g','versions':[" + other + "]}");
        assertThat(tables.isDisputed("f") || tables.isDisputed("g")).isFalse();

        read("{'file':'f','versions':[" + other + "]}");
        read("{'file':'g'," + usual + "}");
        assertThat(tables.isDisputed("f") && tables.isDisputed("g")).isTrue();
    }

    @Test
    void completesARepeatedTable() throws IOException {
        read("{'file':'f','versions':" + VERSIONS + "}");
        read("{'file':'f','versions':" + VERSIONS + ",'exports':['0x00000003 c']}");
        read("{'file':'f','versions':" + VERSIONS + ",'exports':['0x00000003 c']}");

        ModuleTables.ReportedTable table = tables.find("f");
        assertThat(table).isNotNull();
        assertThat(table.versions().name(1)).isEqualTo("b");
        assertThat(table.crcs()).containsExactly(1, 2);
        assertThat(table.exports().name(0)).isEqualTo("c");
        assertThat(table.exportCrcs()).containsExactly(3);
    }

    @Test
    void acceptsTablesThatLackPartsOrHaveAnotherOrderOfExports() throws IOException {
        read("{'file':'f','exports':[]}");
        read("{'file':'f','versions':" + VERSIONS + "}");
        read("{'file':'f','versions':" + VERSIONS + ",'exports':['0x00000003 c','0x00000004 d']}");
        read("{'file':'f','versions':" + VERSIONS + ",'exports':['0x00000004 d','0x00000003 c']}");

        assertThat(tables.isDisputed("f")).isFalse();
        assertThat(tables.find("f")).isNotNull();
        assertThat(tables.find("f").exports()).isNotNull();
    }

    private void read(String table) throws IOException {
        try (JsonParser json = new JsonFactory().createParser("[" + table.replace('\'', '"') + "]")) {
            json.nextToken();
            tables.read(json);
        }
    }
}
