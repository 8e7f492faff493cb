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
import dev.weaklink.sys.UnreadableException.Kind;
import java.io.CharConversionException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * JSON that is not the collector's line: what Ansible's json callback and Salt's json outputter print, over several
 * lines or on one, the result of one host, or nodes that a formatter went over. A host's result counts if its output
 * has a node's line.
 */
record DocumentIntake(
        NodeCollector collector, Lines lines, @Nullable String fallback) {
    /** What Ansible says where the code says it. */
    static final String OF_CODE = "non-zero return code";

    /** What Salt says of a host that did not answer, if it does not say false. */
    private static final String NO_RETURN = "Minion did not return";

    /** Deeper than what Ansible prints: Python's own limit is a tenth of it. */
    private static final int MAX_DEPTH = 10_000;

    /**
     * The names of keys are those of nodes here: a table of them would only grow. What one node makes large must not
     * cost the others in the document.
     */
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Lines.MAX_LENGTH)
                    .maxNameLength(Lines.MAX_LENGTH)
                    .maxNumberLength(Lines.MAX_LENGTH)
                    .maxNestingDepth(MAX_DEPTH)
                    .build())
            .build();

    /** Reads a result of this host that begins at a place in the current line. */
    void read(int from, String host) throws IOException {
        read(from, host, List.of());
    }

    /**
     * Reads the object that begins at a place in the current line. Behind damage, lines are looked at by themselves
     * again.
     *
     * @param block the nodes whose inventory it is; empty if it may name its node, or hosts
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
        boolean hosts = false;
        try {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String key = json.currentName();
                json.nextToken();
                boolean mayNameHosts = block.isEmpty();
                if (mayNameHosts && (key.equals("plays") || key.equals("hosts"))) {
                    hosts = true;
                    readResults(key, json);
                } else if (mayNameHosts && draft.isOther(key) && NodeSet.isName(key)) {
                    hosts = true;
                    readHost(key, json);
                } else if (!draft.take(key, json)) {
                    json.skipChildren();
                }
            }
            if (!hosts) {
                long length = json.currentLocation().getByteOffset() - start - draft.tableLength();
                NodeLine node = new NodeLine(draft.node(), draft.finish(), (int) length, 0);
                collector.accept(node, block, fallback, lines.number());
            }
        } catch (UnreadableException e) {
            if (e.kind() != Kind.CONTENTS) {
                throw e; // the input itself cannot be read any further
            }
            collector.damaged(block, e, lines.number());
            while (!json.getParsingContext().inRoot() && json.nextToken() != null) {
                // The rest of it.
            }
        }
    }

    /**
     * Looks for results of hosts below a key of {@code plays}, {@code tasks} and {@code hosts}; what lies below other
     * keys is passed over.
     */
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

    /** An object with the output of a host's command, that output alone, or that there is none. */
    private void readHost(String host, JsonParser json) throws IOException {
        JsonToken token = json.currentToken();
        if (!NodeSet.isName(host)) {
            json.skipChildren();
            collector.problem(lines.number(), "not a node's name: " + NodeCollector.shortened(host));
        } else if (token == JsonToken.START_OBJECT) {
            readResult(host, JsonItem.read(json, collector.tables().pool()));
        } else if (token == JsonToken.VALUE_FALSE) {
            collector.missing().add(List.of(host), Failure.of(NO_RETURN), true);
        } else if (token != JsonToken.VALUE_STRING) {
            json.skipChildren();
        } else if (!readOutput(host, json.getText())) {
            collector.missing().add(List.of(host), Failure.of(json.getText()), true);
        }
    }

    private void readResult(String host, JsonItem result) {
        boolean failed =
                Boolean.TRUE.equals(result.truth("unreachable")) || Boolean.TRUE.equals(result.truth("failed"));
        String output = result.get("stdout");
        String code = first(result.get("rc"), result.get("retcode"));
        if (output != null && !failed) {
            readOutput(host, output);
        }
        if (failed || code != null && !code.equals("0")) {
            String message = result.get("msg");
            String words = first(result.get("stderr"), OF_CODE.equals(message) ? output : message);
            MissingNodes missing = collector.missing();
            missing.add(List.of(host), Failure.of(words == null ? "" : words), true);
            missing.add(List.of(host), Failure.of(code == null ? "failed" : "rc=" + code), true);
        }
    }

    private static @Nullable String first(@Nullable String one, @Nullable String other) {
        return one == null || one.isEmpty() ? other : one;
    }

    /** Whether there is a node's line in it. Other tasks print other things. */
    private boolean readOutput(String host, String output) {
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
                collector.accept(line, List.of(host), null, lines.number());
            } catch (UnreadableException e) {
                collector.damaged(List.of(host), e, lines.number());
            } catch (RuntimeException e) {
                // A mistake of this program: it must not cost the other nodes.
                collector.problem(lines.number(), "node " + host + ": internal error: " + e + "; skipped");
            }
            at = NodeLine.next(bytes, end, bytes.length);
        }
        return any;
    }
}
