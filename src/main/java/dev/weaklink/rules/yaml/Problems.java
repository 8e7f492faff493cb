package dev.weaklink.rules.yaml;

import dev.weaklink.rules.Attributed.RuleOrigin;
import dev.weaklink.rules.yaml.RulesReader.RuleProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.nodes.Node;

final class Problems {
    private static final int MAX = 100;

    /** The length in characters at which a message is cut; a message may quote several lines of the file. */
    private static final int MAX_LENGTH = 400;

    private final String file;
    private final List<RuleProblem> found = new ArrayList<>();

    Problems(String file) {
        this.file = file;
    }

    void add(TextPlace at, String message) {
        if (found.size() < MAX) {
            String shown = message.replace('\n', ' ');
            if (shown.length() > MAX_LENGTH) {
                shown = shown.substring(0, MAX_LENGTH) + "...";
            }
            RuleProblem problem = new RuleProblem(file, at.line(), at.column(), shown);
            if (!found.contains(problem)) {
                found.add(problem);
            }
        } else if (found.size() == MAX) {
            found.add(new RuleProblem(file, at.line(), at.column(), "further errors are not shown"));
        }
    }

    RuleOrigin origin(TextPlace at) {
        return new RuleOrigin(file, at.line());
    }

    List<RuleProblem> found() {
        if (found.isEmpty()) {
            return List.of();
        }
        List<RuleProblem> sorted = new ArrayList<>(found);
        sorted.sort(Comparator.comparingInt(RuleProblem::line).thenComparingInt(RuleProblem::column));
        return List.copyOf(sorted);
    }

    /** A position in a text; line and column count from 1, and are 0 for the whole text. */
    record TextPlace(int line, int column) {
        static final TextPlace WHOLE = new TextPlace(0, 0);

        static TextPlace of(Node node) {
            return of(node.getStartMark());
        }

        static TextPlace of(@Nullable Mark mark) {
            return mark == null ? WHOLE : new TextPlace(mark.getLine() + 1, mark.getColumn() + 1);
        }
    }
}
