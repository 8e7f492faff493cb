package dev.weaklink.loader;

import dev.weaklink.sys.StableId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A fact found while judging a module.
 *
 * @param effect the effect on the verdict
 * @param errno the errno of a refusal, such as "ENOEXEC"; null unless the effect is {@link Effect#REFUSES} or
 *     {@link Effect#BREAKS}
 * @param symbol the symbol concerned, null if there is none
 * @param wants the value that the module requires, such as a CRC as 0x%08x, a vermagic or a size; null if not
 *     applicable
 * @param offers the value that the target has instead, null if not applicable
 * @param exporter the exporter of the symbol on the target: "vmlinux" or a module name; "kernel" if the module exports
 *     a symbol of vmlinux; null if unknown
 * @param dmesg the target's log message without its time stamp; null if the kernel logs nothing
 * @param detail a sentence that explains the problem
 * @param cause the cause of a changed CRC, null if not requested or unknown
 * @param importer the module that would stop loading, null unless the effect is {@link Effect#BREAKS}; the components
 *     from {@code errno} to {@code dmesg} then describe why the loader refuses the importer
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
     * A module that would stop loading because another module is installed.
     *
     * @param used true if the machine uses the module: the module is loaded, a device needs it, modules-load.d(5) lists
     *     it, or an initramfs of the kernel contains it
     */
    public record Importer(String name, boolean used) {}

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

    public static Finding note(FindingKind kind, @Nullable String symbol, @Nullable String wants, String detail) {
        return new Finding(kind, Effect.NOTE, null, symbol, wants, null, null, null, detail);
    }

    public Finding with(CrcCause why) {
        return new Finding(kind, effect, errno, symbol, wants, offers, exporter, dmesg, detail, why, importer);
    }

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
                module + " loads without this module, but would not load with it",
                null,
                new Importer(module, false));
    }

    public Finding used(Set<String> modules) {
        if (importer == null || !modules.contains(importer.name())) {
            return this;
        }
        Importer used = new Importer(importer.name(), true);
        return new Finding(kind, effect, errno, symbol, wants, offers, exporter, dmesg, detail, cause, used);
    }

    public Layer layer() {
        return kind.layer();
    }

    public enum Effect implements StableId {
        REFUSES,
        UNPROVEN,
        /** Another module would stop loading because of this module. */
        BREAKS,
        NOTE
    }

    /**
     * A module from which another module imports symbols.
     *
     * @param file the module's file, as {@code FILE} or {@code PACKAGE!MEMBER}; the module as written in the kernel's
     *     symvers if its file is not available
     * @param given true if the module is one of the modules being checked, false if it is one of the target's own
     *     modules
     */
    public record Provider(String name, String file, boolean given) {}
}
