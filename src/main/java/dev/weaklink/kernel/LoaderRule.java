package dev.weaklink.kernel;

import dev.weaklink.sys.StableId;
import java.util.List;

/** The rules in which the loaders of kernels differ. {@code --loader} accepts their keys. */
public enum LoaderRule implements StableId {
    /** The comparison of CRCs (CONFIG_MODVERSIONS). */
    MODVERSIONS("yes", "no"),
    /**
     * The decision about a symbol without an entry in __versions: refuse (up to 4.8, Debian), accept (upstream 4.9+).
     */
    MISSING_VERSION("refuse", "accept"),
    /** The acceptance of a module without vermagic or versions (CONFIG_MODULE_FORCE_LOAD). */
    FORCE_LOAD("yes", "no"),
    /** The comparison of the size of struct module (6.4+). */
    STRUCT_SIZE("yes", "no"),
    /** The refusal of a symbol in a section that does not exist (7.0+, stable releases of 2026). */
    SYMBOL_SECTIONS("yes", "no"),
    /**
     * The reading of export flags from __kflagstab (7.1+). These flags then show which symbols are GPL-only. The loader
     * refuses a module whose exports have no flags, and ignores the table __ksymtab_gpl.
     */
    EXPORT_FLAGS("yes", "no"),
    /** The support for extended version tables (6.14+). */
    EXTENDED_VERSIONS("yes", "no"),
    /** The layout of __versions that the loader reads: classic, packed (Ubuntu 23.04 to 24.04). */
    VERSIONS_LAYOUT("classic", "packed"),
    /** The check of symbol namespaces: enforce, warn, none (before 5.4). */
    NAMESPACES("enforce", "warn", "none"),
    /** The inheritance of taint from proprietary modules (5.9+). */
    INHERIT_TAINT("yes", "no"),
    /** The check of module signatures (CONFIG_MODULE_SIG). */
    SIGNATURES("yes", "no"),
    /** The kind of signature that the kernel can parse: pkcs7, x509 (before 4.3, RHEL 7). */
    SIGNATURE_KIND("pkcs7", "x509"),
    /**
     * The decision about a module whose signature is missing or is by an unknown key. {@code permissive} loads the
     * module. {@code enforced} (module.sig_enforce) and {@code lockdown} (security/lockdown, integrity or more) refuse
     * the module.
     */
    SIGNATURE_POLICY("permissive", "enforced", "lockdown"),
    /** The trust in modules signed with keys from the firmware (UEFI db) or boot loader (MOK). */
    PLATFORM_KEYS("yes", "no"),
    /** The decision about a BTF section that does not match the kernel's types: accept, refuse. */
    BTF_MISMATCH("accept", "refuse"),
    /**
     * The checks of the ELF file; each value includes the checks of the previous values. {@code header} checks the
     * header, and whether sections are in the file. {@code sections} (5.12+) adds section headers, and names of loaded
     * sections. {@code unique} (6.4+) adds whether certain sections occur only once. {@code names} (stable releases of
     * 2026) adds names of all sections with contents. {@code strings} (6.13+) adds names of all sections, the string
     * table, and names of symbols.
     */
    ELF_CHECKS("header", "sections", "unique", "names", "strings"),
    /**
     * The decision about a section that is both writable and executable: accept, refuse (5.8+,
     * CONFIG_STRICT_MODULE_RWX).
     */
    WRITABLE_CODE("accept", "refuse"),
    /**
     * The sections for ftrace's trampolines that arm64's loader searches for (CONFIG_DYNAMIC_FTRACE): none, core
     * (4.16+), init (core and init; 6.18+, stable releases since).
     */
    TRAMPOLINES("none", "core", "init"),
    /**
     * The decision about two loaded sections of one name: accept, refuse (6.12+ with CONFIG_KALLSYMS, where /sys/module
     * shows a module's sections).
     */
    EQUAL_SECTIONS("accept", "refuse"),
    /**
     * The per-CPU space reserved for modules, PERCPU_MODULE_RESERVE (include/linux/percpu.h): 8k, 64k (with
     * CONFIG_MEM_ALLOC_PROFILING, in 6.10 and some later versions).
     */
    PER_CPU_RESERVE("8k", "64k"),
    /** The decision about _GLOBAL_OFFSET_TABLE_ as an undefined symbol on x86: refuse, ignore (5.12+). */
    GOT_SYMBOL("refuse", "ignore"),
    /** The support for namespaces for named modules ("module:a,b", 6.16+). */
    MODULE_NAMESPACES("yes", "no"),
    /** The decision about a signature that the kernel cannot check: refuse, or treat the module as unsigned (5.4+). */
    UNKNOWN_SIGNATURE("refuse", "unsigned"),
    /**
     * The support for ML-DSA signatures (7.0+): no, unverified (without CONFIG_CRYPTO_MLDSA), plain, attributes (also
     * with signed attributes: CONFIG_PKCS7_WAIVE_AUTHATTRS_REJECTION_FOR_MLDSA).
     */
    ML_DSA("no", "unverified", "plain", "attributes"),
    /**
     * The use of hashes instead of signatures (CONFIG_MODULE_HASHES). A module then ends with a proof that the kernel
     * knows the module's hash; weaklink does not verify this proof.
     */
    MODULE_HASHES("yes", "no"),
    /** The acceptance of modules that are marked as live patches (CONFIG_LIVEPATCH). */
    LIVEPATCH("yes", "no"),
    /**
     * The compression format that the kernel itself can unpack (5.17+, CONFIG_MODULE_DECOMPRESS). The format matters
     * only if kmod (31+) passes files of that format to the kernel without unpacking them.
     */
    DECOMPRESSION("no", "gzip", "xz", "zstd"),
    /** The comparison of vermagic. The kernels of OpenWrt do not compare it, because OpenWrt strips its modules. */
    VERMAGIC("yes", "no"),
    /** The kernel version that decides the order and the messages of the checks, such as 6.1. */
    VERSION;

    private final List<String> choices;

    LoaderRule(String... choices) {
        this.choices = List.of(choices);
    }

    public List<String> choices() {
        return choices;
    }

    public boolean accepts(String value) {
        if (!choices.isEmpty()) {
            return choices.contains(value);
        }
        try {
            return KernelVersion.parse(value).major() > 0;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Returns the value if the rule accepts it.
     *
     * @throws IllegalArgumentException if the rule does not accept the value; the message shows accepted values
     */
    String checked(String value) {
        if (!accepts(value)) {
            throw new IllegalArgumentException("loader rule "
                    + id()
                    + " cannot be '"
                    + value
                    + "'; "
                    + (choices.isEmpty() ? "use a version such as 6.1" : "use one of: " + String.join(", ", choices)));
        }
        return value;
    }
}
