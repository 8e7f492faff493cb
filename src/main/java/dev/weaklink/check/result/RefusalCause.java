package dev.weaklink.check.result;

import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.sys.Escape;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A cause that several refused modules may share.
 *
 * @param layer the loader's check that fails
 * @param subject the symbol, dependency, defect or changed type that causes the refusal; empty if the failed check
 *     alone is the cause
 * @param change the change of that type, null if unknown
 */
public record RefusalCause(Layer layer, String subject, TypeChange.@Nullable TypeChangeKind change) {
    static final Comparator<RefusalCause> ORDER = Comparator.comparing(RefusalCause::layer)
            .thenComparing(cause -> cause.change() == null)
            .thenComparing(RefusalCause::subject)
            .thenComparing(RefusalCause::change, Comparator.nullsFirst(Comparator.naturalOrder()));

    public static RefusalCause of(Finding finding) {
        CrcCause why = finding.cause();
        return why == null
                ? new RefusalCause(finding.layer(), subject(finding), null)
                : new RefusalCause(
                        Layer.SYMBOL_CRC, why.change().title(), why.change().change());
    }

    private static String subject(Finding finding) {
        return switch (finding.layer()) {
            case INPUT, SIGNATURE, ARCHITECTURE, STRUCT_MODULE, MODULE_LAYOUT, VERMAGIC -> "";
            case ELF -> finding.detail();
            case DEPENDENCY -> firstOf(finding.exporter(), finding.symbol());
            default -> firstOf(finding.symbol(), null);
        };
    }

    private static String firstOf(@Nullable String first, @Nullable String second) {
        if (first != null) {
            return first;
        }
        return second != null ? second : "";
    }

    boolean isLessThan(TypeChange.TypeChangeKind other) {
        return change != null && other.compareTo(change) < 0;
    }

    public String clause() {
        String name = Escape.bytes(subject);
        if (change != null) {
            return name + change.clause();
        }
        return switch (layer) {
            case INPUT -> "the file cannot be read";
            case SIGNATURE -> "the signature is not accepted";
            case ELF -> about("not a valid module file", name);
            case ARCHITECTURE -> "built for another architecture";
            case STRUCT_MODULE -> "struct module has another size";
            case MODULE_LAYOUT -> "module_layout has changed";
            case VERMAGIC -> "the version magic differs";
            case LICENSE -> about("the license", name);
            case MODULE_NAME -> "the module's name is not accepted";
            case EXPORT_FLAGS -> "the module's exports have no flags";
            case EXPORT_VERSIONS -> "the module's exports have no CRCs";
            case SYMBOL_MISSING -> "unknown symbol " + name;
            case SYMBOL_GPL_ONLY -> name + " is for GPL modules only";
            case SYMBOL_CRC -> name + " has changed";
            case SYMBOL_VERSION -> about("the module has no CRC for the symbol", name);
            case NAMESPACE -> about("a namespace is not imported", name);
            case DEPENDENCY -> "depends on " + name + ", which would not load either";
            case RELOCATION -> "a relocation is not accepted";
            case DUPLICATE_EXPORT -> about("exported twice", name);
            case IMPORTERS -> "keeps other modules from loading";
            case BTF -> "the BTF does not fit";
        };
    }

    private static String about(String clause, String name) {
        return name.isEmpty() ? clause : clause + ": " + name;
    }
}
