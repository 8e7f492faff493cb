package dev.weaklink.module;

import dev.weaklink.elf.ElfIdentity;
import dev.weaklink.elf.ElfImage;
import dev.weaklink.module.Relocations.Value;

/**
 * Whether the values that relocations write have room where they are written
 * (arch/.../kernel/module.c: apply_relocate_add, apply_rela, reloc_data, reloc_insn_imm). Only what
 * is so wherever the module is loaded is called an overflow.
 */
final class RelocationValues {
  private static final int SHN_LIVEPATCH = 0xff20;

  /** An addend beyond this leads out of the symbol it is added to. */
  private static final long NEAR = 1 << 24;

  private final LoadedSections loaded;
  private final int machine;
  private final SymbolTable symbols;

  RelocationValues(ElfImage image, LoadedSections loaded) {
    this.loaded = loaded;
    machine = image.identity().machine();
    symbols = SymbolTable.bare(image);
  }

  /** The value of one relocation of section {@code target}. */
  Value of(int type, int symbol, long addend, int target, long offset) {
    if (type == 0) {
      return Value.FITS;
    }
    if (symbol < 0 || symbol >= symbols.count()) {
      return Value.NO_SYMBOL;
    }
    return switch (machine) {
      case ElfIdentity.EM_X86_64 -> x86(type, symbol, addend);
      case ElfIdentity.EM_S390 -> s390(type, symbol, addend, target, offset);
      case ElfIdentity.EM_AARCH64 -> arm64(type, symbol, addend, target, offset);
      default -> Value.FITS;
    };
  }

  private Value x86(int type, int symbol, long addend) {
    return switch (type) {
      case 10 -> absolute(symbol, addend, 0, 0xffffffffL); // R_X86_64_32
      case 11 -> absolute(symbol, addend, Integer.MIN_VALUE, Integer.MAX_VALUE); // R_X86_64_32S
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
      return Math.abs(addend) < NEAR ? Value.FITS : Value.UNCERTAIN;
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
    if (symbols.section(symbol) != target || symbol == 0) {
      return Value.FITS;
    }
    long distance = symbols.value(symbol) + addend - offset;
    return switch (type) {
      case 16 -> signed(distance, 16); // R_390_PC16
      case 17 -> even(distance, signed(distance >> 1, 16)); // R_390_PC16DBL
      case 5 -> signed(distance, 32); // R_390_PC32
      case 19 -> even(distance, signed(distance >> 1, 32)); // R_390_PC32DBL
      case 18, 20 -> even(distance, Value.FITS); // R_390_PLT16DBL, R_390_PLT32DBL
      default -> Value.FITS;
    };
  }

  private Value arm64(int type, int symbol, long addend, int target, long offset) {
    if (symbols.section(symbol) != target || symbol == 0) {
      return Value.FITS;
    }
    long distance = symbols.value(symbol) + addend - offset;
    return switch (type) {
      case 261 -> signed(distance, 32); // R_AARCH64_PREL32
      case 262 -> signed(distance, 16); // R_AARCH64_PREL16
      case 273 -> signed(distance >> 2, 19); // R_AARCH64_LD_PREL_LO19
      case 274 -> signed(distance, 21); // R_AARCH64_ADR_PREL_LO21
      case 279 -> signed(distance >> 2, 14); // R_AARCH64_TSTBR14
      case 280 -> signed(distance >> 2, 19); // R_AARCH64_CONDBR19
      default -> Value.FITS;
    };
  }

  private static Value even(long distance, Value otherwise) {
    return (distance & 1) != 0 ? Value.OVERFLOWS : otherwise;
  }

  private static Value signed(long value, int bits) {
    long limit = 1L << bits - 1;
    return value >= -limit && value < limit ? Value.FITS : Value.OVERFLOWS;
  }
}
