package dev.weaklink.report;

import dev.weaklink.sys.Escape;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.List;

/**
 * A builder of GitHub's Markdown for tickets and merge requests. The caller must escape control characters in all
 * strings, except in the problems of {@link #problems}.
 */
public final class Markdown {
    private static final String MARKUP = "\\`*{}[]<>|#~&$@!";

    private final StringBuilder text = new StringBuilder();

    public void heading(int level, String words) {
        gap();
        text.append("#".repeat(level)).append(' ').append(plain(words)).append('\n');
    }

    public void paragraph(String words) {
        gap();
        text.append(plain(words)).append('\n');
    }

    /** Adds a list. The points must already be results of {@link #plain} or {@link #code}. */
    public void points(List<String> points) {
        if (points.isEmpty()) {
            return;
        }
        gap();
        for (String point : points) {
            text.append("- ").append(point).append('\n');
        }
    }

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

    /**
     * Adds a diff. Each line must begin with {@code -} if it was removed, {@code +} if it was added, and {@code .}
     * otherwise.
     */
    public void difference(List<String> lines) {
        gap();
        text.append("~~~~diff\n");
        // Each line begins with -, + or a dot, so no line can end the block.
        lines.forEach(line -> text.append(line).append('\n'));
        text.append("~~~~\n");
    }

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

    private static boolean isInsideName(String words, int at) {
        return at > 0
                && at + 1 < words.length()
                && Character.isLetterOrDigit(words.charAt(at - 1))
                && Character.isLetterOrDigit(words.charAt(at + 1));
    }

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

    public String text() {
        return text.toString();
    }
}
