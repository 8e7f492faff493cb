package dev.weaklink.report;

/** The meaning of a piece of text, and the colours (SGR codes) that show the meaning. */
public enum Style {
    HEADING("1"),
    GOOD("32"),
    BAD("31"),
    UNSURE("33"),
    FAINT("2");

    private final String code;

    Style(String code) {
        this.code = code;
    }

    String around(String text) {
        return "\u001b[" + code + "m" + text + "\u001b[0m";
    }
}
