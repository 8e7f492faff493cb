package dev.weaklink.check.report;

import static dev.weaklink.format.json.JsonOutput.list;

import dev.weaklink.check.userspace.UserspaceFinding;
import dev.weaklink.check.userspace.UserspaceReport;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Renders the check of RDMA libraries for people, or as one JSON object ({@code weaklink.userspace/1}). */
public final class UserspaceText {
    private UserspaceText() {}

    public static String table(UserspaceReport report, String root, TableOptions options) {
        Page page = new Page(options);
        if (report.library() == null) {
            page.line("RDMA libraries" + in(root) + ": libibverbs is not installed");
            return page.text();
        }
        page.line("RDMA libraries" + in(root) + ": " + library(report));
        List<String> providers = report.providers();
        if (!providers.isEmpty()) {
            page.wrapped(2, Numbers.of(providers.size(), "provider") + " loadable:", escaped(providers), ",");
        }
        for (String device : report.devices()) {
            page.sentence(2, "", Escape.text(device));
        }
        for (List<UserspaceFinding> alike : alike(report.findings())) {
            UserspaceFinding finding = alike.get(0);
            page.gap();
            page.wrapped(0, head(finding, page), subjects(alike), ",");
            page.sentence(2, "", Escape.bytes(finding.detail()));
            if (!finding.packages().isEmpty()) {
                page.wrapped(2, "Packages:", escaped(finding.packages()), ",");
            }
            page.sentence(2, "To do:", finding.kind().remedy());
        }
        if (report.isEmpty()) {
            page.line("  no .driver file names a provider");
        }
        return page.text();
    }

    private static String head(UserspaceFinding finding, Page page) {
        boolean fails = finding.kind().isFailure();
        String word = page.styled(fails ? Style.BAD : Style.UNSURE, fails ? "FAILS  " : "WARNING");
        return word + "  " + finding.kind().id() + " ";
    }

    private static Collection<List<UserspaceFinding>> alike(List<UserspaceFinding> findings) {
        Map<List<Object>, List<UserspaceFinding>> groups = new LinkedHashMap<>();
        for (UserspaceFinding finding : findings) {
            List<Object> words = List.of(finding.kind(), finding.detail(), finding.packages());
            groups.computeIfAbsent(words, key -> new ArrayList<>()).add(finding);
        }
        return groups.values();
    }

    private static List<String> subjects(List<UserspaceFinding> findings) {
        return findings.stream().map(finding -> Escape.bytes(finding.subject())).toList();
    }

    private static String in(String root) {
        return root.isEmpty() ? "" : " in " + Escape.text(root);
    }

    private static String library(UserspaceReport report) {
        StringBuilder text = new StringBuilder(Escape.text(String.valueOf(report.library())));
        if (!report.owner().isEmpty()) {
            text.append(" (").append(Escape.bytes(report.owner())).append(')');
        }
        if (!report.privateVersion().isEmpty()) {
            text.append(", ").append(Escape.bytes(report.privateVersion()));
        }
        return text.toString();
    }

    private static List<String> escaped(List<String> words) {
        return words.stream().map(Escape::bytes).toList();
    }

    public static void write(UserspaceReport report, OutputStream out) throws IOException {
        JsonOutput.writeLine(
                JsonOutput.object(
                        "schema", "weaklink.userspace/1",
                        "library", report.library(),
                        "package", report.owner().isEmpty() ? null : report.owner(),
                        "private_version", report.privateVersion().isEmpty() ? null : report.privateVersion(),
                        "providers", report.providers(),
                        "devices", report.devices(),
                        "findings", list(report.findings(), UserspaceText::finding)),
                out);
    }

    private static Object finding(UserspaceFinding finding) {
        return JsonOutput.object(
                "id", finding.kind().id(),
                "severity", finding.kind().isFailure() ? "failure" : "warning",
                "subject", finding.subject(),
                "detail", finding.detail(),
                "files", finding.files(),
                "packages", finding.packages(),
                "remedy", finding.kind().remedy());
    }
}
