package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.report.Schemas;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the causes of changed CRCs with the types of real kernels. */
class ExplainIT {
    private final RealKernels kernels = RealKernels.atDefault();

    private Kernel kernel(String release) {
        Optional<Kernel> kernel = kernels.find(release);
        if (kernel.isEmpty()) {
            Report.say("KERNEL GONE: " + release + ": no cause is looked for");
        }
        assumeThat(kernel).isPresent();
        return kernel.orElseThrow();
    }

    private JsonNode diff(Kernel from, Kernel to) throws IOException {
        WeaklinkRunner.Run run = WeaklinkRunner.run(
                List.of("diff", from.modules().toString(), to.modules().toString(), "--format", "json"));
        String document = String.join("\n", run.stdout());
        assertThat(Schemas.problems(document)).isEmpty();
        return new ObjectMapper().readTree(document);
    }

    /** Checks laws that hold for any pair of kernels: every changed CRC has a line, and an equal CRC has none. */
    @ParameterizedTest
    @CsvSource({
        "6.1.0-53-amd64,6.1.0-54-amd64",
        "6.1.0-55-amd64,6.1.0-56-amd64",
        "6.12.115+deb12-amd64,6.12.117+deb12-amd64"
    })
    void everyChangedCrcHasALineAndMostHaveACause(String older, String newer) throws IOException {
        Kernel from = kernel(older);
        Kernel to = kernel(newer);
        JsonNode diff = diff(from, to);
        int explained = diff.get("explained").asInt();
        int changed = diff.get("changed").size();
        Report.say(older
                + " -> "
                + newer
                + ": "
                + explained
                + " of "
                + changed
                + " changed CRCs explained by "
                + diff.get("causes").size()
                + " changes");
        Map<String, Long> olds = from.crcs();
        Map<String, Long> news = to.crcs();
        Set<String> expected = new TreeSet<>();
        olds.forEach((symbol, crc) -> {
            if (news.containsKey(symbol) && !news.get(symbol).equals(crc)) {
                expected.add(symbol);
            }
        });
        Set<String> named = new TreeSet<>();
        for (JsonNode symbol : diff.get("changed")) {
            String name = symbol.get("symbol").asText();
            named.add(name);
            JsonNode crc = symbol.get("crc");
            assertThat(Long.decode(crc.get("from").asText())).isEqualTo(olds.get(name));
            assertThat(Long.decode(crc.get("to").asText())).isEqualTo(news.get(name));
        }
        assertThat(named).isEqualTo(expected);
        assertThat(explained).isGreaterThanOrEqualTo((int) (changed * 0.95));
    }

    @Test
    void kernelDoesNotDifferFromItself() throws IOException {
        Kernel kernel = kernel("6.1.0-54-amd64");
        JsonNode diff = diff(kernel, kernel);
        assertThat(diff.get("changed")).isEmpty();
        assertThat(diff.get("exports")).isEmpty();
        assertThat(diff.get("compared").asInt()).isGreaterThan(20_000);
    }

    /** Expects exactly the changes that genksyms itself found in vmlinux. */
    @Test
    void theCausesOfAKnownPairAreNamed() throws IOException {
        Set<String> causes = new TreeSet<>();
        for (JsonNode symbol :
                diff(kernel("6.1.0-53-amd64"), kernel("6.1.0-54-amd64")).get("changed")) {
            if (symbol.get("owner").asText().equals("vmlinux") && symbol.has("cause")) {
                causes.add(symbol.get("cause").get("name").asText());
            }
        }
        assertThat(causes)
                .containsExactlyInAnyOrder(
                        "net_device",
                        "dst_entry",
                        "devlink_port",
                        "tty_operations",
                        "bpf_func_proto",
                        "inet_connection_sock_af_ops",
                        "tcp_v4_syn_recv_sock",
                        "mbox_chan",
                        "ib_device_ops",
                        "inet_peer");
    }
}
