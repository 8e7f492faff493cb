package dev.weaklink.check.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.Samples;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.InputProblem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class CheckJsonTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @Test
    void writesTheKeysOfAVerdictInOrder() throws IOException {
        Verdict verdict = new Verdict(
                KernelModule.unread(new Origin("kmod-mlx.rpm", "lib/modules/mlx5_core.ko")),
                Samples.KERNEL,
                Outcome.INCOMPATIBLE,
                "EINVAL",
                List.of(Samples.changed("mlx5_core", "ether_setup")),
                List.of(new Provider("mlxfw", "extra/mlxfw.ko", true)),
                List.of("signature"),
                List.of("missing-version"));

        assertThat(lines(Samples.report(verdict)).get(1))
                .isEqualTo("{\"schema\":\"weaklink.verdict/1\",\"module\":\"mlx5_core\","
                        + "\"file\":\"kmod-mlx.rpm\",\"member\":\"lib/modules/mlx5_core.ko\","
                        + "\"target\":\"6.1.0-54-amd64\",\"verdict\":\"INCOMPATIBLE\",\"errno\":\"EINVAL\","
                        + "\"findings\":[{\"layer\":\"symbol-crc\",\"id\":\"symbol.crc-mismatch\",\"effect\":\"refuses\","
                        + "\"errno\":\"EINVAL\",\"symbol\":\"ether_setup\",\"wants\":\"0x1a2b3c4d\","
                        + "\"offers\":\"0x99aabbcc\",\"exporter\":\"vmlinux\","
                        + "\"dmesg\":\"mlx5_core: disagrees about version of symbol ether_setup\","
                        + "\"detail\":\"symbol version (CRC) mismatch\"}],"
                        + "\"providers\":[{\"module\":\"mlxfw\",\"file\":\"extra/mlxfw.ko\","
                        + "\"given\":true}],"
                        + "\"unchecked\":[\"signature\"],\"assumed\":[\"missing-version\"]}");
    }

    @Test
    void verdictContainsTheFactsOfThePackage() throws IOException {
        Origin.Owner owner = new Origin.Owner("rpm", "kmod-mlx", "5.8-1", "mlnx-ofa_kernel");
        Origin origin = new Origin("a.rpm", "/lib/modules/mlx5_core.ko", owner);
        Verdict verdict = new Verdict(
                KernelModule.unread(origin),
                Samples.KERNEL,
                Outcome.COMPATIBLE,
                null,
                List.of(),
                List.of(),
                List.of(),
                List.of());

        assertThat(lines(Samples.report(verdict)).get(1))
                .contains("\"member\":\"/lib/modules/mlx5_core.ko\",\"package\":{\"kind\":\"rpm\","
                        + "\"name\":\"kmod-mlx\",\"version\":\"5.8-1\","
                        + "\"product\":\"mlnx-ofa_kernel\"},\"target\"");
    }

    @Test
    void keysWithoutAValueAreLeftOut() throws IOException {
        JsonNode verdict =
                MAPPER.readTree(lines(Samples.report(Samples.compatible("a"))).get(1));

        assertThat(verdict.has("errno")).isFalse();
        assertThat(verdict.has("member")).isFalse();
        assertThat(verdict.get("findings")).isEmpty();
    }

    @Test
    void targetLineListsAssumedRules() throws IOException {
        CheckReport report = new CheckReport(List.of(Samples.target(LoaderRule.MISSING_VERSION)), List.of(), List.of());

        JsonNode target = MAPPER.readTree(lines(report).get(0));

        assertThat(target.at("/schema").asText()).isEqualTo("weaklink.target/1");
        assertThat(target.at("/kind").asText()).isEqualTo("installed-kernel");
        assertThat(target.at("/rules/missing-version/assumed").asBoolean()).isTrue();
        assertThat(target.at("/rules/missing-version/evidence").asText()).isEqualTo("usual for the version");
        assertThat(target.at("/rules/modversions/assumed").asBoolean()).isFalse();
        assertThat(target.at("/rules")).hasSize(LoaderRule.values().length);
    }

    @Test
    void summaryComesLastAndCounts() throws IOException {
        CheckReport report = new CheckReport(
                List.of(Samples.target()),
                List.of(
                        Samples.compatible("a"),
                        Samples.refused("b", "EINVAL", Samples.changed("b", "fput")),
                        Samples.compatible("c"),
                        Samples.undetermined("d")),
                List.of(new InputProblem("x", "no such file")));

        List<String> lines = lines(report);

        assertThat(lines.get(5))
                .isEqualTo("{\"schema\":\"weaklink.problem/1\",\"subject\":\"x\",\"message\":\"no such file\"}");
        assertThat(lines.get(6))
                .isEqualTo("{\"schema\":\"weaklink.summary/1\",\"targets\":1,\"verdicts\":4,\"compatible\":2,"
                        + "\"incompatible\":1,\"undetermined\":1,\"problems\":1,\"exitCode\":1}");
        assertThat(lines).hasSize(7);
    }

    @Test
    void namesOfAnyBytesAreValidAsciiJson() throws IOException {
        String hostile = "a\u001b[31m\u0000\"\\\n\u00ff\ud800\u202e";
        CheckReport report = Samples.report(Samples.refused("b", "EINVAL", Samples.missing("b", hostile)));

        String line = lines(report).get(1);

        assertThat(line.chars()).allMatch(c -> c >= ' ' && c < 127);
        assertThat(MAPPER.readTree(line).at("/findings/0/symbol").asText()).isEqualTo(hostile);
    }

    @Test
    void documentContainsTheSameObjectsAsTheLines() throws IOException {
        CheckReport report = new CheckReport(
                List.of(Samples.target()),
                List.of(Samples.compatible("a"), Samples.undetermined("b")),
                List.of(new InputProblem("x", "no such file")));
        List<String> lines = lines(report);

        JsonNode document = MAPPER.readTree(document(report));

        assertThat(document.get("schema").asText()).isEqualTo("weaklink.check/1");
        assertThat(document.at("/targets/0")).isEqualTo(MAPPER.readTree(lines.get(0)));
        assertThat(document.at("/verdicts/0")).isEqualTo(MAPPER.readTree(lines.get(1)));
        assertThat(document.at("/verdicts/1")).isEqualTo(MAPPER.readTree(lines.get(2)));
        assertThat(document.at("/problems/0")).isEqualTo(MAPPER.readTree(lines.get(3)));
        assertThat(document.at("/summary")).isEqualTo(MAPPER.readTree(lines.get(4)));
    }

    @Test
    void writesADocumentForAnEmptyReport() throws IOException {
        JsonNode document = MAPPER.readTree(document(new CheckReport(List.of(), List.of(), List.of())));

        assertThat(document.at("/verdicts").isArray()).isTrue();
        assertThat(document.at("/summary/exitCode").asInt()).isEqualTo(2);
    }

    private static List<String> lines(CheckReport report) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CheckJson.writeLines(report, null, out, 2);
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(text).endsWith("}\n");
        return text.lines().toList();
    }

    private static String document(CheckReport report) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CheckJson.writeDocument(report, null, out);
        return out.toString(StandardCharsets.UTF_8);
    }
}
