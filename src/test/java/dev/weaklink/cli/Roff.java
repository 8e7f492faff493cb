package dev.weaklink.cli;

import java.util.Locale;

/** A builder of a manual page in the man(7) language. */
final class Roff {
    private final StringBuilder page = new StringBuilder();

    Roff title(String name, int section) {
        page.append(".TH ").append(escape(name.toUpperCase(Locale.ROOT)));
        page.append(' ').append(section).append(" \"\" weaklink \"weaklink manual\"\n");
        return this;
    }

    Roff section(String heading) {
        page.append(".SH ").append(heading).append('\n');
        return this;
    }

    Roff subsection(String heading) {
        page.append(".SS ").append(heading).append('\n');
        return this;
    }

    /** Adds a line of filled text. */
    Roff text(String text) {
        page.append(protectedStart(escape(text))).append('\n');
        return this;
    }

    /** Adds a line that may contain results of {@link #bold} and {@link #italic}. */
    Roff raw(String line) {
        page.append(protectedStart(line)).append('\n');
        return this;
    }

    /** Adds a separate line below an {@link #entry}. */
    Roff line(String text) {
        page.append(".br\n");
        return text(text);
    }

    /** Adds lines that are not filled. */
    Roff unfilled(String lines) {
        page.append(".nf\n");
        lines.lines().forEach(this::text);
        page.append(".fi\n");
        return this;
    }

    Roff paragraph() {
        page.append(".PP\n");
        return this;
    }

    /** Adds a term, which may contain results of {@link #bold} and {@link #italic}, and its indented explanation. */
    Roff entry(String term, String explanation) {
        page.append(".TP\n");
        return raw(term).text(explanation);
    }

    /** Adds an item of a list without terms. */
    Roff bullet(String text) {
        page.append(".IP \\(bu 2\n");
        return text(text);
    }

    static String bold(String text) {
        return "\\fB" + escape(text) + "\\fR";
    }

    static String italic(String text) {
        return "\\fI" + escape(text) + "\\fR";
    }

    static String escape(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-");
    }

    private static String protectedStart(String line) {
        return line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line;
    }

    @Override
    public String toString() {
        return page.toString();
    }
}
