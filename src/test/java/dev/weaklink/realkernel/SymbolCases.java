package dev.weaklink.realkernel;

import static dev.weaklink.realkernel.SymbolEditor.GLOBAL;
import static dev.weaklink.realkernel.SymbolEditor.WEAK;

import java.util.List;

/** Modules with other imports, or imports of another form. */
final class SymbolCases {
    private static final String SYMBOL = "register_netdevice";
    private static final String MISSPELT = "register_netdevicf";
    private static final String NOWHERE = "no_such_symbol_zz";

    private SymbolCases() {}

    static void addTo(Mutations mutations) {
        addUnknown(mutations);
        addMixed(mutations);
    }

    private static void addUnknown(Mutations mutations) {
        mutations.change("sym_unknown", editor -> editor.symbols().rename(SYMBOL, MISSPELT));
        mutations.change("sym_unknown_weak", editor -> {
            editor.symbols().makeWeak(SYMBOL);
            editor.symbols().rename(SYMBOL, MISSPELT);
        });
        importing(mutations, "sym_unknown_extra", NOWHERE, GLOBAL);
        importing(mutations, "sym_unknown_extra_weak", NOWHERE, WEAK);
        importing(mutations, "sym_unknown_dot", "tunnel4_zz.isra.0", GLOBAL);
        importing(mutations, "sym_unexported", "kallsyms_lookup_name", GLOBAL);
        importing(mutations, "sym_got", "_GLOBAL_OFFSET_TABLE_", GLOBAL);
    }

    private static void addMixed(Mutations mutations) {
        mutations.change("sym_weak_bad_crc", editor -> {
            editor.flipCrc("rtnl_lock", 1);
            editor.symbols().makeWeak("rtnl_lock");
        });
        mutations.change("sym_crc_then_unknown", editor -> {
            editor.flipCrc(editor.symbols().undefined().get(0), 1);
            editor.symbols().addUndefined(NOWHERE, GLOBAL);
        });
        mutations.change("sym_unknown_then_crc", editor -> {
            List<String> imports = editor.symbols().undefined();
            editor.flipCrc(imports.get(imports.size() - 1), 1);
            editor.symbols().rename(imports.get(0), NOWHERE);
        });
        mutations.change("sym_common", editor -> editor.symbols().makeCommon(SYMBOL));
    }

    private static void importing(Mutations mutations, String name, String symbol, int binding) {
        mutations.change(name, editor -> editor.symbols().addUndefined(symbol, binding));
    }
}
