package dev.weaklink.check.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.FindingKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/** Findings written straight into bytes look as Jackson would write them. */
class FindingBytesProperties {
  @Provide
  Arbitrary<List<Finding>> findings() {
    Arbitrary<String> text =
        Arbitraries.oneOf(
            Arbitraries.strings().ofMaxLength(40),
            Arbitraries.strings().withCharRange('\0', '\u00ff').ofMaxLength(40),
            Arbitraries.strings().ascii().ofMaxLength(3000));
    Arbitrary<String> optional = text.injectNull(0.3);
    return Combinators.combine(
            Arbitraries.of(FindingKind.values()),
            Arbitraries.of(Effect.values()),
            optional,
            optional,
            optional,
            optional,
            text)
        .as(
            (kind, effect, symbol, wants, offers, dmesg, detail) ->
                new Finding(kind, effect, wants, symbol, wants, offers, symbol, dmesg, detail))
        .list()
        .ofMaxSize(12);
  }

  @Property
  void theBytesAreJacksons(@ForAll("findings") List<Finding> findings) throws IOException {
    ByteArrayOutputStream ours = new ByteArrayOutputStream();
    try (JsonGenerator json = JsonOutput.open(ours)) {
      json.writeStartObject();
      json.writeFieldName("findings");
      new FindingBytes().write(json, findings);
      json.writeStringField("after", "x");
      json.writeEndObject();
    }

    assertThat(ours.toString(StandardCharsets.US_ASCII)).isEqualTo(byJackson(findings));
  }

  private static String byJackson(List<Finding> findings) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonGenerator json = JsonOutput.open(out)) {
      json.writeStartObject();
      json.writeArrayFieldStart("findings");
      for (Finding finding : findings) {
        json.writeStartObject();
        json.writeStringField("layer", finding.layer().id());
        json.writeStringField("id", finding.kind().id());
        json.writeStringField("effect", finding.effect().id());
        field(json, "errno", finding.errno());
        field(json, "symbol", finding.symbol());
        field(json, "wants", finding.wants());
        field(json, "offers", finding.offers());
        field(json, "exporter", finding.exporter());
        field(json, "dmesg", finding.dmesg());
        field(json, "detail", finding.detail());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeStringField("after", "x");
      json.writeEndObject();
    }
    return out.toString(StandardCharsets.US_ASCII);
  }

  private static void field(JsonGenerator json, String key, @Nullable String value)
      throws IOException {
    if (value != null) {
      json.writeStringField(key, value);
    }
  }
}
