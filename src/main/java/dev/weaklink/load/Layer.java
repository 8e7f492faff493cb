package dev.weaklink.load;

/** What was looked at, in the loader's order. The ids are part of the machine-readable contract. */
public enum Layer {
  /** The file could not be read at all. */
  INPUT("input"),
  SIGNATURE("signature"),
  ELF("elf"),
  ARCHITECTURE("architecture"),
  STRUCT_MODULE("struct-module"),
  MODULE_LAYOUT("module-layout"),
  VERMAGIC("vermagic"),
  LICENSE("license"),
  NAME("module-name"),
  EXPORT_FLAGS("export-flags"),
  EXPORT_VERSIONS("export-versions"),
  SYMBOL_MISSING("symbol-missing"),
  SYMBOL_GPL("symbol-gpl-only"),
  SYMBOL_CRC("symbol-crc"),
  SYMBOL_VERSION("symbol-version"),
  NAMESPACE("namespace"),
  DEPENDENCY("dependency"),
  RELOCATION("relocation"),
  DUPLICATE_EXPORT("duplicate-export"),
  BTF("btf");

  private final String id;

  Layer(String id) {
    this.id = id;
  }

  /** Stable name in machine-readable output. */
  public String id() {
    return id;
  }
}
