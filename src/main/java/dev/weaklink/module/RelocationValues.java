package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.module.Relocations.Value;
import java.util.HashSet;
import java.util.Set;

/**
 * Whether the values that relocations write have room where they are written
 * (arch/.../kernel/module.c: apply_relocate_add, apply_rela, reloc_data, reloc_insn_imm). Only what
 * is so wherever the module is loaded is called an overflow.
 */
final class RelocationValues {
  private static final int SHN_LIVEPATCH = 0xff20;
  private static final int R_RISCV_GOT_HI20 = 20;
  private static final int R_RISCV_PCREL_HI20 = 23;

  /** An addend beyond this leads out of the symbol it is added to. */
  private static final long NEAR = 1 << 24;

  private final ElfImage image;
  private final LoadedSections loaded;
  private final int machine;
  private final SymbolTable symbols;
  private final int symbolCount;
  private final boolean hasGot;

  /** Where riscv's relocations of upper halves are in the section that was entered. */
  private final Set<Long> upperHalves = new HashSet<>();

  RelocationValues(ElfImage image, LoadedSections loaded) {
    this.image = image;
    this.loaded = loaded;
    machine = image.identity().machine();
    symbols = SymbolTable.bare(image);
    symbolCount = symbols.count();
    hasGot = new NamedSections(image).find(NamedSections.wanted(".got")) > 0;
  }

  /**
   * To be called before those of a relocation section: where it is, and how many entries it has.
   */
  void enter(int start, int count) {
    upperHalves.clear();
    if (machine == ElfIdentity.EM_RISCV) {
      for (int at = start; at < start + count * RelocationReader.RELA_SIZE; ) {
        int type = (int) image.u64(at + 8);
        if (type == R_RISCV_GOT_HI20 || type == R_RISCV_PCREL_HI20) {
          upperHalves.add(image.u64(at));
        }
        at += RelocationReader.RELA_SIZE;
      }
    }
  }

  /** The value of the relocation of section {@code target} that is at {@code at} of the file. */
  Value of(int at, int target) {
    long info = image.u64(at + 8);
    int type = (int) info;
    int symbol = (int) (info >>> 32);
    if (type == 0) {
      return Value.FITS;
    }
    if (symbol < 0 || symbol >= symbolCount) {
      return Value.NO_SYMBOL;
    }
    return switch (machine) {
      case ElfIdentity.EM_X86_64 -> x86(type, symbol, at);
      case ElfIdentity.EM_S390 -> s390(type, symbol, addend(at), target, image.u64(at));
      case ElfIdentity.EM_AARCH64 -> arm64(type, symbol, addend(at), target, image.u64(at));
      case ElfIdentity.EM_RISCV -> riscv(type, symbol, addend(at), target, image.u64(at));
      default -> Value.FITS;
    };
  }

  private long addend(int at) {
    return image.u64(at + 16);
  }

  private Value x86(int type, int symbol, int at) {
    return switch (type) {
      case 10 -> absolute(symbol, addend(at), 0, 0xffffffffL); // R_X86_64_32
      case 11 -> // R_X86_64_32S
          absolute(symbol, addend(at), Integer.MIN_VALUE, Integer.MAX_VALUE);
      default -> Value.FITS;
    };
  }

  /** An address of x86-64 that has to lie in a range. */
  private Value absolute(int symbol, long addend, long least, long most) {
    int section = symbols.section(symbol);
    long distance = symbols.value(symbol) + addend;
    if (symbol == 0 || section == SymbolTable.SHN_ABS) {
      return distance >= least && distance <= most ? Value.FITS : Value.OVERFLOWS;
    }
    if (section == SymbolTable.SHN_UNDEF
        || section == SHN_LIVEPATCH
        || section >= loaded.count()
        || loaded.isPerCpu(section)) {
      // the kernel is where addresses are negative; weak ones that it lacks, such as CRCs, are 0
      boolean fits = least < 0 || symbols.isWeak(symbol);
      return Math.abs(addend) < NEAR && fits ? Value.FITS : Value.UNCERTAIN;
    }
    if (Math.abs(distance) >= 1L << 40) {
      return Value.OVERFLOWS;
    }
    // where modules are (MODULES_VADDR), or in a copy of the file that vmalloc holds
    boolean stays = loaded.isLoaded(section);
    long lowest = (stays ? -0x60000000L : -0x800000000000L) + distance;
    long highest = (stays ? -0x1000000L : -0x8000000000L) + distance;
    if (lowest >= least && highest <= most) {
      return Value.FITS;
    }
    return highest < least || lowest > most ? Value.OVERFLOWS : Value.UNCERTAIN;
  }

