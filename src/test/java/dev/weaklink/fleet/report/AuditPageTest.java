package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.testing.AuditReports;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Tests the bytes of the page; other tests open the page in a browser. */
class AuditPageTest {
    private static final String DATA = "<script type=\"application/gzip\" id=\"data\">";

    private static String page(AuditReport report) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        AuditPage.write(report, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static String between(String text, String before, String after) {
        int start = text.indexOf(before) + before.length();
        return text.substring(start, text.indexOf(after, start));
    }

    /** The page lacks the nodes of actions, shortens digests, and lists all modules once. */
    @Test
    void containsTheWholeDocument() throws Exception {
        for (AuditReport report : new AuditReport[] {SampleAudits.small(), SampleAudits.hostile()}) {
            ByteArrayOutputStream written = new ByteArrayOutputStream();
            AuditJson.writeDocument(report, written);
            ObjectMapper mapper = new ObjectMapper();
            JsonNode document = mapper.readTree(written.toByteArray());
            document.get("actions").forEach(action -> ((ObjectNode) action).remove("nodes"));
            document.findParents("srcversion").forEach(module -> {
                String digest = module.path("file").asText();
                ((ObjectNode) module).put("file", digest.substring(7, 23));
            });
            ObjectNode data = (ObjectNode) mapper.readTree(unpacked(between(page(report), DATA, "</script>")));
            JsonNode modules = data.remove("modules");
            data.get("sets").forEach(set -> {
                ArrayNode all = mapper.createArrayNode();
                set.get("modules").forEach(place -> all.add(modules.get(place.asInt())));
                ((ObjectNode) set).set("modules", all);
            });
            assertThat(data).isEqualTo(document);
        }
    }

    @Test
    void titleAnswerAndFirstStepAreReadableWithoutAScript() throws Exception {
        Nodes nodes = Nodes.of(List.of("cn1", "cn2", "cn3"));
        AuditReport report = new AuditReports()
                .nodes(3)
                .target("6.1.0-56")
                .set("6.1.0-54", "<ofed>", "mlx5_core")
                .group(0, nodes, 3)
                .kernel(0, Map.of(NodeState.REBUILD, nodes))
                .action(NodeState.REBUILD, 0, 0, nodes, "weaklink apply --rebuild --kernel 6.1.0-56")
                .build();
        String page = page(report);
        String head = page.substring(page.indexOf("<body>"), page.indexOf("<nav"));
        assertThat(head)
                .contains("<h1>Cluster audit</h1>")
                .contains("3 nodes · 1 module set · 1 kernel<")
                .contains(
                        "<strong>Best kernel: <code class=\"release\">6.1.0-56</code></strong>: 3 nodes after a rebuild")
                .contains("First, for &lt;ofed&gt; on 3 nodes:")
                .contains("<code class=\"command\">clush -w 'cn[1-3]' 'weaklink apply --rebuild --kernel 6.1.0-56'<")
                .doesNotContain("<script");
        assertThat(between(page, "<style>", "</style>")).contains("body:not([data-ready]) > :not(.top)");
    }

    private static byte[] unpacked(String data) throws Exception {
        byte[] packed = Base64.getDecoder().decode(data);
        return new GZIPInputStream(new ByteArrayInputStream(packed)).readAllBytes();
    }

    @Test
    void escapesDataForHtml() throws Exception {
        assertThat(between(page(SampleAudits.hostile()), DATA, "</script>")).matches("[A-Za-z0-9+/=]+");
    }

    @Test
    void staysSmallWithTenThousandSetsOnTwelveKernels() throws Exception {
        assertThat(page(SampleAudits.large(10_000, 12)).length()).isLessThan(15_000_000);
    }

    @Test
    void allowsOnlyItsOwnStyleAndScript() throws Exception {
        String page = page(SampleAudits.small());
        assertThat(page)
                .contains("default-src 'none'; style-src "
                        + digest(between(page, "<style>", "</style>"))
                        + "; script-src "
                        + digest(between(page, "</script>\n<script>", "</script>"))
                        + "; base-uri 'none'; form-action 'none'\"");
    }

    private static String digest(String content) throws Exception {
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
        return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    }

    @Test
    void loadsNothingAndParsesNoMarkup() throws Exception {
        assertThat(page(SampleAudits.small()))
                .doesNotContain("://", "url(", "@import", "innerHTML", "outerHTML", "insertAdjacent")
                .doesNotContain("document.write", "eval(", "new Function");
    }

    @Test
    void writesTheSamePageEachTime() throws Exception {
        assertThat(page(SampleAudits.small())).isEqualTo(page(SampleAudits.small()));
    }
}
