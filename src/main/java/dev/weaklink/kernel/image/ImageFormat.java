package dev.weaklink.kernel.image;

import dev.weaklink.sys.StableId;

/** What kind of file a kernel image is, on the outside. */
public enum ImageFormat implements StableId {
  /** Real-mode setup code and a packed ELF file (Documentation/arch/x86/boot.rst). */
  X86_BZIMAGE("x86 bzImage"),
  /** An EFI program that unpacks the kernel (drivers/firmware/efi/libstub/zboot-header.S, 6.1+). */
  EFI_ZBOOT("EFI zboot image"),
  /** An EFI program with a whole kernel image in its section .linux. */
  UNIFIED_KERNEL_IMAGE("unified kernel image"),
  /** Documentation/arch/arm64/booting.rst. */
  ARM64_IMAGE("arm64 Image"),
  /** Documentation/arch/riscv/boot-image-header.rst. */
  RISCV_IMAGE("RISC-V Image"),
  /** arch/loongarch/kernel/head.S. */
  LOONGARCH_IMAGE("LoongArch Image"),
  /** arch/arm/boot/compressed/head.S. */
  ARM_ZIMAGE("arm zImage"),
  /** arch/s390/boot/head.S. */
  S390_IMAGE("s390 image"),
  ELF("ELF file"),
  /** Nothing around it is known. */
  OTHER("kernel image");

  private final String words;

  ImageFormat(String words) {
    this.words = words;
  }

  /** Name for people. */
  public String words() {
    return words;
  }
}
