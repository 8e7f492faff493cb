package dev.weaklink.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.audit.AuditReport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What SARIF 2.1.0 demands of a log. */
class AuditSarifTest {
  private static final Set<String> LEVELS = Set.of("none", "note", "warning", "error");

  private static JsonNode run(AuditReport report) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    AuditSarif.write(report, out);
    return run(out);
  }

  /** The one run of a log. */
  static JsonNode run(ByteArrayOutputStream out) throws IOException {
    JsonNode log = new ObjectMapper().readTree(out.toByteArray());
    assertThat(log.get("version").asText()).isEqualTo("2.1.0");
    assertThat(log.get("$schema").asText()).endsWith("sarif-schema-2.1.0.json");
    assertThat(log.get("runs")).hasSize(1);
    return log.get("runs").get(0);
  }

  @Test
  void everyResultHasItsRuleItsWordsAndAPlace() throws IOException {
    for (AuditReport report : List.of(SampleAudits.small(), SampleAudits.hostile())) {
      assertIsSound(run(report));
    }
  }

  /** What the standard demands of results. */
  static void assertIsSound(JsonNode run) {
    JsonNode rules = run.at("/tool/driver/rules");
    assertThat(run.at("/tool/driver/name").asText()).isEqualTo("weaklink");
    assertThat(run.get("results")).isNotEmpty();
    Set<String> identities = new HashSet<>();
    for (JsonNode result : run.get("results")) {
      assertThat(rules.at("/" + result.get("ruleIndex").asInt() + "/id"))
          .isEqualTo(result.get("ruleId"));
      assertThat(result.get("level").asText()).isIn(LEVELS);
      assertThat(result.at("/message/text").asText()).isNotBlank();
      assertThat(result.at("/locations/0/logicalLocations/0/kind").asText()).isEqualTo("module");
      assertThat(identities.add(result.get("partialFingerprints").toString())).isTrue();
      JsonNode uri = result.at("/locations/0/physicalLocation/artifactLocation/uri");
      if (!uri.isMissingNode()) {
        assertThat(URI.create(uri.asText()).isAbsolute()).isFalse();
      }
    }
  }

  @Test
  void aRefusalNamesModuleKernelSymbolFileAndNodes() throws IOException {
    JsonNode result = run(SampleAudits.small()).get("results").get(0);
    assertThat(result.get("ruleId").asText()).isEqualTo("symbol.crc-mismatch");
    assertThat(result.get("level").asText()).isEqualTo("error");
    assertThat(result.at("/message/text").asText())
        .isEqualTo(
            "mlx5_core would be refused by 5.14.0-570.12.1.el9_6.x86_64 (EINVAL);"
                + " mlx5_core: disagrees about version of symbol ether_setup:"
                + " net_device.reg_state became u8 (spelling only); and 3 more");
    assertThat(result.at("/locations/0/physicalLocation/artifactLocation/uri").asText())
        .isEqualTo("lib/modules/5.14.0-503.11.1.el9_5.x86_64/extra/mlx5_core.ko");
    assertThat(result.at("/properties/nodes").asText()).isEqualTo("cn[001-412]");
    assertThat(result.at("/properties/fate").asText()).isEqualTo("rebuild");
  }

  @Test
  void whatIsWrongTodayIsAResultToo() throws IOException {
    assertThat(run(SampleAudits.small()).get("results"))
        .extracting(result -> result.get("ruleId").asText())
        .containsExactly(
            "symbol.crc-mismatch",
            "symbol.crc-mismatch",
            "symbol.crc-mismatch",
            "dangling-link",
            "loaded-differs",
            "userspace.version-missing",
            "userspace.provider-left-over");
  }

  @Test
  void whatCouldNotBeReadIsANotification() throws IOException {
    JsonNode notifications =
        run(SampleAudits.small()).at("/invocations/0/toolExecutionNotifications");
    assertThat(notifications).hasSize(3);
    assertThat(notifications.at("/1/message/text").asText())
        .isEqualTo("no answer (connection refused): 2 nodes: cn[998-999]");
    assertThat(notifications.at("/0/message/text").asText()).endsWith("1 node: oss2");
  }

  @Test
  void aLogHoldsWhatReadersTakeAndCountsTheRestByRule() throws IOException {
    AuditReport report = SampleAudits.large(10_000, 12);
    long refused = report.verdicts().stream().mapToLong(verdict -> verdict.modules().size()).sum();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    AuditSarif.write(report, out);
    assertThat(out.size()).isBetween(5_000_000, 10_000_000);

    JsonNode run = run(out);
    assertIsSound(run);
    int listed = run.get("results").size();
    assertThat(listed).isLessThanOrEqualTo(25_000);
    String rest = (refused - listed) + " symbol.crc-mismatch";
    assertThat(run.at("/invocations/0/toolExecutionNotifications/0/message/text").asText())
        .isEqualTo(
            (refused - listed)
                + " more results do not fit into a SARIF log: "
                + rest
                + "; --format json has all");
  }

  @Test
  void textCannotBePlaceholderNorLink() throws IOException {
    String text = run(SampleAudits.hostile()).at("/results/0/message/text").asText();
    assertThat(text).contains("&amp;{{}}");
    assertThat(run(SampleAudits.small()).toString()).doesNotContain("](");
  }

  @Test
  void pathsBecomeReferences() {
    assertThat(FileUri.relative("/lib/modules/a b/x%.ko")).isEqualTo("lib/modules/a%20b/x%25.ko");
    assertThat(FileUri.relative("//evil:80/\u00e4#?")).isEqualTo("evil%3A80/%C3%A4%23%3F");
    assertThat(FileUri.relative("")).isEmpty();
  }
}
