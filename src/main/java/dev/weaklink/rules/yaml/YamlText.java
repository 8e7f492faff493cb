package dev.weaklink.rules.yaml;

import dev.weaklink.rules.yaml.Problems.TextPlace;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.Parser;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Parses YAML. Anchors, aliases and further documents are refused, so that the nodes are never larger than the text.
 * Tags other than {@link #USUAL_TAGS} are refused, too. {@link Values} later interprets the scalars. The library limits
 * nesting to 50 levels.
 */
final class YamlText {
    /** The implicit tags, which nodes get if the file writes no tag. */
    private static final Set<Tag> USUAL_TAGS =
            Set.of(Tag.STR, Tag.INT, Tag.FLOAT, Tag.BOOL, Tag.NULL, Tag.TIMESTAMP, Tag.MERGE, Tag.MAP, Tag.SEQ);

    private YamlText() {}

    static @Nullable Node read(String text, Problems problems) {
        try {
            LoaderOptions options = new LoaderOptions();
            Parser parser = new ParserImpl(new StreamReader(text), options);
            Composer composer = new Composer(parser, new Resolver(), options);
            Node node = composer.checkNode() ? composer.getNode() : null;
            if (composer.checkNode()) {
                TextPlace at = TextPlace.of(composer.getNode());
                problems.add(at, "a second YAML document begins here; use one file for each document");
            }
            if (node == null || Values.isNothing(node)) {
                return new MappingNode(Tag.MAP, List.of(), DumperOptions.FlowStyle.BLOCK);
            }
            return isPlain(node, problems) ? node : null;
        } catch (MarkedYAMLException e) {
            problems.add(TextPlace.of(e.getProblemMark()), "not valid YAML: " + reason(e));
        } catch (ReaderException e) {
            TextPlace at = place(text, e.getPosition());
            problems.add(at, "not valid YAML: a character that YAML does not allow, such as a control character");
        } catch (YAMLException e) {
            problems.add(TextPlace.WHOLE, "not valid YAML: " + firstLine(e.getMessage()));
        }
        return null;
    }

    private static String reason(MarkedYAMLException e) {
        Mark start = e.getContextMark();
        String reason = firstLine(e.getProblem());
        return e.getContext() == null || start == null
                ? reason
                : reason + ", " + e.getContext() + " from line " + (start.getLine() + 1) + " on";
    }

    private static String firstLine(@Nullable String message) {
        return message == null
                ? "it cannot be parsed"
                : message.lines().findFirst().orElse("");
    }

    private static TextPlace place(String text, int position) {
        String before = text.substring(0, text.offsetByCodePoints(0, position));
        int lineStart = before.lastIndexOf('\n') + 1;
        int line = 1 + (int) before.chars().filter(c -> c == '\n').count();
        return new TextPlace(line, 1 + before.codePointCount(lineStart, before.length()));
    }

    /**
     * Reports anchors, aliases, tags other than {@link #USUAL_TAGS}, and keys that are not scalars; returns false if
     * there are any. The target of an alias has an anchor, at which the check stops, so no node is visited twice.
     */
    private static boolean isPlain(Node node, Problems problems) {
        if (node.getAnchor() != null) {
            problems.add(TextPlace.of(node), "anchors and aliases are not supported; repeat the value instead");
            return false;
        }
        boolean plain = USUAL_TAGS.contains(node.getTag());
        if (!plain) {
            problems.add(TextPlace.of(node), "tags are not supported; remove the tag");
        }
        if (node instanceof SequenceNode list) {
            for (Node item : list.getValue()) {
                plain &= isPlain(item, problems);
            }
        } else if (node instanceof MappingNode mapping) {
            for (NodeTuple entry : mapping.getValue()) {
                plain &= isPlain(entry.getKeyNode(), problems) && isPlain(entry.getValueNode(), problems);
                if (!(entry.getKeyNode() instanceof ScalarNode)) {
                    problems.add(TextPlace.of(entry.getKeyNode()), "a key must be a word");
                    plain = false;
                }
            }
        }
        return plain;
    }
}
