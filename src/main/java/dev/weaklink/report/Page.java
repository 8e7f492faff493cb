package dev.weaklink.report;

import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A text for people, built line by line. The caller must escape strings from files. */
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

    public String styled(Style style, String part) {
        return options.color() ? style.around(part) : part;
    }

    public boolean fits(String line) {
        return line.length() <= Math.max(options.columns(), NARROWEST);
    }

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

    public void fact(int width, String label, @Nullable String value) {
        line("  " + label + " ".repeat(width - label.length()) + (value == null ? "-" : value));
    }

    /** Adds an empty line, but never two in a row, and never at the top. */
    public void gap() {
        int length = text.length();
        if (length >= 2 && text.charAt(length - 2) != '\n') {
            text.append('\n');
        }
    }

    public void wrapped(int indent, String first, List<String> words, String separator) {
        String margin = " ".repeat(indent);
        wrapped(margin + first, !first.isEmpty(), margin + "  ", words, separator);
    }

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
            boolean mayBreak = wordsOnLine > 0 || blankBefore && margin.length() + word.length() <= width;
            if (mayBreak && line.length() + 1 + word.length() > width) {
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

    public void sentence(int indent, String first, String sentence) {
        wrapped(indent, first, List.of(sentence.split(" ")), "");
    }

    public String text() {
        return text.toString();
    }
}
