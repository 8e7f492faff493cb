package dev.weaklink.format.archive;

import dev.weaklink.sys.StableId;

/** The format of a package. */
public enum PackageKind implements StableId {
  RPM,
  /** Debian's; opkg's older packages are the same. */
  DEB,
  /** OpenWrt's, a tar of tars. */
  IPK,
  /** Alpine's second and third format; OpenWrt's packages are of the third. */
  APK,
  /** A tar archive, of files or of packages. */
  TAR,
  /** A directory in OCI image layout. */
  OCI
}
