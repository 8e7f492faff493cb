package dev.weaklink.realkernel;

import dev.weaklink.realkernel.ElfEditor.Field;
import dev.weaklink.realkernel.ModuleEditor.Version;
import java.util.Collections;
import java.util.List;

/** Modules with other CRCs, or with a {@code __versions} of another form. */
final class VersionTableCases {
    private static final String TABLE = "__versions";
    private static final String SYMBOL = "register_netdevice";
    private static final Version WRONG = new Version(SYMBOL, 0x12345678);

    private VersionTableCases() {}

    static void addTo(Mutations mutations) {
        addCrcs(mutations);
        addEntries(mutations);
        addSections(mutations);
    }

    private static void addCrcs(Mutations mutations) {
        mutations.change("crc_module_layout", editor -> editor.flipCrc("module_layout", 1));
        mutations.change("crc_one", editor -> editor.flipCrc(SYMBOL, 1));
        mutations.change("crc_high32", editor -> editor.flipCrc(SYMBOL, 1L << 32));
        mutations.change("crc_gpl", editor -> editor.flipCrc("skb_tstamp_tx", 1));
        mutations.change(
                "crc_three",
                editor -> List.of("rtnl_lock", "eth_mac_addr", "free_netdev")
                        .forEach(symbol -> editor.flipCrc(symbol, 1)));
        mutations.change(
                "ver_all_zero",
                editor -> editor.versions(list -> list.replaceAll(version -> version.flipped(version.crc()))));
    }

    private static void addEntries(Mutations mutations) {
        mutations.change("ver_entry_removed", editor -> editor.dropVersion(SYMBOL));
        mutations.change("ver_module_layout_removed", editor -> editor.dropVersion("module_layout"));
        mutations.change("ver_empty", editor -> editor.versions(List::clear));
        mutations.change("ver_dup_good_first", editor -> editor.versions(list -> list.add(WRONG)));
        mutations.change("ver_dup_bad_first", editor -> editor.versions(list -> list.add(0, WRONG)));
        mutations.change(
                "ver_extra_entry", editor -> editor.versions(list -> list.add(new Version("no_such_symbol_zz", 1))));
        mutations.change("ver_reversed", editor -> editor.versions(Collections::reverse));
    }

    private static void addSections(Mutations mutations) {
        mutations.change("ver_no_section", editor -> editor.elf().rename(TABLE, "__versionz"));
        mutations.change("ver_not_alloc", editor -> editor.elf().set(TABLE, Field.FLAGS, 0));
        mutations.change("ver_size_not_multiple", VersionTableCases::cutLastEntry);
    }

    /** Removes the last byte of the last entry, a wrong one for rtnl_lock. */
    private static void cutLastEntry(ModuleEditor editor) {
        Version wrong = new Version("rtnl_lock", WRONG.crc());
        editor.versions(list -> {
            list.removeIf(version -> version.symbol().equals(wrong.symbol()));
            list.add(wrong);
        });
        ElfEditor elf = editor.elf();
        elf.set(TABLE, Field.SIZE, elf.contents(TABLE).length - 1L);
    }
}
