import java.util.List;

/** The machines that QEMU emulates to boot a kernel, with the compilers for them. */
enum Machine {
  X86_64(
      "", "ttyS0", List.of("qemu-system-x86_64", "-M", "q35", "-cpu", "max,la57=off", "-serial")),
  AARCH64(
      "aarch64-linux-gnu-",
      "ttyAMA0",
      List.of("qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a57", "-serial")),
  S390X(
      "s390x-linux-gnu-",
      "ttysclp0",
      List.of("qemu-system-s390x", "-M", "s390-ccw-virtio", "-cpu", "max", "-serial")),
  RISCV64("riscv64-linux-gnu-", "ttyS0", List.of("qemu-system-riscv64", "-M", "virt", "-serial"));

  /** The prefix of the names of cross compilers; empty for the host's machine. */
  final String compilerPrefix;

  final String console;

  /** The emulator and its options, to which the option for the console is added. */
  final List<String> emulator;

  Machine(String compilerPrefix, String console, List<String> emulator) {
    this.compilerPrefix = compilerPrefix;
    this.console = console;
    this.emulator = emulator;
  }

  /** Returns the machine of an ELF file. */
  static Machine of(byte[] elf) {
    int number = elf[5] == 1 ? elf[18] & 0xff : elf[19] & 0xff;
    return switch (number) {
      case 62 -> X86_64;
      case 183 -> AARCH64;
      case 22 -> S390X;
      case 243 -> RISCV64;
      default -> throw new IllegalArgumentException("no emulator known for ELF machine " + number);
    };
  }
}
