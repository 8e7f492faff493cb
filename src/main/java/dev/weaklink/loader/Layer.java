package dev.weaklink.loader;

import dev.weaklink.sys.StableId;

/**
 * A group of checks with one subject, such as the signature, roughly in the loader's order. The ids are part of the
 * machine-readable output.
 */
public enum Layer implements StableId {
    INPUT,
    SIGNATURE,
    ELF,
    ARCHITECTURE,
    STRUCT_MODULE,
    MODULE_LAYOUT,
    VERMAGIC,
    LICENSE,
    MODULE_NAME,
    EXPORT_FLAGS,
    EXPORT_VERSIONS,
    SYMBOL_MISSING,
    SYMBOL_GPL_ONLY,
    SYMBOL_CRC,
    SYMBOL_VERSION,
    NAMESPACE,
    DEPENDENCY,
    RELOCATION,
    DUPLICATE_EXPORT,
    BTF,
    IMPORTERS
}
