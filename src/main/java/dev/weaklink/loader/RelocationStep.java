package dev.weaklink.loader;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.FindingKind.Errno;
import dev.weaklink.module.Relocations;
import dev.weaklink.module.Relocations.RelocatedField;
import dev.weaklink.module.Relocations.Use;
import dev.weaklink.module.Relocations.Value;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The checks for relocations that the loader cannot apply, in the loader's order
 * (kernel/module/main.c:apply_relocations, arch/.../kernel/module.c:apply_relocate_add).
 */
final class RelocationStep {
    private final VerdictBuilder j;
    private final KernelVersion version;
    private final int machine;

    private RelocationStep(VerdictBuilder j, int machine) {
        this.j = j;
        this.machine = machine;
        version = j.rules().version();
    }

    static void apply(VerdictBuilder j) {
        Relocations relocations = j.module().relocations();
        BitSet known = relocations.examined() ? RelocationTypes.of(j.target()) : null;
        ElfIdentity target = j.target().machine();
        if (known == null || target == null) {
            j.uncheck(Layer.RELOCATION);
            return;
        }
        RelocationStep step = new RelocationStep(j, target.machine());
        for (Use use : relocations.uses()) {
            if (!j.refused() && !isInOrder(use, known, j.target())) {
                step.object(use, known);
            }
        }
    }

    static boolean accepts(TargetKernel target, Relocations relocations) {
        BitSet known = RelocationTypes.of(target);
        return known == null || relocations.uses().stream().allMatch(use -> isInOrder(use, known, target));
    }

    private static boolean isInOrder(Use use, BitSet known, TargetKernel target) {
        return use.index() >= 0
                && use.type() >= 0
                && known.get(use.type())
                && use.value() == Value.FITS
                && (use.place() == RelocatedField.FREE
                        || !looksAtPlace(use.place(), target.rules().version()));
    }

    /**
     * Returns whether the loader may object to the bytes that a relocation overwrites. {@code place} must not be
     * {@link RelocatedField#FREE}. Bytes outside of the section count in every version. All other bytes count from 4.15
     * on, because x86's loader then requires zeros.
     */
    private static boolean looksAtPlace(RelocatedField place, KernelVersion version) {
        return place == RelocatedField.OUTSIDE || version.atLeast(4, 15);
    }

    private void object(Use use, BitSet known) {
        if (use.value() == Value.WEAK
                && use.place() == RelocatedField.FREE
                && use.type() >= 0
                && known.get(use.type())) {
            weak(use);
        } else if (use.index() < 0) {
            String line = "module " + j.module().name() + ": REL relocation unsupported";
            j.refuse(FindingKind.RELOCATION_KIND, line);
        } else if (use.type() < 0 || !known.get(use.type())) {
            unknownType(Integer.toUnsignedString(use.type()));
        } else if (use.place() == RelocatedField.NOT_ZERO && looksAtPlace(use.place(), version)) {
            j.refuse(FindingKind.RELOCATION_NOT_ZERO, notZero(use));
        } else if (use.value() == Value.OVERFLOWS) {
            refuse(FindingKind.RELOCATION_OVERFLOW, overflow(use));
        } else if (use.value() == Value.NO_UPPER_HALF) {
            refuse(
                    FindingKind.RELOCATION_NO_UPPER_HALF,
                    j.module().name() + ": Can not find HI20 relocation information");
        } else {
            j.unproven(doubt(use), null, doubt(use).meaning());
        }
    }

    /**
     * Handles a relocation with the address of a weak symbol. If nothing exports the symbol, its address is 0. Modules
     * of arm64 cannot reach this address, modules of riscv possibly cannot.
     */
    private void weak(Use use) {
        if (j.isMissingWeak(use.symbol())) {
            if (machine == ElfIdentity.EM_AARCH64) {
                String value = Long.toHexString(use.addend());
                String line = arm64("overflow in relocation type " + use.type() + " val " + value);
                refuse(FindingKind.RELOCATION_OVERFLOW, line);
            } else {
                FindingKind kind = FindingKind.RELOCATION_ADDRESS;
                j.unproven(kind, use.symbol(), kind.meaning());
            }
        }
    }

