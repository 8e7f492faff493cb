package dev.weaklink.realkernel;

import java.nio.charset.StandardCharsets;

/** Modules with other exports or another name, and a large module. */
final class ExportCases {
    private static final String STRINGS = "__ksymtab_strings";

    private ExportCases() {}

    static void addTo(Mutations mutations) {
        mutations.change("exp_duplicate", "crc7", ExportCases::exportWhatTheKernelExports);
        mutations.change("exp_no_crcs", "crc7", editor -> editor.elf().rename("__kcrctab", "__kcrctaz"));
        mutations.change("exp_nosig", "crc7", editor -> {});
        mutations.change("name_other", "crc7", editor -> editor.setStructName("usbcore_zz"));
        mutations.change("name_builtin", "nls_utf8", editor -> editor.setStructName("printk"));
        mutations.change("name_empty", "nls_utf8", editor -> editor.setStructName(""));
        mutations.change("big_nosig", "mlx4_core", editor -> {});
        mutations.change("big_crc", "mlx4_core", editor -> editor.flipCrc("_printk", 1));
    }

    /** Renames crc7_be to iunique, a name of the same length that vmlinux exports. */
    private static void exportWhatTheKernelExports(ModuleEditor editor) {
        String names = new String(editor.elf().contents(STRINGS), StandardCharsets.ISO_8859_1)
                .replaceFirst("(?<![^\0])crc7_be\0", "iunique\0");
        editor.elf().replace(STRINGS, names.getBytes(StandardCharsets.ISO_8859_1));
    }
}
