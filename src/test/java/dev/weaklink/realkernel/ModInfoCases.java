package dev.weaklink.realkernel;

import static dev.weaklink.realkernel.SymbolEditor.GLOBAL;
import static dev.weaklink.realkernel.SymbolEditor.WEAK;

import dev.weaklink.realkernel.ModuleEditor.Version;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Modules with another license, other namespaces or other {@code .modinfo} strings. */
final class ModInfoCases {
    private static final String PROPRIETARY = "Proprietary";
    private static final String IMPORT_NS = "import_ns";
    private static final String CIPHER = "crypto_cipher_encrypt_one";

    private ModInfoCases() {}

    static void addTo(Mutations mutations) {
        licenseStrings().forEach((name, text) -> mutations.change(name, editor -> editor.setInfo("license", text)));
        addLicenseTags(mutations);
        addProprietary(mutations);
        addNamespaces(mutations);
        addOthers(mutations);
    }

    private static Map<String, String> licenseStrings() {
        Map<String, String> strings = new LinkedHashMap<>();
        strings.put("lic_proprietary_gplsyms", PROPRIETARY);
        strings.put("lic_gplv3", "GPL v3");
        strings.put("lic_GPL_v2", "GPL v2");
        strings.put("lic_Dual_BSD-GPL", "Dual BSD/GPL");
        strings.put("lic_Dual_MIT-GPL", "Dual MIT/GPL");
        strings.put("lic_Dual_MPL-GPL", "Dual MPL/GPL");
        strings.put("lic_GPL_and_additional_rights", "GPL and additional rights");
        strings.put("lic_gpl", "gpl");
        strings.put("lic_GPL_sp", "GPL ");
        strings.put("lic_MIT", "MIT");
        strings.put("lic_BSD", "BSD");
        strings.put("lic_Apache-20", "Apache-2.0");
        return strings;
    }

    private static void addLicenseTags(Mutations mutations) {
        String tag = "license=" + PROPRIETARY;
        mutations.change("lic_missing", editor -> editor.dropInfo("license"));
        mutations.change("lic_two_prop_first", editor -> editor.info(list -> list.add(0, tag)));
        mutations.change("lic_two_gpl_first", editor -> editor.info(list -> list.add(tag)));
    }

    private static void addProprietary(Mutations mutations) {
        String gplOnly = "synchronize_rcu";
        mutations.change("lic_proprietary_nogpl", "sch_prio", editor -> editor.setInfo("license", PROPRIETARY));
        mutations.change("lic_proprietary_weak_gpl", "sch_prio", editor -> {
            editor.setInfo("license", PROPRIETARY);
            editor.symbols().addUndefined(gplOnly, WEAK);
        });
        mutations.change("lic_proprietary_gpl_badcrc", "sch_prio", editor -> {
            editor.setInfo("license", PROPRIETARY);
            editor.symbols().addUndefined(gplOnly, GLOBAL);
            editor.versions(list -> list.add(new Version(gplOnly, 1)));
        });
        mutations.change("ns_proprietary", "cmac", editor -> editor.setInfo("license", PROPRIETARY));
        mutations.change("big_prop", "mlx4_core", editor -> editor.setInfo("license", PROPRIETARY));
    }

    private static void addNamespaces(Mutations mutations) {
        mutations.change("ns_native_nosig", "cmac", editor -> {});
        mutations.change("ns_missing", "cmac", editor -> editor.dropInfo(IMPORT_NS));
        namespace(mutations, "ns_wrong", "CRYPTO_INTERNA");
        namespace(mutations, "ns_case", "crypto_internal");
        namespace(mutations, "ns_comma", "DMA_BUF,CRYPTO_INTERNAL");
        mutations.change("ns_second_tag", "cmac", editor -> {
            editor.dropInfo(IMPORT_NS);
            editor.info(list -> list.addAll(List.of("import_ns=DMA_BUF", "import_ns=CRYPTO_INTERNAL")));
        });
        mutations.change("ns_missing_weak", "cmac", editor -> {
            editor.dropInfo(IMPORT_NS);
            editor.symbols().makeWeak(CIPHER);
        });
        mutations.change("ns_missing_badcrc", "cmac", editor -> {
            editor.dropInfo(IMPORT_NS);
            editor.flipCrc(CIPHER, 1);
        });
    }

    private static void namespace(Mutations mutations, String name, String namespace) {
        mutations.change(name, "cmac", editor -> editor.setInfo(IMPORT_NS, namespace));
    }

    private static void addOthers(Mutations mutations) {
        mutations.change("mi_no_intree", editor -> editor.dropInfo("intree"));
        mutations.change("mi_no_retpoline", editor -> editor.dropInfo("retpoline"));
        mutations.change("mi_staging", editor -> editor.info(list -> list.add("staging=Y")));
        mutations.change("mi_livepatch", editor -> editor.info(list -> list.add("livepatch=Y")));
        mutations.change("mi_no_section", editor -> editor.elf().rename(".modinfo", ".modinfz"));
        mutations.change("mi_depends_bogus", editor -> editor.setInfo("depends", "no_such_module"));
        mutations.change("mi_name_other", editor -> editor.setInfo("name", "zzz"));
    }
}
