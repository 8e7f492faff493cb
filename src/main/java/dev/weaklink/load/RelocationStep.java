package dev.weaklink.load;

import dev.weaklink.elf.ElfIdentity;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.Relocations;
import org.jspecify.annotations.Nullable;

/** Relocations the loader cannot apply (arch/x86/kernel/module.c:apply_relocate_add). */
final class RelocationStep {
  private static final int R_X86_64_PLT32 = 4;
  private static final int R_X86_64_PC64 = 24;
  private static final int NONE = 0;
  private static final int ABS64 = 1;
  private static final int PC32 = 2;
  private static final int ABS32 = 10;
  private static final int ABS32S = 11;

  private RelocationStep() {}

  static void apply(Judgement j) {
    Relocations relocations = j.module().relocations();
    ElfIdentity target = j.target().machine();
    if (!relocations.examined() || target == null || target.machine() != ElfIdentity.EM_X86_64) {
      j.uncheck(Layer.RELOCATION);
      return;
    }
    int type = unknownType(relocations, j.target());
    if (type >= 0) {
      j.refuse(
          FindingKind.RELOCATION_TYPE,
          "module: " + j.module().name() + ": Unknown rela relocation: " + type);
    } else if (!zeroTargets(relocations, j.target())) {
      j.refuse(
          FindingKind.RELOCATION_NOT_ZERO,
          "module: x86/modules: Skipping invalid relocation target, existing value is nonzero for"
              + " type "
              + relocations.firstNonZeroTarget()
              + ", loc ADDR, val ADDR");
    }
  }

  /** Whether relocations that have been examined are all in order on a target. */
  static boolean accepts(TargetKernel target, Relocations relocations) {
    return unknownType(relocations, target) < 0 && zeroTargets(relocations, target);
  }

  private static int unknownType(Relocations relocations, TargetKernel target) {
    long unknown = relocations.typesUsed() & ~knownTypes(target);
    return unknown != 0 ? Long.numberOfTrailingZeros(unknown) : relocations.firstHighType();
  }

  /** Looked at from 4.15 on. */
  private static boolean zeroTargets(Relocations relocations, TargetKernel target) {
    return relocations.firstNonZeroTarget() < 0 || !target.rules().version().atLeast(4, 15);
  }

  private static long knownTypes(TargetKernel target) {
    KernelVersion version = target.rules().version();
    long types = bit(NONE) | bit(ABS64) | bit(PC32) | bit(ABS32) | bit(ABS32S);
    if (version.atLeast(4, 16) || isPatchedForPlt32(version, target.release())) {
      types |= bit(R_X86_64_PLT32);
    }
    return version.atLeast(5, 0) ? types | bit(R_X86_64_PC64) : types;
  }

  /** RHEL 7 and the 4.4 stable series took the change that newer binutils made necessary. */
  private static boolean isPatchedForPlt32(KernelVersion version, @Nullable String release) {
    return version.major() == 4 && version.minor() == 4
        || version.major() == 3 && release != null && release.contains(".el7");
  }

  private static long bit(int type) {
    return 1L << type;
  }
}
