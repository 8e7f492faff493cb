package dev.weaklink.image;

/** What kind of file a kernel image is, on the outside. */
public enum ImageFormat {
  /** Real-mode setup code and a packed ELF file (Documentation/arch/x86/boot.rst). */
  X86_BZIMAGE("x86-bzimage", "x86 bzImage"),
  /** An EFI program that unpacks the kernel (drivers/firmware/efi/libstub/zboot-header.S, 6.1+). */
  EFI_ZBOOT("efi-zboot", "EFI zboot image"),
  /** An EFI program with a whole kernel image in its section .linux. */
  UNIFIED("unified-kernel-image", "unified kernel image"),
  /** Documentation/arch/arm64/booting.rst. */
  ARM64_IMAGE("arm64-image", "arm64 Image"),
  /** Documentation/arch/riscv/boot-image-header.rst. */
  RISCV_IMAGE("riscv-image", "RISC-V Image"),
  /** arch/loongarch/kernel/head.S. */
  LOONGARCH_IMAGE("loongarch-image", "LoongArch Image"),
  /** arch/arm/boot/compressed/head.S. */
  ARM_ZIMAGE("arm-zimage", "arm zImage"),
  /** arch/s390/boot/head.S. */
  S390_IMAGE("s390-image", "s390 image"),
  ELF("elf", "ELF file"),
  /** Nothing around it is known. */
  OTHER("other", "kernel image");

  private final String id;
  private final String words;

  ImageFormat(String id, String words) {
    this.id = id;
    this.words = words;
  }

  /** Stable name in machine-readable output. */
  public String id() {
    return id;
  }

  /** Name for people. */
  public String words() {
    return words;
  }
}
