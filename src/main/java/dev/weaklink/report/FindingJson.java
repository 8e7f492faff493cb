package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.SerializedString;
import dev.weaklink.load.Finding;
import dev.weaklink.load.Layer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A finding as JSON. Keys and words are encoded once, because the check of a distribution kernel
 * has tens of thousands of findings.
 */
final class FindingJson {
  private static final SerializableString LAYER = new SerializedString("layer");
  private static final SerializableString EFFECT = new SerializedString("effect");
  private static final SerializableString ERRNO = new SerializedString("errno");
  private static final SerializableString SYMBOL = new SerializedString("symbol");
  private static final SerializableString WANTS = new SerializedString("wants");
  private static final SerializableString OFFERS = new SerializedString("offers");
  private static final SerializableString EXPORTER = new SerializedString("exporter");
  private static final SerializableString DMESG = new SerializedString("dmesg");
  private static final SerializableString DETAIL = new SerializedString("detail");
  private static final SerializableString[] LAYERS = new SerializableString[Layer.values().length];
  private static final SerializableString[] EFFECTS =
      new SerializableString[Finding.Effect.values().length];

  static {
    for (Layer layer : Layer.values()) {
      LAYERS[layer.ordinal()] = new SerializedString(layer.id());
    }
    for (Finding.Effect effect : Finding.Effect.values()) {
      EFFECTS[effect.ordinal()] = new SerializedString(effect.id());
    }
  }

  private FindingJson() {}

  static void write(JsonGenerator json, Finding finding) throws IOException {
    json.writeStartObject();
    json.writeFieldName(LAYER);
    json.writeString(word(finding.layer()));
    json.writeFieldName(EFFECT);
    json.writeString(word(finding.effect()));
    optional(json, ERRNO, finding.errno());
    optional(json, SYMBOL, finding.symbol());
    optional(json, WANTS, finding.wants());
    optional(json, OFFERS, finding.offers());
    optional(json, EXPORTER, finding.exporter());
    optional(json, DMESG, finding.dmesg());
    json.writeFieldName(DETAIL);
    json.writeString(finding.detail());
    json.writeEndObject();
  }

  private static void optional(JsonGenerator json, SerializableString key, @Nullable String value)
      throws IOException {
    if (value != null) {
      json.writeFieldName(key);
      json.writeString(value);
    }
  }

  private static SerializableString word(Layer layer) {
    return LAYERS[layer.ordinal()];
  }

  private static SerializableString word(Finding.Effect effect) {
    return EFFECTS[effect.ordinal()];
  }
}
