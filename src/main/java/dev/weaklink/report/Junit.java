package dev.weaklink.report;

import dev.weaklink.sys.Escape;
import dev.weaklink.sys.InputProblem;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/** A writer of JUnit XML for pipelines: suites of tests that passed, failed, or could not be carried out. */
public final class Junit {
    private final TextStream out;

    /** Begins the document; {@code out} is left open. */
    public Junit(String name, OutputStream out) throws IOException {
        this.out = new TextStream(out);
        this.out.add("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"");
        this.out.add(xml(name)).add("\">\n");
    }

    public void end(List<InputProblem> problems) throws IOException {
        List<Case> input = new ArrayList<>();
        for (InputProblem problem : problems) {
            String message = Escape.text(problem.message());
            input.add(Case.error(Escape.text(problem.subject()), "input", message, message));
        }
        if (!input.isEmpty()) {
            suite("input", input);
        }
        out.add("</testsuites>\n");
    }

    public void suite(String name, List<Case> cases) throws IOException {
        int failures = 0;
        int errors = 0;
        for (Case one : cases) {
            failures += one.kind.equals("failure") ? 1 : 0;
            errors += one.kind.equals("error") ? 1 : 0;
        }
        out.add("  <testsuite name=\"").add(xml(name)).add("\" tests=\"").add(cases.size());
        out.add("\" failures=\"").add(failures).add("\" errors=\"").add(errors);
        out.add("\" skipped=\"0\">\n");
        for (Case one : cases) {
            out.add("    <testcase classname=\"").add(xml(name));
            out.add("\" name=\"").add(xml(one.name));
            if (one.kind.isEmpty()) {
                out.add("\"/>\n");
                continue;
            }
            out.add("\">\n      <").add(one.kind).add(" type=\"").add(xml(one.type));
            out.add("\" message=\"").add(xml(one.message)).add("\">").add(xml(one.text));
            out.add("</").add(one.kind).add(">\n    </testcase>\n");
        }
        out.add("  </testsuite>\n");
    }

    /**
     * Escapes a string for XML. The strings of a {@link Case} are already escaped, so they contain no control
     * characters except line breaks. XML also forbids U+FFFE and U+FFFF.
     */
    private static String xml(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("\ufffe", "\\ufffe")
                .replace("\uffff", "\\uffff");
    }

    /**
     * A test. The caller must escape control characters in all strings.
     *
     * @param kind failure or error; empty if the test passed
     */
    public record Case(String name, String kind, String type, String message, String text) {
        public static Case passed(String name) {
            return new Case(name, "", "", "", "");
        }

        public static Case failure(String name, String type, String message, String text) {
            return new Case(name, "failure", type, message, text);
        }

        public static Case error(String name, String type, String message, String text) {
            return new Case(name, "error", type, message, text);
        }
    }
}