  private Value s390(int type, int symbol, long addend, int target, long offset) {
    return switch (type) {
      case 1 -> direct(symbol, addend, 0, 0xff); // R_390_8
      case 2 -> direct(symbol, addend, 0, 0xfff); // R_390_12
      case 3 -> direct(symbol, addend, 0, 0xffff); // R_390_16
      case 4 -> direct(symbol, addend, 0, 0xffffffffL); // R_390_32
      case 57 -> direct(symbol, addend, -0x80000, 0x7ffff); // R_390_20
      case 16 -> relative(symbol, addend, target, offset, 16); // R_390_PC16
      case 5 -> relative(symbol, addend, target, offset, 32); // R_390_PC32
      case 17 -> // R_390_PC16DBL
          even(symbol, addend, target, offset, relative(symbol, addend, target, offset, 17));
      case 19 -> // R_390_PC32DBL
          even(symbol, addend, target, offset, relative(symbol, addend, target, offset, 33));
      case 20 -> // R_390_PLT32DBL
          even(symbol, addend, target, offset, isNear(symbol, addend));
      case 18 -> // R_390_PLT16DBL
          even(symbol, addend, target, offset, Value.UNCERTAIN);
      case 21, 26, 33 -> // R_390_GOTPCDBL, R_390_GOTENT, R_390_GOTPLTENT
          toTable(addend, target, offset);
      case 6, 15, 27, 29, 30, 58, 59 -> Value.UNCERTAIN; // parts of the GOT's size and offsets
      default -> Value.FITS;
    };
  }

  private Value arm64(int type, int symbol, long addend, int target, long offset) {
    return switch (type) {
      case 258 -> direct(symbol, addend, 0, 0xffffffffL); // R_AARCH64_ABS32
      case 259 -> direct(symbol, addend, 0, 0xffff); // R_AARCH64_ABS16
      case 263 -> direct(symbol, addend, 0, 0xffff); // R_AARCH64_MOVW_UABS_G0
      case 265 -> direct(symbol, addend, 0, 0xffffffffL); // R_AARCH64_MOVW_UABS_G1
      case 267 -> direct(symbol, addend, 0, 0xffffffffffffL); // R_AARCH64_MOVW_UABS_G2
      case 270 -> direct(symbol, addend, -0x10000, 0xffff); // R_AARCH64_MOVW_SABS_G0
      case 271 -> direct(symbol, addend, -0x100000000L, 0xffffffffL); // R_AARCH64_MOVW_SABS_G1
      case 261 -> relative(symbol, addend, target, offset, 32); // R_AARCH64_PREL32
      case 262 -> relative(symbol, addend, target, offset, 16); // R_AARCH64_PREL16
      case 273, 280 -> // R_AARCH64_LD_PREL_LO19, R_AARCH64_CONDBR19
          relative(symbol, addend, target, offset, 21);
      case 274 -> relative(symbol, addend, target, offset, 21); // R_AARCH64_ADR_PREL_LO21
      case 275 -> relative(symbol, addend, target, offset, 33); // R_AARCH64_ADR_PREL_PG_HI21
      case 279 -> relative(symbol, addend, target, offset, 16); // R_AARCH64_TSTBR14
      case 287 -> relative(symbol, addend, target, offset, 17); // R_AARCH64_MOVW_PREL_G0
      case 289 -> relative(symbol, addend, target, offset, 33); // R_AARCH64_MOVW_PREL_G1
      default -> Value.FITS;
    };
  }

