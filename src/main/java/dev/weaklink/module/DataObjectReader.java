package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.DataObject.Passed;
import dev.weaklink.module.DataObject.Slot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds variables that hold pointers: by the symbol table, and the relocations that write a whole
 * word into them. Symbols of one place count once.
 */
final class DataObjectReader {
  /** No module of a distribution has a third of that. */
  private static final int MAX_OBJECTS = 20_000;

  private static final int MAX_SLOTS = 200_000;

  /** Calls by which one variable's type may be told. */
  private static final int MAX_PASSED = 16;

  /** Between the instruction that sets an argument and the call lie few others. */
  private static final int NEAR = 64;

  private static final int R_X86_64_PLT32 = 4;
  private static final int R_X86_64_32S = 11;
  private static final int MAX_SIZE = 1 << 20;

  /** Where a symbol lies. */
  private record Place(int section, long value) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int order = Integer.compare(section, other.section);
      return order == 0 ? Long.compare(value, other.value) : order;
    }
  }

  private final ElfImage image;
  private final SectionTable sections;
  private final SymbolTable symbols;
  private final int wordType;
  private final TreeMap<Place, Integer> objects = new TreeMap<>();
  private final Map<Place, Integer> functions = new HashMap<>();
  private final Map<Integer, List<Slot>> slots = new TreeMap<>();
  private final Map<Integer, List<Passed>> passed = new HashMap<>();
  private int count;

  private DataObjectReader(ElfImage image, int wordType) {
    this.image = image;
    this.sections = image.sections();
    this.symbols = SymbolTable.bare(image);
    this.wordType = wordType;
  }

  /** None where relocations of the machine are not known. */
  static List<DataObject> read(ElfImage image) {
    int wordType = image.identity().is64() ? wordType(image.identity().machine()) : 0;
    return wordType == 0 ? List.of() : new DataObjectReader(image, wordType).readAll();
  }

  /** The relocation that writes an address of 64 bits; 0 if it is not known. */
  private static int wordType(int machine) {
    return switch (machine) {
      case ElfIdentity.EM_X86_64 -> 1; // R_X86_64_64
      case ElfIdentity.EM_AARCH64 -> 257; // R_AARCH64_ABS64
      case ElfIdentity.EM_S390 -> 22; // R_390_64
      case ElfIdentity.EM_PPC64 -> 38; // R_PPC64_ADDR64
      case ElfIdentity.EM_RISCV -> 2; // R_RISCV_64
      default -> 0;
    };
  }

  private List<DataObject> readAll() {
    for (int i = 1; i < symbols.count(); i++) {
      int type = symbols.type(i);
      Place place = new Place(symbols.section(i), symbols.value(i));
      if (type == SymbolTable.STT_FUNC) {
        functions.putIfAbsent(place, i);
      } else if (type == SymbolTable.STT_OBJECT && objects.size() < MAX_OBJECTS) {
        objects.putIfAbsent(place, i);
      }
    }
    for (int i = 1; i < sections.count(); i++) {
      int target = sections.info(i);
      if (sections.type(i) == SectionTable.SHT_RELA
          && image.hasContents(i)
          && target > 0
          && target < sections.count()
          && sections.isAllocated(target)) {
        if (!isCode(target)) {
          readSection(i, target);
        } else if (image.identity().machine() == ElfIdentity.EM_X86_64
            && image.hasContents(target)) {
          readCode(i, target);
        }
      }
    }
    return found();
  }

  private boolean isCode(int section) {
    return (sections.flags(section) & SectionTable.SHF_EXECINSTR) != 0;
  }

  private void readSection(int section, int target) {
    long end = sections.offset(section) + sections.size(section) - RelocationReader.RELA_SIZE;
    for (long at = sections.offset(section);
        at <= end && count < MAX_SLOTS;
        at += RelocationReader.RELA_SIZE) {
      int entry = (int) at;
      long info = image.u64(entry + 8);
      Map.Entry<Place, Integer> object = objects.floorEntry(new Place(target, image.u64(entry)));
      if ((int) info != wordType || object == null || object.getKey().section() != target) {
        continue;
      }
      long offset = image.u64(entry) - object.getKey().value();
      Slot slot = slot((int) offset, (int) (info >>> 32), image.u64(entry + 16));
      long last = Math.min(symbols.size(object.getValue()), MAX_SIZE) - Long.BYTES;
      if (slot != null && offset >= 0 && offset <= last) {
        slots.computeIfAbsent(object.getValue(), key -> new ArrayList<>()).add(slot);
        count++;
      }
    }
  }

  /**
   * Looks for {@code mov $variable, %rdi} and the like, up to the next call, which is of what is
   * imported. Jumps between the two are not looked at.
   */
  private void readCode(int section, int target) {
    Map<Integer, Integer> arguments = new HashMap<>();
    long end = sections.offset(section) + sections.size(section) - RelocationReader.RELA_SIZE;
    long last = 0;
    for (long at = sections.offset(section); at <= end; at += RelocationReader.RELA_SIZE) {
      int entry = (int) at;
      long place = image.u64(entry);
      int type = (int) image.u64(entry + 8);
      int symbol = (int) (image.u64(entry + 8) >>> 32);
      if (place < last || place - last > NEAR) {
        arguments.clear();
      }
      last = place;
      if (symbol <= 0 || symbol >= symbols.count() || place < 0 || place >= sections.size(target)) {
        continue;
      }
      if (type == R_X86_64_32S) {
        int argument = argument(target, place);
        Integer object = argument < 0 ? null : object(symbol, image.u64(entry + 16));
        if (object != null) {
          arguments.put(argument, object);
        }
      } else if (type == R_X86_64_PLT32) {
        if (symbols.section(symbol) == SymbolTable.SHN_UNDEF) {
          arguments.forEach((argument, object) -> addPassed(object, symbol, argument));
        }
        arguments.clear();
      }
    }
  }

  /** Which argument an instruction sets whose last four bytes are at this place; -1 if none. */
  private int argument(int section, long place) {
    if (place < 3) {
      return -1;
    }
    int at = (int) (sections.offset(section) + place);
    int opcode = image.u8(at - 3) << 16 | image.u8(at - 2) << 8 | image.u8(at - 1);
    return switch (opcode) {
      case 0x48c7c7 -> 0; // mov $..., %rdi
      case 0x48c7c6 -> 1; // %rsi
      case 0x48c7c2 -> 2; // %rdx
      case 0x48c7c1 -> 3; // %rcx
      case 0x49c7c0 -> 4; // %r8
      case 0x49c7c1 -> 5; // %r9
      default -> -1;
    };
  }

  /** The variable that begins there, by its symbol; null if none does. */
  private @Nullable Integer object(int symbol, long addend) {
    int section = symbols.section(symbol);
    return section == SymbolTable.SHN_UNDEF || section >= sections.count()
        ? null
        : objects.get(new Place(section, symbols.value(symbol) + addend));
  }

  private void addPassed(int object, int function, int argument) {
    List<Passed> calls = passed.computeIfAbsent(object, key -> new ArrayList<>(1));
    if (calls.size() < MAX_PASSED) {
      calls.add(new Passed(symbols.name(function), argument));
    }
  }

  /** What is written there; null if the symbol is none. The object is its symbol's number. */
  private @Nullable Slot slot(int offset, int symbol, long addend) {
    if (symbol <= 0 || symbol >= symbols.count()) {
      return null;
    }
    int section = symbols.section(symbol);
    if (section == SymbolTable.SHN_UNDEF) {
      return new Slot(offset, false, symbols.name(symbol), -1);
    }
    if (section >= sections.count()) {
      return null;
    }
    Place place = new Place(section, symbols.value(symbol) + addend);
    if (isCode(section)) {
      Integer function = functions.get(place);
      String name = function == null ? null : symbols.name(function);
      return new Slot(offset, true, name, -1);
    }
    return new Slot(offset, false, null, objects.getOrDefault(place, -1));
  }

  /** Those that hold pointers, each pointer with the number that the other has among these. */
  private List<DataObject> found() {
    Map<Integer, Integer> numbers = new HashMap<>();
    slots.keySet().forEach(symbol -> numbers.put(symbol, numbers.size()));
    List<DataObject> found = new ArrayList<>();
    slots.forEach(
        (symbol, all) -> {
          Map<Integer, Slot> numbered = new TreeMap<>();
          for (Slot slot : all) {
            int object = numbers.getOrDefault(slot.object(), -1);
            numbered.put(slot.offset(), new Slot(slot.offset(), slot.code(), slot.name(), object));
          }
          List<Slot> ascending = List.copyOf(numbered.values());
          found.add(
              new DataObject(
                  symbols.name(symbol),
                  symbols.size(symbol),
                  ascending,
                  passed.getOrDefault(symbol, List.of())));
        });
    return found;
  }
}
