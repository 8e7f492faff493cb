package dev.weaklink.explain;

import java.util.Set;

/**
 * Symbols that no driver's source names: the compiler calls them, or inline functions and macros of
 * the kernel's headers do. Whether such a symbol is there or not, a source stays as it is.
 */
final class HeaderSymbols {
  /**
   * Those of include/ and arch/ARCH/include in 6.1 and 6.12 that source files of drivers, file
   * systems and networks do not name, as far as they do not begin with an underscore.
   */
  private static final Set<String> NAMES =
      Set.of(
          "boot_cpu_data",
          "clear_page_erms",
          "clear_page_orig",
          "clear_page_rep",
          "clear_user_erms",
          "clear_user_original",
          "clear_user_rep_good",
          "const_pcpu_hot",
          "copy_user_enhanced_fast_string",
          "copy_user_generic_string",
          "copy_user_generic_unrolled",
          "cpu_bit_bitmap",
          "cpu_info",
          "cpu_number",
          "current_task",
          "dump_stack_lvl",
          "fixed_percpu_data",
          "fortify_panic",
          "kfree_skb_reason",
          "kmalloc_caches",
          "kmalloc_large",
          "kmalloc_large_node",
          "kmalloc_node_trace",
          "kmalloc_order",
          "kmalloc_order_trace",
          "kmalloc_trace",
          "kmem_cache_alloc_node_trace",
          "kmem_cache_alloc_trace",
          "mem_section",
          "memcg_kmem_enabled_key",
          "page_offset_base",
          "pcpu_hot",
          "pgdir_shift",
          "phys_base",
          "physical_mask",
          "preempt_schedule",
          "preempt_schedule_notrace",
          "ptrs_per_p4d",
          "pv_ops",
          "refcount_warn_saturate",
          "smp_num_siblings",
          "this_cpu_off",
          "usb_hid_driver",
          "vmalloc_base",
          "vmemmap_base");

  private HeaderSymbols() {}

  /** Whether a source may name it. */
  static boolean isWritten(String symbol) {
    return !symbol.startsWith("_") && !symbol.endsWith("_noprof") && !NAMES.contains(symbol);
  }
}
