package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.report.AuditForms.AuditPage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** The page as bytes; what it does in a browser is another test's. */
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

    @Test
    void holdsTheWholeDocument() throws Exception {
        for (AuditReport report : new AuditReport[] {SampleAudits.small(), SampleAudits.hostile()}) {
            ByteArrayOutputStream document = new ByteArrayOutputStream();
            AuditJson.writeDocument(report, document);
            ObjectMapper mapper = new ObjectMapper();
            assertThat(mapper.readTree(unpacked(between(page(report), DATA, "</script>"))))
                    .isEqualTo(mapper.readTree(document.toByteArray()));
        }
    }

    private static byte[] unpacked(String data) throws Exception {
        byte[] packed = Base64.getDecoder().decode(data);
        return new GZIPInputStream(new ByteArrayInputStream(packed)).readAllBytes();
    }

    @Test
    void nothingInTheDataHasAMeaningInHtml() throws Exception {
        assertThat(between(page(SampleAudits.hostile()), DATA, "</script>")).matches("[A-Za-z0-9+/=]+");
    }

    @Test
    void tenThousandSetsOnTwelveKernelsAreOfASizeToSend() throws Exception {
        assertThat(page(SampleAudits.large(10_000, 12)).length()).isLessThan(15_000_000);
    }

    @Test
    void onlyItsOwnStyleAndScriptAreAllowed() throws Exception {
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
    void namesNoOtherPlaceAndParsesNoMarkup() throws Exception {
        assertThat(page(SampleAudits.small()))
                .doesNotContain("://", "url(", "@import", "innerHTML", "outerHTML", "insertAdjacent")
                .doesNotContain("document.write", "eval(", "new Function");
    }

    @Test
    void isTheSameEveryTime() throws Exception {
        assertThat(page(SampleAudits.small())).isEqualTo(page(SampleAudits.small()));
    }
}
