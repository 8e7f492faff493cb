package dev.weaklink.explain;

import dev.weaklink.sys.ShippedText;
import java.util.Iterator;
import java.util.Set;

/**
 * Symbols that drivers' sources seldom name: the compiler calls them, or inline functions and macros of the kernel's
 * headers do. Whether such a symbol is there or not, a source stays as it is. A table says what most modules of 6.1 and
 * 6.12 have in their own sources (see src/data/HeaderCalls.java); of what it does not know, names with underscores in
 * front are taken to be called by headers.
 */
final class HeaderSymbols {
    /** Of other kernels, or of drivers out of the tree. */
    private static final Set<String> ELSEWHERE = Set.of(
            "dump_stack_lvl",
            "kmalloc_order",
            "kmalloc_order_trace",
            "kmem_cache_alloc_node_trace",
            "kmem_cache_alloc_trace",
            "memcg_kmem_enabled_key",
            "preempt_schedule",
            "preempt_schedule_notrace",
            "smp_num_siblings",
            "usb_hid_driver",
            "vmalloc_base");

    private HeaderSymbols() {}

    /** Read when it is first asked for. */
    private static final class Table {
        static final Set<String> CALLED;
        static final Set<String> WRITTEN;

        static {
            Iterator<String> lines = ShippedText.unpacked("/explain/header-calls.txt.gz")
                    .lines()
                    .dropWhile(line -> line.startsWith("#"))
                    .iterator();
            CALLED = Set.of(lines.next().split(" "));
            WRITTEN = Set.of(lines.next().split(" "));
        }
    }

    /** Whether a source may name it. */
    static boolean isWritten(String symbol) {
        if (symbol.startsWith("_")) {
            return Table.WRITTEN.contains(symbol);
        }
        return !symbol.endsWith("_noprof") && !ELSEWHERE.contains(symbol) && !Table.CALLED.contains(symbol);
    }
}
