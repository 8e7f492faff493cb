package dev.weaklink.build;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Cause;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.PackageResult;
import dev.weaklink.rebuild.Step;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads back what {@link ManifestJson} wrote; what is missing is empty. */
public final class ManifestReader {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(16).build())
          .build();

  private ManifestReader() {}

  /** Reads a document; null if it is none. */
  public static @Nullable Manifest read(byte[] document) {
    try (JsonParser json = JSON.createParser(document)) {
      json.nextToken();
      return manifest(object(value(json)));
    } catch (IOException e) {
      return null;
    }
  }

  private static Manifest manifest(Map<String, Object> json) throws IOException {
    List<Step> steps = new ArrayList<>();
    for (Object one : list(json.get("steps"))) {
      Map<String, Object> step = object(one);
      steps.add(new Step("", texts(step.get("words")), strings(step.get("environment")), null));
    }
    List<PackageResult> packages = new ArrayList<>();
    for (Object one : list(json.get("packages"))) {
      Map<String, Object> result = object(one);
      packages.add(
          new PackageResult(
              text(result, "package"), state(text(result, "state")), text(result, "reason")));
    }
    String status = text(json, "status");
    return new Manifest(
        manifestState(text(json, "state")),
        text(json, "version"),
        text(json, "kernel"),
        text(json, "backend"),
        text(json, "reason"),
        strings(json.get("inputs")),
        strings(json.get("digests")),
        steps,
        status.isEmpty() ? null : number(status),
        modules(json.get("before")),
        modules(json.get("modules")),
        texts(json.get("results")),
        texts(json.get("image")),
        packages,
        diagnosis(json.get("failure")));
  }

  private static Manifest.State manifestState(String id) throws IOException {
    for (Manifest.State state : Manifest.State.values()) {
      if (state.id().equals(id)) {
        return state;
      }
    }
    throw new IOException("no state of a run: " + id);
  }

  private static PackageResult.State state(String id) throws IOException {
    for (PackageResult.State state : PackageResult.State.values()) {
      if (state.id().equals(id)) {
        return state;
      }
    }
    throw new IOException("no state of a package: " + id);
  }

  private static int number(String text) throws IOException {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IOException("not a number: " + text, e);
    }
  }

  private static List<BuiltModule> modules(@Nullable Object json) throws IOException {
    List<BuiltModule> modules = new ArrayList<>();
    for (Object one : list(json)) {
      Map<String, Object> module = object(one);
      modules.add(
          new BuiltModule(
              text(module, "module"),
              "",
              text(module, "file"),
              text(module, "vermagic"),
              text(module, "srcversion"),
              List.of(),
              text(module, "signed").equals("true")));
    }
    return modules;
  }

  private static @Nullable Diagnosis diagnosis(@Nullable Object json) throws IOException {
    if (json == null) {
      return null;
    }
    Map<String, Object> failure = object(json);
    Cause cause = Cause.UNKNOWN;
    for (Cause one : Cause.values()) {
      cause = one.id().equals(text(failure, "cause")) ? one : cause;
    }
    return new Diagnosis(
        cause, text(failure, "line"), text(failure, "file"), text(failure, "next"));
  }

  private static String text(Map<String, Object> json, String key) {
    return json.get(key) instanceof String text ? text : "";
  }

  private static List<String> texts(@Nullable Object json) {
    List<String> texts = new ArrayList<>();
    for (Object one : list(json)) {
      texts.add(String.valueOf(one));
    }
    return texts;
  }

  private static Map<String, String> strings(@Nullable Object json) throws IOException {
    Map<String, String> strings = new TreeMap<>();
    object(json).forEach((key, value) -> strings.put(key, String.valueOf(value)));
    return strings;
  }

  private static List<?> list(@Nullable Object json) {
    return json instanceof List<?> list ? list : List.of();
  }

  private static Map<String, Object> object(@Nullable Object json) throws IOException {
    if (!(json instanceof Map<?, ?> map)) {
      throw new IOException("not an object");
    }
    Map<String, Object> object = new LinkedHashMap<>();
    map.forEach((key, value) -> object.put(String.valueOf(key), value));
    return object;
  }

  /** A map, a list, or the text of anything else. */
  private static Object value(JsonParser json) throws IOException {
    JsonToken token = json.currentToken();
    if (token == JsonToken.START_OBJECT) {
      Map<String, Object> object = new LinkedHashMap<>();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String key = json.currentName();
        json.nextToken();
        object.put(key, value(json));
      }
      return object;
    }
    if (token == JsonToken.START_ARRAY) {
      List<Object> list = new ArrayList<>();
      while (json.nextToken() != JsonToken.END_ARRAY) {
        if (json.currentToken() == null) {
          throw new IOException("truncated");
        }
        list.add(value(json));
      }
      return list;
    }
    if (token == null) {
      throw new IOException("truncated");
    }
    return json.getText();
  }
}
