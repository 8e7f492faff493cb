package dev.weaklink.loader;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.TargetKernel;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The relocation types that the loader of an architecture can apply (arch/.../kernel/module.c: apply_relocate_add). A
 * type is in the list if some kernel configuration supports it.
 */
final class RelocationTypes {
    private static final int[] X86 = {0, 1, 2, 10, 11};
    private static final int X86_PLT32 = 4;
    private static final int X86_PC64 = 24;
    private static final int[] ARM64 = {0, 0, 256, 280, 282, 293, 299, 299};
    private static final int[] S390 = {0, 8, 13, 36, 57, 59};
    private static final int[] POWERPC = {1, 10, 26, 38, 44, 47, 48, 50, 51, 63, 64, 109, 116, 118, 132, 133, 250, 252};
    private static final int[] RISCV = {
        1, 2, 16, 17, 18, 19, 20, 23, 24, 25, 26, 27, 28, 34, 35, 36, 38, 39, 40, 43, 44, 45, 51
    };

    /** The types that riscv's loader applies from 6.8 on (commit "riscv: Add remaining module relocations"). */
    private static final int[] RISCV_LATER = {33, 37, 52, 53, 54, 55, 56, 57, 59, 60, 61};

    private RelocationTypes() {}

    static @Nullable BitSet of(TargetKernel target) {
        ElfIdentity machine = target.machine();
        if (machine == null) {
            return null;
        }
        KernelVersion version = target.rules().version();
        return switch (machine.machine()) {
            case ElfIdentity.EM_X86_64 ->
                x86(version, target.release() != null && target.release().contains(".el7"));
            case ElfIdentity.EM_AARCH64 -> ranges(ARM64);
            case ElfIdentity.EM_S390 -> ranges(S390);
            case ElfIdentity.EM_PPC64 -> types(POWERPC);
            case ElfIdentity.EM_RISCV -> riscv(version);
            default -> null;
        };
    }

    private static BitSet x86(KernelVersion version, boolean redHat7) {
        BitSet types = types(X86);
        types.set(X86_PLT32, version.atLeast(4, 16) || isPatchedForPlt32(version, redHat7));
        types.set(X86_PC64, version.atLeast(5, 0));
        return types;
    }

    /**
     * Returns whether a kernel older than 4.16 supports R_X86_64_PLT32, which newer versions of binutils produce.
     * Backports are known for RHEL 7 and stable 4.4.
     */
    private static boolean isPatchedForPlt32(KernelVersion version, boolean redHat7) {
        return version.major() == 4 && version.minor() == 4 || version.major() == 3 && redHat7;
    }

    private static BitSet riscv(KernelVersion version) {
        BitSet types = types(RISCV);
        if (version.atLeast(6, 8)) {
            types.or(types(RISCV_LATER));
        }
        return types;
    }

    private static BitSet types(int[] numbers) {
        BitSet types = new BitSet();
        for (int number : numbers) {
            types.set(number);
        }
        return types;
    }

    private static BitSet ranges(int[] limits) {
        BitSet types = new BitSet();
        for (int i = 0; i < limits.length; i += 2) {
            types.set(limits[i], limits[i + 1] + 1);
        }
        return types;
    }
}
