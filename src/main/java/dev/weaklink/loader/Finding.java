package dev.weaklink.loader;

import dev.weaklink.sys.StableId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One thing seen while judging a module.
 *
 * @param kind what it is
 * @param effect what it does to the verdict
 * @param errno the errno this step gives ("ENOEXEC"), null unless {@link Effect#REFUSES}
 * @param symbol the symbol it is about, null if none
 * @param wants what the module demands: a CRC as 0x%08x, a vermagic, a size; null if not meaningful
 * @param offers what the target has instead, null if not meaningful
 * @param exporter who exports the symbol on the target ("vmlinux" or a module name), null if unknown
 * @param dmesg the line the target would log, without the time stamp; null if it would be silent
 * @param detail one plain sentence saying what is wrong
 * @param cause why the CRC of the symbol changed, null where nobody asked or it is not known
 * @param importer the module that would no longer load; null unless {@link Effect#BREAKS}, where the rest is what the
 *     loader says of it
 */
public record Finding(
        FindingKind kind,
        Effect effect,
        @Nullable String errno,
        @Nullable String symbol,
        @Nullable String wants,
        @Nullable String offers,
        @Nullable String exporter,
        @Nullable String dmesg,
        String detail,
        @Nullable CrcCause cause,
        @Nullable Importer importer) {

    /**
     * A module that another one keeps from loading.
     *
     * @param used whether the machine uses it: it is loaded, a device asks for it, or an initramfs of the kernel has it
     */
    public record Importer(String name, boolean used) {}

    /** Without a cause. */
    public Finding(
            FindingKind kind,
            Effect effect,
            @Nullable String errno,
            @Nullable String symbol,
            @Nullable String wants,
            @Nullable String offers,
            @Nullable String exporter,
            @Nullable String dmesg,
            String detail) {
        this(kind, effect, errno, symbol, wants, offers, exporter, dmesg, detail, null, null);
    }

    /** Something worth knowing about a symbol, or what the module wants. */
    public static Finding note(FindingKind kind, @Nullable String symbol, @Nullable String wants, String detail) {
        return new Finding(kind, Effect.NOTE, null, symbol, wants, null, null, null, detail);
    }

    /** The same with the cause of a changed CRC. */
    public Finding with(CrcCause why) {
        return new Finding(kind, effect, errno, symbol, wants, offers, exporter, dmesg, detail, why, importer);
    }

    /** The same refusal as something to be said of a module that is to blame for it. */
    Finding breaking(String module) {
        return new Finding(
                FindingKind.BREAKS_IMPORTER,
                Effect.BREAKS,
                errno,
                symbol,
                wants,
                offers,
                exporter,
                dmesg,
                module + " loads without this module, and would not with it in place",
                null,
                new Importer(module, false));
    }

    /** The same, about a module that the machine uses; itself unless it is about one of these. */
    public Finding used(Set<String> modules) {
        if (importer == null || !modules.contains(importer.name())) {
            return this;
        }
        Importer used = new Importer(importer.name(), true);
        return new Finding(kind, effect, errno, symbol, wants, offers, exporter, dmesg, detail, cause, used);
    }

    /** Where it was seen. */
    public Layer layer() {
        return kind.layer();
    }

    /** What a finding does to the verdict. */
    public enum Effect implements StableId {
        /** The loader refuses the module. */
        REFUSES,
        /** The loader may accept it, but that could not be proven. */
        UNPROVEN,
        /** It would load, but another module that loads without it would not load with it. */
        BREAKS,
        /** Worth knowing, changes nothing. */
        NOTE
    }

    /**
     * A module that another one takes symbols from.
     *
     * @param name module name
     * @param file its file
     * @param given true if it is one of the modules being checked, false if it is the target's own
     */
    public record Provider(String name, String file, boolean given) {}
}
