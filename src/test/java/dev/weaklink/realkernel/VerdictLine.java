package dev.weaklink.realkernel;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A line of {@code --format ndjson}. */
record VerdictLine(
        String module,
        String file,
        String verdict,
        @Nullable String errno,
        List<FindingLine> findings,
        List<String> unchecked) {

    /** An entry of {@code findings}. */
    record FindingLine(
            String layer,
            String effect,
            @Nullable String symbol,
            @Nullable String dmesg,
            @Nullable String detail) {
        boolean refuses() {
            return effect.equals("refuses");
        }

        boolean unproven() {
            return effect.equals("unproven");
        }
    }

    private static final JsonFactory JSON = new JsonFactory();

    /** Parses a line; throws an AssertionError if the line is invalid. */
    static VerdictLine parse(String line) {
        try (JsonParser parser = JSON.createParser(line)) {
            parser.nextToken();
            Object value = value(parser);
            if (!(value instanceof Map<?, ?> map) || !"weaklink.verdict/1".equals(map.get("schema"))) {
                throw new AssertionError("not a verdict: " + line);
            }
            return verdict(map);
        } catch (IOException e) {
            throw new UncheckedIOException("not JSON: " + line, e);
        }
    }

    boolean loads() {
        return errno == null && verdict.equals("COMPATIBLE");
    }

    boolean incompatible() {
        return verdict.equals("INCOMPATIBLE");
    }

    /** Returns the name of the file without its directory. */
    String fileName() {
        return String.valueOf(Path.of(file).getFileName());
    }

    List<FindingLine> refusals() {
        return findings.stream().filter(FindingLine::refuses).toList();
    }

    /** Returns the symbols of refusing findings on these layers. */
    Set<String> refusedSymbols(Set<String> layers) {
        Set<String> symbols = new TreeSet<>();
        for (FindingLine finding : refusals()) {
            if (layers.contains(finding.layer()) && finding.symbol() != null) {
                symbols.add(finding.symbol());
            }
        }
        return symbols;
    }

    private static VerdictLine verdict(Map<?, ?> map) {
        List<FindingLine> findings = new ArrayList<>();
        for (Object finding : list(map, "findings")) {
            findings.add(finding((Map<?, ?>) finding));
        }
        List<String> unchecked =
                list(map, "unchecked").stream().map(String::valueOf).toList();
        return new VerdictLine(
                required(map, "module"),
                required(map, "file"),
                required(map, "verdict"),
                (String) map.get("errno"),
                List.copyOf(findings),
                unchecked);
    }

    private static FindingLine finding(Map<?, ?> map) {
        return new FindingLine(
                required(map, "layer"),
                required(map, "effect"),
                (String) map.get("symbol"),
                (String) map.get("dmesg"),
                (String) map.get("detail"));
    }

    private static String required(Map<?, ?> map, String key) {
        if (!(map.get(key) instanceof String text)) {
            throw new AssertionError("no " + key + " in " + map);
        }
        return text;
    }

    private static List<?> list(Map<?, ?> map, String key) {
        return map.get(key) instanceof List<?> list ? list : List.of();
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, Object> map = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String key = parser.currentName();
                    parser.nextToken();
                    map.put(key, value(parser));
                }
                yield map;
            }
            case START_ARRAY -> {
                List<Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    list.add(value(parser));
                }
                yield list;
            }
            case VALUE_NULL -> null;
            default -> parser.getText();
        };
    }
}
