package dev.weaklink.format.elf;

/**
 * The fields of an ELF header that identify the machine and the format of numbers.
 *
 * @param machine e_machine
 * @param is64 whether the file has the 64-bit layout
 * @param littleEndian whether all numbers are little-endian
 * @param flags e_flags
 */
public record ElfIdentity(int machine, boolean is64, boolean littleEndian, int flags) {
    public static final int EM_386 = 3;
    public static final int EM_MIPS = 8;
    public static final int EM_PPC = 20;
    public static final int EM_PPC64 = 21;
    public static final int EM_S390 = 22;
    public static final int EM_ARM = 40;
    public static final int EM_X86_64 = 62;
    public static final int EM_AARCH64 = 183;
    public static final int EM_RISCV = 243;
    public static final int EM_LOONGARCH = 258;

    public int wordSize() {
        return is64 ? 8 : 4;
    }

    public static boolean isKnown(int machine) {
        return switch (machine) {
            case EM_386, EM_MIPS, EM_PPC, EM_PPC64, EM_S390, EM_ARM, EM_X86_64, EM_AARCH64, EM_RISCV, EM_LOONGARCH ->
                true;
            default -> false;
        };
    }

    /** Returns the name of the machine for messages; {@code machine N} if the machine is not known. */
    public String machineName() {
        return switch (machine) {
            case EM_386 -> "i386";
            case EM_MIPS -> "mips";
            case EM_PPC -> "ppc";
            case EM_PPC64 -> littleEndian ? "ppc64le" : "ppc64";
            case EM_S390 -> is64 ? "s390x" : "s390";
            case EM_ARM -> "arm";
            case EM_X86_64 -> "x86_64";
            case EM_AARCH64 -> "aarch64";
            case EM_RISCV -> is64 ? "riscv64" : "riscv32";
            case EM_LOONGARCH -> "loongarch";
            default -> "machine " + machine;
        };
    }
}
