package dev.weaklink.system.initramfs;

import dev.weaklink.system.initramfs.RenewalCommand.RenewalTool;
import java.util.List;

/** Who names images in which way, and the tools that may renew them, the likeliest first. */
enum ImageStyle {
  /** {@code initramfs-K.img}: Red Hat, Fedora and dracut's own default. */
  RED_HAT(RenewalTool.DRACUT, RenewalTool.MKINITCPIO),

  /** {@code initrd.img-K}: Debian and Ubuntu, whose dracut comes with an update-initramfs too. */
  DEBIAN(RenewalTool.UPDATE_INITRAMFS, RenewalTool.DRACUT),

  /** {@code initrd-K} and the older {@code initrd-K.img}. */
  SUSE(RenewalTool.DRACUT),

  /** {@code initramfs-PKGBASE.img}: Arch. */
  PACKAGE_BASE(RenewalTool.MKINITCPIO, RenewalTool.DRACUT),

  /** {@code initramfs-PKGBASE-fallback.img}, for which only mkinitcpio knows the options. */
  PACKAGE_FALLBACK(RenewalTool.MKINITCPIO),

  /** {@code TOKEN/K/initrd} on the boot partition: kernel-install's. */
  BOOT_ENTRY(RenewalTool.DRACUT, RenewalTool.MKINITCPIO);

  private final List<RenewalTool> tools;

  ImageStyle(RenewalTool... tools) {
    this.tools = List.of(tools);
  }

  List<RenewalTool> tools() {
    return tools;
  }

  /** Whether images bear the name of the kernel's package rather than its release. */
  boolean isNamedByPackage() {
    return this == PACKAGE_BASE || this == PACKAGE_FALLBACK;
  }
}