    private static FindingKind doubt(Use use) {
        if (use.value() == Value.NO_SYMBOL) {
            return FindingKind.RELOCATION_NO_SYMBOL;
        }
        return switch (use.place()) {
            case OUTSIDE -> FindingKind.RELOCATION_OUTSIDE;
            case USED_BEFORE -> FindingKind.RELOCATION_TWICE;
            default -> FindingKind.RELOCATION_ADDRESS;
        };
    }

    private void unknownType(String type) {
        String name = j.module().name();
        @Nullable
        String line = switch (machine) {
            case ElfIdentity.EM_X86_64 -> "module: " + name + ": Unknown rela relocation: " + type;
            case ElfIdentity.EM_AARCH64 -> arm64("unsupported RELA relocation: " + type);
            case ElfIdentity.EM_S390 -> s390(type);
            case ElfIdentity.EM_PPC64 -> name + ": Unknown ADD relocation: " + type;
            case ElfIdentity.EM_RISCV -> name + ": " + riscv(type);
            default -> name + ": Unknown relocation type " + type;
        };
        refuse(FindingKind.RELOCATION_TYPE, line);
    }

    /**
     * Returns the kernel's message; null for types of shared objects, which the kernel refuses without a message
     * (arch/s390/kernel/module.c: apply_rela).
     */
    private @Nullable String s390(String type) {
        return switch (type) {
            case "9", "10", "11", "12" -> null;
            default -> "module " + j.module().name() + ": unknown relocation: " + type;
        };
    }

    /** Returns the kernel's message, which from 6.8 on distinguishes known types that modules must not use. */
    private String riscv(String type) {
        if (version.atLeast(6, 8)) {
            switch (type) {
                case "3", "4", "5", "6", "7", "8", "9", "10", "11", "58" -> {
                    return "Dynamic linking not supported in kernel modules PC = ADDR";
                }
                case "21", "22", "29", "30", "31", "32" -> {
                    return "Thread local storage not supported in kernel modules PC = ADDR";
                }
                default -> {
                    // unknown type
                }
            }
        }
        return "Unknown relocation type " + type;
    }

    private void refuse(FindingKind kind, @Nullable String line) {
        String errno = machine == ElfIdentity.EM_RISCV ? Errno.EINVAL : Errno.ENOEXEC;
        j.add(kind, Finding.Effect.REFUSES, errno, null, line, kind.meaning());
    }

    private String notZero(Use use) {
        String what = version.atLeast(6, 3) ? "Invalid" : "Skipping invalid";
        return "module: x86/modules: "
                + what
                + " relocation target, existing value is nonzero for "
                + (version.atLeast(7, 0) ? "sec " + use.section() + ", idx " + use.index() + ", " : "")
                + "type "
                + use.type()
                + ", loc ADDR, val ADDR";
    }

    /** Returns the kernel's message, null if unknown. On x86, the message identifies the relocation from 7.0 on. */
    private @Nullable String overflow(Use use) {
        return switch (machine) {
            case ElfIdentity.EM_X86_64 ->
                "module: overflow in relocation type "
                        + use.type()
                        + " val ADDR"
                        + (version.atLeast(7, 0) ? " sec " + use.section() + " idx " + use.index() : "");
            case ElfIdentity.EM_AARCH64 -> arm64("overflow in relocation type " + use.type() + " val ADDR");
            case ElfIdentity.EM_RISCV ->
                j.module().name()
                        + (use.type() == 1
                                ? ": value ADDR out of range for 32-bit field"
                                : ": target ADDR can not be addressed by the 32-bit offset from PC = ADDR");
            default -> null;
        };
    }

    /** Adds the prefix of the message, which changed in 6.5 (arch/arm64/kernel/module.c:pr_fmt). */
    private String arm64(String what) {
        return (version.atLeast(6, 5) ? "Modules: " : "") + "module "
                + j.module().name() + ": " + what;
    }
}
