package dev.weaklink.fleet.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
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

    private static byte[] line(String node, String running) {
        String text = "{\"schema\":\"weaklink.node/1\",\"node\":\"" + node + "\",\"running\":\"" + running
                + "\",\"kernels\":[],\"modules\":[]}";
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
