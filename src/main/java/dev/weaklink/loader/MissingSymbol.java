package dev.weaklink.loader;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.module.Origin;
import dev.weaklink.module.SymbolNames;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of an import that nobody provides (kernel/module/main.c:simplify_symbols): a weak
 * one stays 0, any other is refused, unless not enough is known to say so.
 */
final class MissingSymbol {
  private static final String GOT = "_GLOBAL_OFFSET_TABLE_";

  private final VerdictBuilder j;
  private final ModuleEnvironment world;
  private final SymbolNames names;
  private final int[] rows;
  private final StringBuilder line = new StringBuilder();
  private int start;

  MissingSymbol(VerdictBuilder j, ModuleEnvironment world, int[] rows) {
    this.j = j;
    this.world = world;
    this.names = j.module().imports().names();
    this.rows = rows;
  }

  /** Exported, but not for this module. */
  void gplOnly(int index, String owner) {
    if (j.module().imports().weak().get(index)) {
      weak(index);
      return;
    }
    refuse(
        FindingKind.SYMBOL_GPL_ONLY,
        index,
        owner,
        unknown(index),
        FindingKind.SYMBOL_GPL_ONLY.meaning());
  }

  /** Exported by a module that would not be there. */
  void dependencyRefused(int index, Member owner) {
    if (j.module().imports().weak().get(index)) {
      weak(index);
      return;
    }
    refuse(FindingKind.DEPENDENCY_REFUSED, index, owner.name(), unknown(index), owner.refusal());
  }

  /** Exported by nobody who is known. */
  void notFound(int index) {
    if (j.module().imports().weak().get(index)) {
      weak(index);
    } else if (isGlobalOffsetTable(index)) {
      return;
    } else if (isExportedByUnreadable(index) || world.mayNeedUnreadable(j.module())) {
      unproven(FindingKind.DEPENDENCY_UNREADABLE, index);
    } else if (!world.exportsKnown()) {
      String symbol = names.name(index);
      j.unproven(
          FindingKind.SYMBOL_EXPORTS_UNKNOWN,
          symbol,
          "nothing that is known exports "
              + symbol
              + ", and "
              + FindingKind.SYMBOL_EXPORTS_UNKNOWN.meaning()
              + "; "
              + FindingKind.SYMBOL_EXPORTS_UNKNOWN.remedy());
    } else if (!j.target().exportsComplete()) {
      unproven(FindingKind.SYMBOL_NOT_KNOWN, index);
    } else {
      int row = rows[index];
      String owner = row < 0 ? null : Origin.moduleName(world.target().exports().owner(row));
      refuse(
          FindingKind.SYMBOL_MISSING,
          index,
          owner,
          unknown(index),
          owner == null
              ? FindingKind.SYMBOL_MISSING.meaning()
              : owner.equals(j.module().name())
                  ? "exported by this module itself, which does not count"
                  : "its exporter " + owner + " is missing, or its file does not export it");
    }
  }

  private boolean isExportedByUnreadable(int index) {
    int row = rows[index];
    return row >= 0 && world.isUnreadable(Origin.moduleName(world.target().exports().owner(row)));
  }

  private void weak(int index) {
    j.note(FindingKind.SYMBOL_WEAK, names.name(index), null, FindingKind.SYMBOL_WEAK.meaning());
  }

  private void unproven(FindingKind kind, int index) {
    j.unproven(kind, names.name(index), kind.meaning());
  }

  /** arch/x86 modules may mention it (kernel/module/main.c:ignore_undef_symbol). */
  private boolean isGlobalOffsetTable(int index) {
    ElfIdentity elf = j.module().elf();
    return elf != null
        && (elf.machine() == ElfIdentity.EM_X86_64 || elf.machine() == ElfIdentity.EM_386)
        && j.target().is(LoaderRule.GOT_SYMBOL, "ignore")
        && names.is(index, GOT);
  }

  /** The loader treats the symbol as not found: ENOENT. */
  void refuse(FindingKind kind, int index, @Nullable String owner, String dmesg, String detail) {
    j.add(
        new Finding(
            kind, Effect.REFUSES, Errno.ENOENT, symbol(index), null, null, owner, dmesg, detail));
  }

  /** Up to 4.18 the loader prints 0 for a symbol it did not find. */
  private String unknown(int index) {
    if (start == 0) {
      line.append(j.module().name()).append(": Unknown symbol ");
      start = line.length();
    }
    line.setLength(start);
    line.append(symbol(index));
    return line.append(j.target().version().atLeast(4, 19) ? " (err -2)" : " (err 0)").toString();
  }

  private String symbol(int index) {
    return rows[index] >= 0 ? world.target().exports().symbol(rows[index]) : names.name(index);
  }
}
