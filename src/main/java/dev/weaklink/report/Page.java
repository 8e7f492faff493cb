package dev.weaklink.report;

import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Text for people, built line by line. What comes from files must be escaped before. */
public final class Page {
    private static final int NARROWEST = 40;
    private static final int MOST_NAMES = 12;

    private final StringBuilder text = new StringBuilder();
    private final TableOptions options;

    public Page(TableOptions options) {
        this.options = options;
    }

    public boolean verbose() {
        return options.verbose();
    }

    /** The text in that style, where colours are wanted. */
    public String styled(Style style, String part) {
        return options.color() ? style.around(part) : part;
    }

    /** Whether a line without colours is not too wide. */
    public boolean fits(String line) {
        return line.length() <= Math.max(options.columns(), NARROWEST);
    }

    /** All of these, or the first of them and how many more there are. */
    public List<String> shortened(List<String> names) {
        if (options.verbose() || names.size() <= MOST_NAMES + 1) {
            return names;
        }
        List<String> shortened = new ArrayList<>(names.subList(0, MOST_NAMES));
        shortened.add("and " + Numbers.grouped(names.size() - MOST_NAMES) + " more");
        return shortened;
    }

    public void line(String line) {
        text.append(line).append('\n');
    }

    /** A value behind its label, a dash if there is none. */
    public void fact(int width, String label, @Nullable String value) {
        line("  " + label + " ".repeat(width - label.length()) + (value == null ? "-" : value));
    }

    /** An empty line, but never two and none at the top. */
    public void gap() {
        int length = text.length();
        if (length >= 2 && text.charAt(length - 2) != '\n') {
            text.append('\n');
        }
    }

    /** Words with separators between, wrapped; every line starts with that many blanks. */
    public void wrapped(int indent, String first, List<String> words, String separator) {
        String margin = " ".repeat(indent);
        wrapped(margin + first, !first.isEmpty(), margin + "  ", words, separator);
    }

    /** A word in a column of that width, and a sentence behind the column, wrapped. */
    public void hanging(int column, String word, String sentence) {
        String margin = " ".repeat(column);
        wrapped(word + margin.substring(word.length()), false, margin, List.of(sentence.split(" ")), "");
    }

    private void wrapped(String first, boolean blank, String margin, List<String> words, String separator) {
        int width = Math.max(options.columns(), NARROWEST);
        StringBuilder line = new StringBuilder(first);
        boolean blankBefore = blank;
        int wordsOnLine = 0;
        for (int i = 0; i < words.size(); i++) {
            String word = i < words.size() - 1 ? words.get(i) + separator : words.get(i);
            if (wordsOnLine > 0 && line.length() + 1 + word.length() > width) {
                line(line.toString());
                line = new StringBuilder(margin);
                blankBefore = false;
                wordsOnLine = 0;
            }
            line.append(blankBefore ? " " : "").append(word);
            blankBefore = true;
            wordsOnLine++;
        }
        line(line.toString());
    }

    /** A sentence, wrapped. */
    public void sentence(int indent, String first, String sentence) {
        wrapped(indent, first, List.of(sentence.split(" ")), "");
    }

    public String text() {
        return text.toString();
    }
}
