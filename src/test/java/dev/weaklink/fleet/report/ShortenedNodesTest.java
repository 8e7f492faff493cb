package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.fleet.Nodes;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.UnreadableException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShortenedNodesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a1,b2,c3 | 0 | a1,b2,c3",
                "cn[1-4000] | 30 | cn[1-4000]",
                "cn[1-40,42,44,46,48,50,52,54,56,58].site | 20 | cn[1-40,42,44,46,48,50,52,54,56,58].site",
                "cn[1-40,42,44,46,48,50,52,54,56,58,60].site | 20 | cn[1-40,42,44,46].site … and 7 more (-v)",
                "a1,bb,cc,dd,ee,ff,gg,hh,ii,jj,kk,ll,mm,nn | 10 | a1,bb,cc,dd,ee … and 9 more (-v)",
                "anotherverylongnameofanode,averylongnameofanode | 30 | anotherverylongnameofanode … and 1 more (-v)",
                "averylongnameofanode,b | 40 | averylongnameofanode,b",
                "worker-0017.rack-12.example.com | 40 | worker-0017.rack-12.example.com",
                "cn[100001-124000] | 44 | cn[100001-124000]",
                "cn[100001-100002,100004-124000].site | 44 | cn[100001-100002,100004-124000].site",
            })
    void countsTheOmittedNodes(String folded, int before, String shown) throws UnreadableException {
        Nodes nodes = Nodes.parse(folded);
        TableOptions narrow = new TableOptions(46, false, false);
        assertThat(new ShortenedNodes(narrow).text(nodes, before)).isEqualTo(shown);
        TableOptions verbose = new TableOptions(46, false, true);
        assertThat(new ShortenedNodes(verbose).text(nodes, before)).isEqualTo(nodes.folded());
    }
}
