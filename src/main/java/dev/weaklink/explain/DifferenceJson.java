package dev.weaklink.explain;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.loader.CauseJson;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.sys.Numbers;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the difference of two kernels as JSON: one object ({@code weaklink.diff/1}), or one line for each symbol whose
 * CRC changed ({@code weaklink.symbol-change/1}).
 */
public final class DifferenceJson {
    private DifferenceJson() {}

    public static void writeLines(ExplainReport report, OutputStream out) throws IOException {
        KernelDifference difference = report.difference();
        if (difference == null) {
            return;
        }
        for (SymbolChange change : difference.changed()) {
            JsonOutput.writeLine(
                    object(
                            "schema", "weaklink.symbol-change/1",
                            "symbol", change.symbol(),
                            "owner", change.owner(),
                            "from", report.from(),
                            "to", report.to(),
                            "crc", crc(change),
                            "cause", cause(change.cause())),
                    out);
        }
    }

    public static void writeDocument(ExplainReport report, OutputStream out) throws IOException {
        Map<String, Object> document = object("schema", "weaklink.diff/1", "from", report.from(), "to", report.to());
        if (!report.incomparable().isEmpty()) {
            document.put("incomparable", report.incomparable());
        }
        if (report.generator() != null) {
            document.put("generator", object("name", report.generator(), "assumed", report.assumed()));
        }
        KernelDifference difference = report.difference();
        if (difference != null) {
            document.putAll(difference(difference, report));
        }
        DriverReport driver = report.driver();
        if (driver != null) {
            document.put("driver", driver(driver));
        }
        if (report.broken() != null) {
            document.put("broken", report.broken());
        }
        document.put("notes", report.notes());
        JsonOutput.writeLine(document, out);
    }

    private static Map<String, Object> difference(KernelDifference difference, ExplainReport report) {
        return object(
                "compared", difference.compared(),
                "explained", difference.explained(),
                "causes", list(difference.causes(), count -> count(count, report)),
                "changed", list(difference.changed(), DifferenceJson::symbol),
                "unnoticed", list(difference.unnoticed(), DifferenceJson::unnoticed),
                "exports", list(difference.others(), DifferenceJson::export));
    }

    private static Map<String, Object> count(CauseCount count, ExplainReport report) {
        Map<String, Object> json = type(count.change());
        json.put("symbols", count.symbols().size());
        if (!report.users().isEmpty()) {
            json.put("modules", report.modules(count));
        }
        json.put("onlyCause", count.only());
        json.put("candidates", list(count.others().entrySet(), other -> {
            Map<String, Object> candidate = type(other.getKey());
            candidate.put("symbols", other.getValue());
            return candidate;
        }));
        json.put("example", count.example().symbol());
        return json;
    }

    public static Map<String, Object> driver(DriverReport driver) {
        return object(
                "module", driver.module(),
                "typed", driver.typed(),
                "unusable", driver.unusable(),
                "uses", list(driver.uses(), DifferenceJson::use),
                "removed", list(driver.removed(), DifferenceJson::removed),
                "implied", driver.implied());
    }

    private static Map<String, Object> use(TypeUse use) {
        Map<String, Object> json = type(use.change());
        json.put("use", use.kind().id());
        json.put("certain", use.certain());
        json.put("places", use.places());
        json.put("set", use.set());
        json.put("sources", use.firm());
        json.put("possible", use.members());
        return json;
    }

    private static Map<String, Object> removed(DriverReport.Removed one) {
        return object("symbol", one.symbol(), "function", one.function(), "now", one.now());
    }

    private static Map<String, Object> unnoticed(UnnoticedChange unnoticed) {
        Map<String, Object> json = type(unnoticed.change());
        json.put("symbols", unnoticed.symbols());
        return json;
    }

    private static Map<String, Object> export(ExportChange change) {
        return object(
                "symbol", change.symbol(),
                "change", change.kind().id(),
                "before", change.before(),
                "after", change.after());
    }

    private static Map<String, Object> symbol(SymbolChange change) {
        return object(
                "symbol", change.symbol(),
                "owner", change.owner(),
                "crc", crc(change),
                "cause", cause(change.cause()));
    }

    private static Map<String, Object> crc(SymbolChange change) {
        return object(
                "from", Numbers.crc(change.from()),
                "to", Numbers.crc(change.to()));
    }

    private static @Nullable Map<String, Object> cause(@Nullable CrcCause cause) {
        if (cause == null) {
            return null;
        }
        Map<String, Object> json = type(cause.change());
        json.put("path", cause.path());
        json.put("certainty", cause.certainty().id());
        json.put("worst", cause.worst().change().id());
        json.put("candidates", list(cause.others(), DifferenceJson::type));
        return json;
    }

    private static Map<String, Object> type(TypeChange change) {
        boolean sized = change.sizeBefore() >= 0;
        return object(
                "kind", change.kind(),
                "name", change.name(),
                "change", change.change().id(),
                "size", sized ? object("from", change.sizeBefore(), "to", change.sizeAfter()) : null,
                "members", list(change.members(), CauseJson::member));
    }
}
