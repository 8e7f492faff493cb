package dev.weaklink.report;

import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.List;

public enum Format implements StableId {
    TABLE("for people"),
    JSON("one object"),
    NDJSON("one object a line"),
    HTML("a page with search that can be printed and needs no network"),
    CSV("for spreadsheets"),
    MARKDOWN("for tickets and merge requests"),
    JUNIT("for pipelines"),
    PREFLIGHT("a PreflightValidation of OpenShift's KMM for each kernel, as JSON"),
    PROMETHEUS("for the node exporter's textfile collector"),
    NAGIOS("one line, as a Nagios plugin prints it, with a plugin's exit status: 0 (OK), 1 (WARNING) if a"
            + " node is in the state rebuild or blocked for a kernel, 2 (CRITICAL) if something is wrong on a"
            + " node today, 3 (UNKNOWN) if something could not be checked, a node did not answer, or no node"
            + " was found; wrong usage is also 2");

    private final String purpose;

    Format(String purpose) {
        this.purpose = purpose;
    }

    public static List<String> words(List<Format> formats) {
        List<String> words = new ArrayList<>();
        for (Format format : formats) {
            words.add(format.id());
        }
        return words;
    }

    public static String purposes(List<Format> formats) {
        StringBuilder text = new StringBuilder();
        for (Format format : formats) {
            text.append(text.length() == 0 ? "" : "; ").append(format.id()).append(": ");
            text.append(format.purpose);
        }
        return text.append(". Default: ")
                .append(formats.get(0).id())
                .append('.')
                .toString();
    }

    public static Format of(String word) {
        Format format = StableId.of(word, List.of(values()));
        if (format == null) {
            throw new IllegalArgumentException("no such format: " + word);
        }
        return format;
    }
}
