package dev.weaklink.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.sys.Escape;
import dev.weaklink.testing.AuditReports;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** JUnit XML as a parser of XML reads it. */
class AuditJunitTest {
  private static Document parsed(AuditReport report) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    AuditJunit.write(report, out);
    return parsed(out);
  }

  static Document parsed(ByteArrayOutputStream out) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(out.toByteArray()));
  }

  static List<Element> all(Document document, String name) {
    List<Element> elements = new ArrayList<>();
    NodeList nodes = document.getElementsByTagName(name);
    for (int i = 0; i < nodes.getLength(); i++) {
      elements.add((Element) nodes.item(i));
    }
    return elements;
  }

  @Test
  void suitesCountWhatIsInThem() throws Exception {
    Document document = parsed(SampleAudits.small());
    assertThat(all(document, "testsuite"))
        .extracting(suite -> suite.getAttribute("name"))
        .containsExactly(
            "today",
            "kernel 5.14.0-570.12.1.el9_6.x86_64",
            "kernel 5.14.0-570.el9.x86_64",
            "kernel 5.14.0-503.11.1.el9_5.x86_64");
    assertCountsAreRight(document);
  }

  static void assertCountsAreRight(Document document) {
    for (Element suite : all(document, "testsuite")) {
      assertThat(suite.getElementsByTagName("testcase").getLength())
          .isEqualTo(Integer.parseInt(suite.getAttribute("tests")));
      assertThat(suite.getElementsByTagName("failure").getLength())
          .isEqualTo(Integer.parseInt(suite.getAttribute("failures")));
      assertThat(suite.getElementsByTagName("error").getLength())
          .isEqualTo(Integer.parseInt(suite.getAttribute("errors")));
    }
  }

  @Test
  void whatIsRefusedFailsAndWhatIsNotKnownIsAnError() throws Exception {
    Document document = parsed(SampleAudits.small());
    assertThat(all(document, "failure"))
        .extracting(failure -> failure.getAttribute("type"))
        .containsExactly(
            "wrong-today", "loaded-differs", "userspace.version-missing", "rebuild", "blocked");
    assertThat(all(document, "failure").get(3).getTextContent())
        .contains("412 nodes: cn[001-412]")
        .contains("mlx5_core: symbol-crc: mlx5_core: disagrees about version of symbol ether_setup")
        .contains("mlx5_core: and 3 more");
    assertThat(all(document, "error"))
        .extracting(error -> error.getAttribute("type"))
        .containsExactly("missing", "undetermined");
  }

  @Test
  void hostileTextStaysText() throws Exception {
    Document document = parsed(SampleAudits.hostile());
    Element failure = all(document, "failure").get(3);
    String shown = Escape.text(SampleAudits.HOSTILE);
    assertThat(failure.getTextContent()).contains(shown + ": symbol-crc: " + shown);
    assertThat(failure.getAttribute("message")).contains(shown);
    assertThat(all(document, "b")).isEmpty();
  }

  @Test
  void charactersThatXmlDoesNotHaveAreNamed() throws Exception {
    AuditReports audit = new AuditReports().nodes(1).target("\ufffe\uffff\ud83d\ude00");
    assertThat(all(parsed(audit.build()), "testsuite").get(1).getAttribute("name"))
        .isEqualTo("kernel \\ufffe\\uffff\ud83d\ude00");
  }
}
