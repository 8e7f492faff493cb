package dev.weaklink.testing;

import java.util.ArrayList;
import java.util.List;

/**
 * The description of a kernel that {@link KernelWriter} writes.
 *
 * @param machine the kernel's machine
 * @param release the kernel's release
 * @param relative true if export tables have place-relative fields of 32 bits, false for pointers
 * @param fields the number of fields of an entry: 2, or 3 with a namespace
 * @param crcs the form of the CRC tables
 * @param exports the exports
 * @param texts further strings in the image
 * @param flagged true if the kernel has one export table and a table of flags: 7.1 and later
 */
public record KernelSpec(
        Machine machine,
        String release,
        boolean relative,
        int fields,
        Crcs crcs,
        List<Export> exports,
        List<String> texts,
        boolean flagged) {

    /**
     * An exported symbol.
     *
     * @param namespace the namespace, empty for none
     */
    public record Export(String name, boolean gpl, int crc, String namespace) {}

    /** The form of the CRC tables. */
    public enum Crcs {
        NONE,
        /** u32: 4.10 and later. */
        PLAIN,
        /** unsigned long: up to 4.9. */
        WORDS,
        /** s32 distances to a u32: CONFIG_MODULE_REL_CRCS, 4.10 to 5.18. */
        DISTANCES
    }

    /** Returns a kernel of 6.1 with exports of every kind. */
    public static KernelSpec of(Machine machine) {
        boolean relative = machine.hasRelativeExports();
        return new KernelSpec(machine, "6.1.0-7-test", relative, 3, Crcs.PLAIN, exports(3), loaderTexts(), false);
    }

    /** Returns this kernel with the layout of another release. */
    public KernelSpec laidOut(String otherRelease, boolean isRelative, int fieldCount, Crcs kind) {
        return new KernelSpec(machine, otherRelease, isRelative, fieldCount, kind, exports(fieldCount), texts, false);
    }

    /**
     * Returns this kernel with one export table and a table of flags.
     *
     * @param kind the form of the CRC tables
     */
    public KernelSpec flagged(Crcs kind) {
        return new KernelSpec(machine, "7.2.1-test", relative, fields, kind, exports, texts, true);
    }

    public KernelSpec saying(List<String> other) {
        return new KernelSpec(machine, release, relative, fields, crcs, exports, other, flagged);
    }

    public KernelSpec released(String other) {
        return new KernelSpec(machine, other, relative, fields, crcs, exports, texts, flagged);
    }

    public KernelSpec exporting(List<Export> other) {
        return new KernelSpec(machine, release, relative, fields, crcs, other, texts, flagged);
    }

    /** Returns the vermagic with which the kernel compares that of a module. */
    public String vermagic() {
        return release + " SMP mod_unload " + (crcs == Crcs.NONE ? "" : "modversions ");
    }

    /** Returns linux_banner without its line feed. */
    public String banner() {
        return "Linux version " + release + " (someone@somewhere) (a compiler) #1 SMP";
    }

    /** Returns the log messages of the loader that distributions' kernels contain. */
    static List<String> usualTexts() {
        return List.of(
                "%s: no symbol version for %s\n",
                "<%s: version magic '%s' should be '%s'\n",
                "%s: %s: kernel tainted.\n",
                "%s: module uses symbols from proprietary module %s, inheriting taint.\n",
                "%s: module verification failed: signature and/or required key missing\n",
                "%s: PKCS#7 signature info has unexpected non-zero params\n",
                "\u00013%s: module uses symbol (%s) from namespace %s, but does not import it.\n");
    }

    private static List<String> loaderTexts() {
        return List.of("%s: no symbol version for %s\n", "<%s: version magic '%s' should be '%s'\n");
    }

    private static List<Export> exports(int fields) {
        List<Export> exports = new ArrayList<>();
        String[] plain = {"_printk", "jiffies", "kfree", "memcpy", "module_layout", "module_put", "zap"};
        for (String name : plain) {
            exports.add(new Export(name, false, crc(name), ""));
        }
        for (int i = 10; i < 40; i++) {
            String name = "gpl_" + i;
            String namespace = fields == 3 && i % 5 == 0 ? "SPACE_" + i % 2 : "";
            exports.add(new Export(name, true, crc(name), namespace));
        }
        return exports;
    }

    private static int crc(String name) {
        return name.hashCode() * 0x9e3779b1 | 0x40000000;
    }
}