  /** apply_relocate_add finds the upper half by the address that the lower one's symbol has. */
  private Value riscv(int type, int symbol, long addend, int target, long offset) {
    return switch (type) {
      case 1 -> direct(symbol, addend, 0, 0xffffffffL); // R_RISCV_32
      case 18, R_RISCV_PCREL_HI20 -> // R_RISCV_CALL
          relative(symbol, addend, target, offset, 32);
      case 19 -> // R_RISCV_CALL_PLT, by way of .plt if there is one
          relative(symbol, addend, target, offset, 32) == Value.FITS ? Value.FITS : Value.UNCERTAIN;
      case R_RISCV_GOT_HI20 -> hasGot ? Value.FITS : Value.UNCERTAIN;
      case 24, 25 -> // R_RISCV_PCREL_LO12_I, R_RISCV_PCREL_LO12_S
          symbols.section(symbol) == target && upperHalves.contains(symbols.value(symbol))
              ? Value.FITS
              : Value.NO_UPPER_HALF;
      default -> Value.FITS;
    };
  }

  /** An address, which no 48 bits hold on these machines, or the value of a symbol without one. */
  private Value direct(int symbol, long addend, long least, long most) {
    long value = symbols.value(symbol) + addend;
    if (symbol == 0 || symbols.section(symbol) == SymbolTable.SHN_ABS) {
      return value >= least && value <= most ? Value.FITS : Value.OVERFLOWS;
    }
    return isOwn(symbol) && Math.abs(value) < NEAR ? Value.OVERFLOWS : Value.UNCERTAIN;
  }

  /** The distance from the place that is relocated. */
  private Value relative(int symbol, long addend, int target, long offset, int bits) {
    if (symbol != 0 && symbols.section(symbol) == target) {
      return signed(symbols.value(symbol) + addend - offset, bits);
    }
    // the kernel puts what it loads where 32 bits reach all of its own code and data, on s390x only
    // from 6.10 on (arch/s390/boot/startup.c); code made for it goes through tables
    boolean own = isOwn(symbol) || loaded.isPerCpu(symbols.section(symbol));
    long distance = addend + (own ? symbols.value(symbol) : 0);
    boolean reached = machine != ElfIdentity.EM_S390;
    boolean near = own || reached && symbols.section(symbol) == SymbolTable.SHN_UNDEF;
    return bits >= 32 && symbol != 0 && near && Math.abs(distance) < NEAR
        ? Value.FITS
        : Value.UNCERTAIN;
  }

  /** Nothing leads out of the symbol, or the symbol out of the module. */
  private Value isNear(int symbol, long addend) {
    long distance = addend + (isOwn(symbol) ? symbols.value(symbol) : 0);
    return Math.abs(distance) < NEAR ? Value.FITS : Value.UNCERTAIN;
  }

  /** Of distances that count two bytes each, odd ones are refused. */
  private Value even(int symbol, long addend, int target, long offset, Value otherwise) {
    if (((symbols.value(symbol) + addend - offset) & 1) == 0) {
      return otherwise;
    }
    boolean aligned =
        isOwn(symbol) && loaded.isAligned(target) && loaded.isAligned(symbols.section(symbol));
    return aligned || symbols.section(symbol) == target ? Value.OVERFLOWS : Value.UNCERTAIN;
  }

  /** The distance to an entry of the GOT, which lies at an even address behind the code. */
  private Value toTable(long addend, int target, long offset) {
    if (((addend - offset) & 1) != 0) {
      return loaded.isAligned(target) ? Value.OVERFLOWS : Value.UNCERTAIN;
    }
    return Math.abs(addend) < NEAR ? Value.FITS : Value.UNCERTAIN;
  }

  /** Whether a symbol's address is in the module. */
  private boolean isOwn(int symbol) {
    int section = symbols.section(symbol);
    return section > 0 && section < loaded.count() && loaded.isLoaded(section);
  }

  private static Value signed(long value, int bits) {
    long limit = 1L << bits - 1;
    return value >= -limit && value < limit ? Value.FITS : Value.OVERFLOWS;
  }
}
