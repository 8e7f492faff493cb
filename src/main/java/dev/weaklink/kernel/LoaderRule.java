package dev.weaklink.kernel;

import dev.weaklink.sys.StableId;
import java.util.List;

/** The choices in which kernels' loaders differ. The keys are what {@code --loader} takes. */
public enum LoaderRule implements StableId {
    /** CONFIG_MODVERSIONS: CRCs are compared at all. yes, no. */
    MODVERSIONS("yes", "no"),
    /** A symbol without an entry in __versions: refuse (up to 4.8, Debian), accept (upstream 4.9+). */
    MISSING_VERSION("refuse", "accept"),
    /** CONFIG_MODULE_FORCE_LOAD: a module without vermagic or versions is accepted. yes, no. */
    FORCE_LOAD("yes", "no"),
    /** The size of struct module is compared (6.4+). yes, no. */
    STRUCT_SIZE("yes", "no"),
    /** A symbol in a section that does not exist is refused (7.0+, stable releases of 2026). yes, no. */
    SYMBOL_SECTIONS("yes", "no"),
    /**
     * GPL-only is a flag in __kflagstab, without which exports are refused, and not the table __ksymtab_gpl, which is
     * ignored (7.1+). yes, no.
     */
    EXPORT_FLAGS("yes", "no"),
    /** Extended version tables are read (6.14+ with CONFIG_EXTENDED_MODVERSIONS support). yes, no. */
    EXTENDED_VERSIONS("yes", "no"),
    /** How __versions is read: classic, packed (Ubuntu 23.04 to 24.04). */
    VERSIONS_LAYOUT("classic", "packed"),
    /** Symbol namespaces: enforce, warn, none (before 5.4). */
    NAMESPACES("enforce", "warn", "none"),
    /** Taint inheritance from proprietary modules (5.9+). yes, no. */
    INHERIT_TAINT("yes", "no"),
    /** CONFIG_MODULE_SIG. yes, no. */
    SIGNATURES("yes", "no"),
    /** Kind of signature understood: pkcs7, x509 (3.10, RHEL 7). */
    SIGNATURE_KIND("pkcs7", "x509"),
    /**
     * What becomes of a module whose signature is missing or by an unknown key: permissive loads it, enforced
     * (module.sig_enforce) and lockdown (security/lockdown, integrity or more) do not.
     */
    SIGNATURE_POLICY("permissive", "enforced", "lockdown"),
    /** Keys enrolled in the firmware (UEFI db) or boot loader (MOK) are trusted for modules. */
    PLATFORM_KEYS("yes", "no"),
    /** A BTF that does not fit: accept, refuse. */
    BTF_MISMATCH("accept", "refuse"),
    /**
     * How much of the ELF file is looked at: its header and whether sections are in the file; from 5.12 on section
     * names and headers; from 6.4 on that sections are unique; then names of all sections (stable releases of 2026);
     * from 6.13 on strings.
     */
    ELF_CHECKS("header", "sections", "unique", "names", "strings"),
    /** A section both writable and executable: accept, refuse (5.8+, CONFIG_STRICT_MODULE_RWX). */
    WRITABLE_CODE("accept", "refuse"),
    /**
     * Which sections for ftrace's trampolines arm64's loader looks for (CONFIG_DYNAMIC_FTRACE): none, core (4.16+),
     * init as well (6.18+, stable releases since).
     */
    TRAMPOLINES("none", "core", "init"),
    /** Two loaded sections of one name: accept, refuse (6.12+ with CONFIG_KALLSYMS, where /sys/module shows them). */
    EQUAL_SECTIONS("accept", "refuse"),
    /** _GLOBAL_OFFSET_TABLE_ as an undefined symbol on x86: refuse, ignore (5.12+). */
    GOT_SYMBOL("refuse", "ignore"),
    /** Namespaces for named modules ("module:a,b", 6.16+). yes, no. */
    MODULE_NAMESPACES("yes", "no"),
    /** A signature the kernel cannot check: refuse, or as if unsigned (5.4+). */
    UNKNOWN_SIGNATURE("refuse", "unsigned"),
    /**
     * Signatures by ML-DSA (7.0+): no, unverified (without CONFIG_CRYPTO_MLDSA), plain, attributes (with signed
     * attributes, too: CONFIG_PKCS7_WAIVE_AUTHATTRS_REJECTION_FOR_MLDSA).
     */
    ML_DSA("no", "unverified", "plain", "attributes"),
    /** CONFIG_MODULE_HASHES: proofs in the place of signatures, which are not followed here. yes, no. */
    MODULE_HASHES("yes", "no"),
    /** CONFIG_LIVEPATCH: modules that are marked as live patches are accepted. yes, no. */
    LIVEPATCH("yes", "no"),
    /**
     * The compression of modules that the kernel unpacks itself (5.17+, CONFIG_MODULE_DECOMPRESS), if kmod (31+) hands
     * it such files. no, gzip, xz, zstd.
     */
    DECOMPRESSION("no", "gzip", "xz", "zstd"),
    /** vermagic is compared; OpenWrt's stripped modules are not. yes, no. */
    VERMAGIC("yes", "no"),
    /** Order and words of the checks: the kernel version they are taken from, such as 6.1. */
    VERSION;

    private final List<String> choices;

    LoaderRule(String... choices) {
        this.choices = List.of(choices);
    }

    /** The values it can have; empty for {@link #VERSION}, which takes version numbers. */
    public List<String> choices() {
        return choices;
    }

    /** Whether it can have this value. */
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
     * The value itself.
     *
     * @throws IllegalArgumentException with the values to choose from, if it cannot have this one
     */
    String checked(String value) {
        if (!accepts(value)) {
            throw new IllegalArgumentException("loader rule "
                    + id()
                    + " cannot be '"
                    + value
                    + "'; "
                    + (choices.isEmpty() ? "a version such as 6.1" : String.join(", ", choices)));
        }
        return value;
    }
}
