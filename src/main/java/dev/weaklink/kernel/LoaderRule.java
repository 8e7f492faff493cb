package dev.weaklink.kernel;

/** The choices in which kernels' loaders differ. The keys are what {@code --loader} takes. */
public enum LoaderRule {
  /** CONFIG_MODVERSIONS: CRCs are compared at all. yes, no. */
  MODVERSIONS("modversions"),
  /**
   * A symbol without an entry in __versions: refuse (up to 4.8, Debian), accept (upstream 4.9+).
   */
  MISSING_VERSION("missing-version"),
  /** CONFIG_MODULE_FORCE_LOAD: a module without vermagic or versions is accepted. yes, no. */
  FORCE_LOAD("force-load"),
  /** The size of struct module is compared (6.4+). yes, no. */
  STRUCT_SIZE("struct-size"),
  /** Extended version tables are read (6.14+ with CONFIG_EXTENDED_MODVERSIONS support). yes, no. */
  EXTENDED_VERSIONS("extended-versions"),
  /** How __versions is read: classic, packed (Ubuntu 23.04 to 24.04). */
  VERSIONS_LAYOUT("versions-layout"),
  /** Symbol namespaces: enforce, warn, none (before 5.4). */
  NAMESPACES("namespaces"),
  /** Taint inheritance from proprietary modules (5.9+). yes, no. */
  INHERIT_TAINT("inherit-taint"),
  /** CONFIG_MODULE_SIG. yes, no. */
  SIGNATURES("signatures"),
  /** Kind of signature understood: pkcs7, x509 (3.10, RHEL 7). */
  SIGNATURE_KIND("signature-kind"),
  /** A BTF that does not fit: accept, refuse. */
  BTF_MISMATCH("btf-mismatch"),
  /** vermagic is compared; OpenWrt's stripped modules are not. yes, no. */
  VERMAGIC("vermagic"),
  /** Order and words of the checks: the kernel version they are taken from, such as 6.1. */
  VERSION("version");

  private final String key;

  LoaderRule(String key) {
    this.key = key;
  }

  /** Name on the command line and in machine-readable output. */
  public String key() {
    return key;
  }
}
