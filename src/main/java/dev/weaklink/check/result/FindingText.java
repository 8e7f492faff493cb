package dev.weaklink.check.result;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Escape;

public final class FindingText {
    private FindingText() {}

    public static String line(Finding finding) {
        String numbers = finding.wants() != null && finding.offers() != null
                ? " (wanted " + Escape.bytes(finding.wants()) + "; " + offer(finding) + ")"
                : "";
        String cause = finding.cause() == null
                ? ""
                : ": " + Escape.bytes(finding.cause().clause());
        return finding.layer().id() + ": " + symbol(finding) + Escape.bytes(finding.detail()) + numbers + cause;
    }

    private static String symbol(Finding finding) {
        String symbol = finding.symbol();
        return symbol == null || finding.layer() == Layer.MODULE_LAYOUT ? "" : Escape.bytes(symbol) + ": ";
    }

    public static String offer(Finding finding) {
        String who = finding.exporter() != null ? Escape.bytes(finding.exporter()) : "the kernel";
        String what = finding.offers() != null ? Escape.bytes(finding.offers()) : "nothing";
        return who + " offers " + what;
    }

    public static String errno(Verdict verdict) {
        return verdict.errno() == null ? "" : " (" + verdict.errno() + ")";
    }

    public static String whyUndetermined(Verdict verdict) {
        for (Finding finding : verdict.findings()) {
            if (finding.effect() == Effect.UNPROVEN) {
                return finding.layer().id() + ": " + Escape.bytes(finding.detail());
            }
        }
        return "could not be checked: " + String.join(", ", verdict.unchecked());
    }
}
