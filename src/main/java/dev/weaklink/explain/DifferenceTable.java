package dev.weaklink.explain;

import dev.weaklink.loader.CauseText;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

public final class DifferenceTable {
    private static final int MOST_NAMES = 8;

    private final ExplainReport report;
    private final boolean verbose;
    private final StringBuilder text = new StringBuilder();

    private DifferenceTable(ExplainReport report, boolean verbose) {
        this.report = report;
        this.verbose = verbose;
    }

    public static String overview(ExplainReport report, boolean verbose) {
        DifferenceTable table = new DifferenceTable(report, verbose);
        KernelDifference difference = report.difference();
        if (difference != null) {
            table.summary(difference);
            table.judgement();
            table.driver();
            table.causes(difference);
            table.exports(difference.others());
            table.notes();
        }
        return table.text.toString();
    }

    public static String symbols(ExplainReport report) {
        DifferenceTable table = new DifferenceTable(report, true);
        KernelDifference difference = report.difference();
        if (difference != null) {
            difference.changed().forEach(table::symbol);
            table.exports(difference.others());
            if (difference.changed().isEmpty()) {
                table.summary(difference);
            }
            table.notes();
        }
        return table.text.toString();
    }

    private void summary(KernelDifference difference) {
        String kernels = Escape.text(report.from()) + " -> " + Escape.text(report.to()) + ": ";
        DifferenceText.incomparable(report).forEach(reason -> line(kernels + reason));
        if (report.incomparable().isEmpty()) {
            line(kernels + DifferenceText.summary(difference));
        }
        DifferenceText.certainty(difference).forEach(this::line);
    }

    private void judgement() {
        for (String line : DifferenceText.judgement(report)) {
            line(line);
        }
    }

    private void causes(KernelDifference difference) {
        List<CauseCount> causes = difference.causes();
        int shown = verbose ? causes.size() : Math.min(causes.size(), DifferenceText.MOST_CAUSES);
        for (CauseCount count : causes.subList(0, shown)) {
            line("");
            line(Escape.text(count.change().title())
                    + ": "
                    + DifferenceText.counts(count, report)
                    + ", "
                    + CauseText.kind(count.change()));
            members(count.change());
            path(count.example());
            DifferenceText.others(count, verbose).forEach(line -> line("    " + line));
        }
        if (causes.size() > shown) {
            line("");
            line("... and " + Numbers.of(causes.size() - shown, "more change") + " (-v)");
        }
        unnoticed(difference.unnoticed());
        int rest = difference.changed().size() - difference.explained();
        if (rest > 0) {
            line("");
            line("No cause found: " + unexplained(difference, rest));
        }
    }

    private void unnoticed(List<UnnoticedChange> changes) {
        for (UnnoticedChange change : changes) {
            line("");
            line("Warning: " + DifferenceText.unnoticed(change));
            members(change.change());
        }
    }

    private void driver() {
        List<String> lines = DriverText.lines(report.driver(), verbose);
        if (!lines.isEmpty()) {
            line("");
            lines.forEach(this::line);
        }
    }

    private String unexplained(KernelDifference difference, int rest) {
        Map<String, Integer> modules = new TreeMap<>();
        int data = 0;
        for (SymbolChange change : difference.changed()) {
            if (change.cause() == null && change.owner().equals("vmlinux")) {
                data++;
            } else if (change.cause() == null) {
                modules.merge(change.owner(), 1, Integer::sum);
            }
        }
        String by = " exported by " + Numbers.of(modules.size(), "module");
        String ofBoth = " (" + Numbers.grouped(rest - data) + by + ", " + Numbers.grouped(data);
        return Numbers.of(rest, "symbol") + (data == rest ? " of vmlinux" : data == 0 ? by : ofBoth + " by vmlinux)");
    }

    private void symbol(SymbolChange change) {
        line(Escape.text(change.symbol())
                + ": CRC "
                + Numbers.crc(change.from())
                + " -> "
                + Numbers.crc(change.to())
                + ", exported by "
                + Escape.text(change.owner()));
        CrcCause cause = change.cause();
        if (cause == null) {
            line("  cause unknown: no changed type was found, or not all types (BTF) of both kernels are known");
            return;
        }
        line("  "
                + certainty(cause)
                + ": "
                + Escape.text(cause.change().title())
                + ", "
                + CauseText.kind(cause.change()));
        members(cause.change());
        path(change);
        for (TypeChange other : cause.others()) {
            line("  may also be due to " + Escape.text(other.title()) + ", " + CauseText.kind(other));
        }
    }

    private static String certainty(CrcCause cause) {
        return switch (cause.certainty()) {
            case ONLY -> "cause";
            case KNOWN -> cause.path().size() == 1 ? "cause" : "cause (the symbol's source file includes this type)";
            case LIKELY -> "most likely cause";
            case GUESS -> "cause, a guess";
        };
    }

    private void members(TypeChange change) {
        CauseText.members(change, verbose).forEach(line -> line("    " + line));
    }

    private void path(SymbolChange symbol) {
        CrcCause cause = symbol.cause();
        if (cause != null && cause.path().size() > 1) {
            line("    " + CauseText.path(cause));
        }
    }

    private void exports(List<ExportChange> others) {
        Map<ExportChange.ExportChangeKind, Integer> counts = new EnumMap<>(ExportChange.ExportChangeKind.class);
        others.forEach(other -> counts.merge(other.kind(), 1, Integer::sum));
        counts.forEach((kind, count) -> {
            line("");
            line(Numbers.of(count, "symbol")
                    + " "
                    + (kind == ExportChange.ExportChangeKind.LICENSE || kind == ExportChange.ExportChangeKind.NAMESPACE
                            ? "with another " + kind.id()
                            : kind.id()));
            others.stream()
                    .filter(other -> other.kind() == kind)
                    .limit(verbose ? Long.MAX_VALUE : MOST_NAMES)
                    .forEach(this::export);
            if (!verbose && count > MOST_NAMES) {
                line("  ... and " + (count - MOST_NAMES) + " more (-v)");
            }
        });
    }

    private void export(ExportChange other) {
        String before = other.before();
        String after = other.after();
        String what = before == null ? after : after == null ? before : before + " -> " + after;
        line("  " + Escape.text(other.symbol()) + "  " + Escape.text(String.valueOf(what)));
    }

    private void notes() {
        if (!report.notes().isEmpty()) {
            line("");
        }
        report.notes().forEach(note -> line("Note: " + Escape.text(note)));
    }

    private void line(String line) {
        text.append(line).append('\n');
    }
}
