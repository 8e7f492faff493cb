package dev.weaklink.report;

import dev.weaklink.sys.Escape;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.List;

/** GitHub's Markdown, for tickets and merge requests, built part by part. Texts must be escaped. */
public final class Markdown {
    /** What could be taken for markup anywhere in a line. */
    private static final String MARKUP = "\\`*{}[]<>|#~&$@!";

    private final StringBuilder text = new StringBuilder();

    /** A heading; the topmost has level 1. */
    public void heading(int level, String words) {
        gap();
        text.append("#".repeat(level)).append(' ').append(plain(words)).append('\n');
    }

    public void paragraph(String words) {
        gap();
        text.append(plain(words)).append('\n');
    }

    /** A list of points; those of a list must be {@link #plain} or {@link #code} already. */
    public void points(List<String> points) {
        if (points.isEmpty()) {
            return;
        }
        gap();
        for (String point : points) {
            text.append("- ").append(point).append('\n');
        }
    }

    /** What was wrong with what was read, if anything was. */
    public void problems(List<InputProblem> problems) {
        List<String> points = new ArrayList<>();
        for (InputProblem problem : problems) {
            String subject = code(Escape.text(problem.subject()));
            points.add(subject + ": " + plain(Escape.text(problem.message())));
        }
        if (!points.isEmpty()) {
            heading(2, "Problems");
            points(points);
        }
    }

    /** Lines that begin with a sign each: - for what went, + for what came, . for others. */
    public void difference(List<String> lines) {
        gap();
        text.append("~~~~diff\n");
        // A line of tildes cannot begin with a sign as all of these do.
        lines.forEach(line -> text.append(line).append('\n'));
        text.append("~~~~\n");
    }

    /** A table; left out if it has no rows. */
    public void table(List<String> headings, List<List<String>> rows) {
        if (rows.isEmpty()) {
            return;
        }
        gap();
        row(headings);
        text.append("|").append(" --- |".repeat(headings.size())).append('\n');
        rows.forEach(this::row);
    }

    private void row(List<String> cells) {
        List<String> plain = new ArrayList<>();
        for (String cell : cells) {
            plain.add(plain(cell));
        }
        text.append("| ").append(String.join(" | ", plain)).append(" |\n");
    }

    private void gap() {
        if (text.length() > 0) {
            text.append('\n');
        }
    }

    /** A text in which nothing is markup. */
    public static String plain(String words) {
        StringBuilder plain = new StringBuilder(words.length());
        for (int i = 0; i < words.length(); i++) {
            char c = words.charAt(i);
            if (MARKUP.indexOf(c) >= 0 || (c == '_' && !isInsideName(words, i))) {
                plain.append('\\');
            }
            plain.append(c);
        }
        return plain.toString();
    }

    /** An underscore between letters or digits is none of emphasis. */
    private static boolean isInsideName(String words, int at) {
        return at > 0
                && at + 1 < words.length()
                && Character.isLetterOrDigit(words.charAt(at - 1))
                && Character.isLetterOrDigit(words.charAt(at + 1));
    }

    /** A text as it is, between as many backticks as it needs. */
    public static String code(String words) {
        int longest = 0;
        int run = 0;
        for (int i = 0; i < words.length(); i++) {
            run = words.charAt(i) == '`' ? run + 1 : 0;
            longest = Math.max(longest, run);
        }
        String fence = "`".repeat(longest + 1);
        String pad = longest > 0 ? " " : "";
        return fence + pad + words + pad + fence;
    }

    /** All of it. */
    public String text() {
        return text.toString();
    }
}
