package dev.weaklink.fleet.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineCacheTest {
    /** Tests a cache with room for the whole line, and a cache with room for its digest only. */
    @ParameterizedTest
    @ValueSource(longs = {1 << 20, 0})
    void findsEqualLinesOfOtherNodes(long maxKept) throws Exception {
        LineCache cache = new LineCache(maxKept);
        byte[] first = line("cn1", "6.1.0");
        NodeLine parsed = NodeLine.parse(first, 0, first.length, new ModuleTables());
        cache.keep(first, 0, first.length, parsed);

        byte[] alike = line("cn20", "6.1.0");
        NodeLine found = cache.find(alike, 0, alike.length);
        assertThat(found).isNotNull();
        assertThat(found.node()).isEqualTo("cn20");
        assertThat(found.end()).isEqualTo(alike.length);
        assertThat(found.inventory()).isSameAs(parsed.inventory());

        byte[] other = line("cn1", "6.1.1");
        assertThat(cache.find(other, 0, other.length)).isNull();
    }

    /** Lines that no node has repeated become digests first; all lines are still found. */
    @ParameterizedTest
    @ValueSource(longs = {0, 60, 150, 250, 400, 1 << 20})
    void findsAllLinesWhateverRoomThereIs(long maxKept) throws Exception {
        LineCache cache = new LineCache(maxKept);
        List<NodeLine> parsed = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            byte[] first = line("cn1", "6.1." + i);
            NodeLine line = NodeLine.parse(first, 0, first.length, new ModuleTables());
            cache.keep(first, 0, first.length, line);
            parsed.add(line);
            for (int known = 0; known <= i; known += 1 + i % 3) {
                byte[] alike = line("cn" + i, "6.1." + known);
                NodeLine found = cache.find(alike, 0, alike.length);
                assertThat(found).isNotNull();
                assertThat(found.inventory()).isSameAs(parsed.get(known).inventory());
            }
            byte[] other = line("cn1", "6.2." + i);
            assertThat(cache.find(other, 0, other.length)).isNull();
        }
    }

    private static byte[] line(String node, String running) {
        String text = "{\"schema\":\"weaklink.node/1\",\"node\":\"" + node + "\",\"running\":\"" + running
                + "\",\"kernels\":[],\"modules\":[]}";
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
