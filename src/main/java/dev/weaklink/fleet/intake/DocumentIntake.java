package dev.weaklink.fleet.intake;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import dev.weaklink.fleet.NodeSet;
import dev.weaklink.fleet.intake.MissingNodes.Failure;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.UnreadableException.UnreadableKind;
import java.io.CharConversionException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A reader of one JSON document on one or several lines: the output of Ansible (json callback, option --tree) or Salt
 * (json outputter), the result of one host, or a reformatted inventory.
 *
 * @param fallback the node's name if nothing else names the node, or null
 * @param isCertain whether the transport program, and not a node, printed the names in this document
 */
record DocumentIntake(
        NodeCollector collector, LineReader lines, @Nullable String fallback, boolean isCertain) {
    /** The message of Ansible that only repeats that the exit code is not zero. */
    static final String OF_CODE = "non-zero return code";

    /** Salt's message for a host that did not answer; Salt may also print the value false. */
    private static final String NO_RETURN = "Minion did not return";

    private static final Failure NO_INVENTORY = Failure.of("printed no inventory");

    /** The keys of Ansible's and Salt's results; every result contains at least one of them. */
    private static final Set<String> RESULT_KEYS = Set.of(
            "stdout", "stderr", "msg", "rc", "changed", "failed", "unreachable", "ret", "retcode", "module_stdout");

    /**
     * The maximum number of messages that wait until the whole object is read. An object with more messages is
     * certainly about several hosts.
     */
    private static final int MAX_RESULT_KEYS = 4096;

    /** The maximum depth of nesting: ten times Python's own limit, so more than Ansible can print. */
    private static final int MAX_DEPTH = 10_000;

    /**
     * The factory of parsers. The parsers cache no keys, because most keys are names of nodes. Their limits are high,
     * so that the large data of one node does not make the rest of the document unreadable.
     */
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(LineReader.MAX_LENGTH)
                    .maxNameLength(LineReader.MAX_LENGTH)
                    .maxNumberLength(LineReader.MAX_LENGTH)
                    .maxNestingDepth(MAX_DEPTH)
                    .build())
            .build();

    void read(int from, String host) throws IOException {
        read(from, host, List.of());
    }

    /**
     * Reads the object that starts at an offset in the current line. If the JSON is damaged in a later line, the caller
     * reads that line again separately.
     *
     * @param block the nodes whose inventory the object is; if empty, the object may also contain the results of hosts
     */
    void read(int from, List<String> block) throws IOException {
        read(from, null, block);
    }

    private void read(int from, @Nullable String host, List<String> block) throws IOException {
        long first = lines.number();
        String damage;
        try (JsonParser json = JSON.createParser(lines.document(from))) {
            json.nextToken();
            if (host == null) {
                readObject(json, block);
            } else {
                readHost(host, json);
            }
            return;
        } catch (StreamConstraintsException e) {
            damage = NodeLine.BEYOND_LIMITS;
        } catch (JsonProcessingException e) {
            damage = "truncated or not JSON";
        } catch (CharConversionException e) {
            damage = "not valid UTF-8";
        }
        collector.problem(lines.number(), (host == null ? "" : "node " + host + ": ") + damage);
        collector.missing().add(host == null ? block : List.of(host), Failure.DAMAGED, true);
        if (lines.number() != first) {
            lines.again();
        }
    }

    private void readObject(JsonParser json, List<String> block) throws IOException {
        long start = json.currentTokenLocation().getByteOffset();
        InventoryDraft draft = new InventoryDraft(collector.tables());
        Hosts hosts = new Hosts();
        try {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String key = json.currentName();
                json.nextToken();
                if (block.isEmpty() && draft.isOther(key)) {
                    hosts.read(key, json);
                } else if (!draft.take(key, json)) {
                    json.skipChildren();
                }
            }
            if (!hosts.finish()) {
                long length = json.currentLocation().getByteOffset() - start - draft.tableLength();
                NodeLine node = new NodeLine(draft.node(), draft.finish(), (int) length, 0);
                collector.accept(node, block, isCertain, fallback, lines.number());
            }
        } catch (UnreadableException e) {
            if (e.kind() != UnreadableKind.CONTENTS) {
                throw e; // the input itself can no longer be read
            }
            collector.damaged(block, e, lines.number());
            while (!json.getParsingContext().inRoot() && json.nextToken() != null) {
                // Skip the rest of the object.
            }
        }
    }

    private final class Hosts {
        private final JsonScalars own = new JsonScalars();

        private final Map<String, Failure> said = new LinkedHashMap<>();

        private int keys;

        /** Tells whether the object is known to be about hosts. */
        private boolean any;

        void read(String key, JsonParser json) throws IOException {
            keys++;
            JsonToken token = json.currentToken();
            if (key.equals("plays") || key.equals("hosts")) {
                any = true;
                readResults(key, json);
            } else if (RESULT_KEYS.contains(key)) {
                own.take(key, json, collector.tables().pool());
            } else if (!NodeSet.isName(key)) {
                json.skipChildren();
            } else if (token == JsonToken.START_OBJECT) {
                JsonScalars result = item(json);
                if (result.hasAny(RESULT_KEYS)) {
                    any = true;
                    readOnlyResult(key, result);
                }
            } else if (token == JsonToken.VALUE_FALSE) {
                add(key, Failure.of(NO_RETURN));
            } else if (token == JsonToken.VALUE_STRING) {
                String output = json.getText();
                if (readOutput(key, output)) {
                    any = true;
                } else {
                    add(key, Failure.of(output));
                }
            } else {
                json.skipChildren();
            }
        }

        private void add(String host, Failure failure) {
            any |= failure.kind() == Failure.FailureKind.CAUSE;
            said.put(host, failure);
            if (said.size() > MAX_RESULT_KEYS) {
                any = true;
                tell();
            }
        }

        private void tell() {
            said.forEach((host, failure) -> collector.missing().add(List.of(host), failure, true));
            said.clear();
        }

        boolean finish() {
            if (own.hasAny(RESULT_KEYS)) {
                readOnlyResult(fallback, own);
                return true;
            }
            // If an object has several strings and no result of a host, it may not be about hosts at all: it may be a
            // line of a log.
            if (any || keys == 1) {
                any |= !said.isEmpty();
                tell();
            }
            return any;
        }
    }

    private void readResults(String key, JsonParser json) throws IOException {
        if (key.equals("hosts") && json.currentToken() == JsonToken.START_OBJECT) {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String host = json.currentName();
                json.nextToken();
                readHost(host, json);
            }
            return;
        }
        if (json.currentToken() != JsonToken.START_ARRAY) {
            json.skipChildren();
            return;
        }
        String wanted = key.equals("plays") ? "tasks" : "hosts";
        while (json.nextToken() != JsonToken.END_ARRAY) {
            boolean isObject = json.currentToken() == JsonToken.START_OBJECT;
            while (isObject && json.nextToken() == JsonToken.FIELD_NAME) {
                boolean isWanted = json.currentName().equals(wanted);
                json.nextToken();
                if (isWanted) {
                    readResults(wanted, json);
                } else {
                    json.skipChildren();
                }
            }
            json.skipChildren();
        }
    }

    private void readHost(String host, JsonParser json) throws IOException {
        JsonToken token = json.currentToken();
        if (!NodeSet.isName(host)) {
            json.skipChildren();
            collector.problem(lines.number(), "not a node's name: " + NodeCollector.shortened(host));
        } else if (token == JsonToken.START_OBJECT) {
            readResult(host, item(json));
        } else if (token == JsonToken.VALUE_FALSE) {
            collector.missing().add(List.of(host), Failure.of(NO_RETURN), true);
        } else if (token != JsonToken.VALUE_STRING) {
            json.skipChildren();
        } else if (!readOutput(host, json.getText())) {
            collector.missing().add(List.of(host), Failure.of(json.getText()), true);
        }
    }

    private JsonScalars item(JsonParser json) throws IOException {
        JsonScalars.StringPool pool = collector.tables().pool();
        JsonScalars item = new JsonScalars();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            boolean isObject = json.nextToken() == JsonToken.START_OBJECT;
            if (isObject && key.equals("ret")) {
                item.addAll(JsonScalars.read(json, pool));
            } else {
                item.take(key, json, pool);
            }
        }
        return item;
    }

    private void readOnlyResult(@Nullable String host, JsonScalars result) {
        if (host != null) {
            // A later inventory of the host overrides this failure.
            collector.missing().add(List.of(host), NO_INVENTORY, true);
        }
        readResult(host, result);
    }

    private void readResult(@Nullable String host, JsonScalars result) {
        boolean failed =
                Boolean.TRUE.equals(result.truth("unreachable")) || Boolean.TRUE.equals(result.truth("failed"));
        String returned = result.get("ret");
        String output = first(result.get("stdout"), returned);
        String code = first(result.get("rc"), result.get("retcode"));
        boolean isRead = output != null && !failed && readOutput(host, output);
        if (host == null) {
            if (!isRead) {
                collector.problem(
                        lines.number(), "a result of a node has neither a host name nor a usable inventory; skipped");
            }
            return;
        }
        MissingNodes missing = collector.missing();
        if (failed || code != null && !code.equals("0")) {
            String message = result.get("msg");
            String words = first(result.get("stderr"), OF_CODE.equals(message) ? output : first(message, returned));
            missing.add(List.of(host), Failure.of(words == null ? "" : words), true);
            missing.add(List.of(host), Failure.of(code == null ? "failed" : "rc=" + code), true);
        } else if (returned != null && !isRead) {
            missing.add(List.of(host), Failure.of(returned), true);
        }
    }

    private static @Nullable String first(@Nullable String one, @Nullable String other) {
        return one == null || one.isEmpty() ? other : one;
    }

    private boolean readOutput(@Nullable String host, String output) {
        List<String> asked = host == null ? List.of() : List.of(host);
        String of = host == null ? "" : "node " + host + ": ";
        byte[] bytes = output.getBytes(StandardCharsets.UTF_8);
        boolean any = false;
        for (int at = NodeLine.next(bytes, 0, bytes.length); at >= 0; ) {
            any = true;
            int end = at;
            while (end < bytes.length && bytes[end] != '\n') {
                end++;
            }
            try {
                NodeLine line = NodeLine.parse(bytes, at, end, collector.tables());
                collector.accept(line, asked, isCertain || asked.contains(fallback), null, lines.number());
            } catch (UnreadableException e) {
                collector.damaged(asked, e, lines.number());
            } catch (RuntimeException e) {
                // An internal error must not affect the other nodes.
                collector.problem(lines.number(), of + "internal error: " + e + "; skipped");
            }
            at = NodeLine.next(bytes, end, bytes.length);
        }
        return any;
    }
}
