package dev.weaklink.kernel;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The traces of the module loader in a kernel's image.
 *
 * @param banner linux_banner, which names the builder; null if not found
 * @param found all traces that the image contains
 * @param versionEntrySize bytes of struct modversion_info, -1 if unknown
 */
public record LoaderTraces(@Nullable String banner, Set<LoaderTrace> found, int versionEntrySize) {
    public LoaderTraces {
        found = Set.copyOf(found);
    }

    public boolean hasSymbolSections() {
        return found.contains(LoaderTrace.SYMBOL_SECTIONS);
    }

    /**
     * The strings in a kernel image that show how its module loader was built; most are messages of the loader
     * (kernel/module.c, kernel/module/*.c).
     */
    public enum LoaderTrace {
        MODVERSIONS("no symbol version for"),
        FORCE_LOAD("%s: %s: kernel tainted."),
        STRUCT_SIZE("section size must match"),
        SECTION_NAMES("Exactly one .gnu.linkonce.this_module section must exist"),
        SYMBOL_NAMES("symbol string table missing leading NUL"),
        SYMBOL_SECTIONS("has an invalid section index"),
        EXPORT_FLAGS("no flags for exported symbols"),
        EXTENDED_VERSIONS("extended version crc+name"),
        NAMESPACES_ENFORCED("\u00013%s: module uses symbol (%s) from namespace %s"),
        NAMESPACES_WARNED("\u00014%s: module uses symbol (%s) from namespace %s"),
        INHERITED_TAINT("inheriting taint"),
        SIGNATURES("module verification failed: signature"),
        PKCS7("PKCS#7 signature info has unexpected"),
        BTF_CHECKED("failed to validate module [%s] BTF"),
        /** The message from 6.3 on, with CONFIG_MODULE_ALLOW_BTF_MISMATCH. */
        BTF_TOLERATED("Kernel module BTF mismatch detected"),
        /** The message of kernels that lack CONFIG_LIVEPATCH, 4.7 and later. */
        NO_LIVEPATCH("module is marked as livepatch module, but livepatch support is disabled"),
        /**
         * The message of kernel/module/decompress.c (CONFIG_MODULE_DECOMPRESS), which shows the compression that the
         * kernel can unpack.
         */
        UNPACKS_GZIP("not a gzip compressed module"),
        UNPACKS_XZ("not an xz compressed module"),
        UNPACKS_ZSTD("not a zstd compressed module"),
        /** The message of kernel/trace/ftrace.c: CONFIG_DYNAMIC_FTRACE. */
        FUNCTION_TRACING("ftrace: allocating %ld entries in %ld pages"),
        /** The heading of /proc/allocinfo (lib/alloc_tag.c): CONFIG_MEM_ALLOC_PROFILING. */
        ALLOCATION_PROFILING("allocinfo - version: "),
        TRAMPOLINE(".text.ftrace_trampoline"),
        INIT_TRAMPOLINE(".init.text.ftrace_trampoline"),
        VERMAGIC("version magic '%s' should be '%s'");

        private final String text;

        LoaderTrace(String text) {
            this.text = text;
        }

        /** Returns the string to search for, with one character for each byte. */
        public String text() {
            return text;
        }
    }
}
