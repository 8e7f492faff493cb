package dev.weaklink.archive;

/** The format of a package. */
public enum PackageKind {
  RPM("rpm"),
  /** Debian's; opkg's older packages are the same. */
  DEB("deb"),
  /** OpenWrt's, a tar of tars. */
  IPK("ipk"),
  /** Alpine's second and third format; OpenWrt's packages are of the third. */
  APK("apk"),
  /** A tar archive, of files or of packages. */
  TAR("tar"),
  /** A directory in OCI image layout. */
  OCI("oci");

  private final String id;

  PackageKind(String id) {
    this.id = id;
  }

  /** Its name, as in file endings. */
  public String id() {
    return id;
  }
}
