package dev.weaklink.loader;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.module.Crc;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import dev.weaklink.module.VersionTable.Layout;
import org.jspecify.annotations.Nullable;

/**
 * The comparison of one symbol's CRC (kernel/module/version.c:check_version): what the module was
 * built with against what the exporter has.
 */
final class VersionCheck {
  private static final String UNKNOWN_SYMBOL_EINVAL = " (err -22)";

  /** How a comparison ended. */
  enum Result {
    /** Both CRCs are there and equal. */
    EQUAL,
    /** The loader accepts, but no CRC was compared. */
    ACCEPTED_BLINDLY,
    REFUSED
  }

  private final VersionLookup lookup = new VersionLookup();
  private final CrcTexts texts = new CrcTexts();
  private @Nullable String disagreement;
  private @Nullable VersionTable table;
  private boolean extended;

  /** Turns to another module. */
  void reset(VerdictBuilder j) {
    VersionTable ext = j.module().extendedVersions();
    extended = ext != null && j.target().is(LoaderRule.EXTENDED_VERSIONS, "yes");
    table = extended ? ext : asRead(j);
    disagreement = null;
    if (table != null) {
      lookup.reset(table);
    }
  }

  /** The table as the target's loader would read it, which may expect the other layout. */
  private static @Nullable VersionTable asRead(VerdictBuilder j) {
    VersionTable table = j.module().versions();
    ElfIdentity elf = j.module().elf();
    if (table == null || elf == null) {
      return table;
    }
    boolean packed = j.target().is(LoaderRule.VERSIONS_LAYOUT, "packed");
    return packed == (table.layout() == Layout.PACKED) ? table : MisreadVersions.of(table, elf);
  }

  /**
   * Compares one symbol.
   *
   * @param row the symbol's row in the target's table of exports, -1 if it has none or that does
   *     not matter
   * @param crc the exporter's CRC
   * @param layout true for module_layout, whose refusal is ENOEXEC and not followed by "Unknown
   *     symbol"
   */
  Result check(
      VerdictBuilder j,
      SymbolNames symbols,
      int index,
      int row,
      int crc,
      String exporter,
      boolean layout) {
    VersionTable versions = table;
    if (versions == null) {
      return withoutTable(j, symbols, index, layout);
    }
    int entry = lookup.find(symbols, index);
    if (entry < 0) {
      return missing(j, symbols.name(index), crc, exporter, layout);
    }
    long wanted = versions.crcs()[entry];
    if (wanted == (crc & 0xffffffffL)) {
      return Result.EQUAL;
    }
    String symbol = row >= 0 ? j.target().exports().symbol(row) : symbols.name(index);
    refuse(
        j,
        layout ? FindingKind.LAYOUT_CRC_MISMATCH : FindingKind.SYMBOL_CRC_MISMATCH,
        symbol,
        texts.hex(wanted),
        texts.hex(crc & 0xffffffffL),
        exporter,
        disagreement(j).concat(symbol));
    return Result.REFUSED;
  }

  /** What the loader says of every symbol whose CRC is another, but for the symbol. */
  private String disagreement(VerdictBuilder j) {
    if (disagreement == null) {
      disagreement = j.infoName() + ": disagrees about version of symbol ";
    }
    return disagreement;
  }

  /** No table at all: a forced load where the kernel allows it, else refused without a word. */
  private static Result withoutTable(
      VerdictBuilder j, SymbolNames symbols, int index, boolean layout) {
    if (j.rule(LoaderRule.FORCE_LOAD, "yes")) {
      return Result.ACCEPTED_BLINDLY;
    }
    String symbol = symbols.name(index);
    FindingKind kind = layout ? FindingKind.LAYOUT_NO_TABLE : FindingKind.SYMBOL_NO_TABLE;
    j.add(
        kind,
        Effect.REFUSES,
        kind.errno(),
        symbol,
        layout ? null : unknown(j, symbol),
        kind.meaning());
    return Result.REFUSED;
  }

  private Result missing(
      VerdictBuilder j, String symbol, int crc, String exporter, boolean layout) {
    if (extended || j.rule(LoaderRule.MISSING_VERSION, "accept")) {
      j.note(
          FindingKind.SYMBOL_NO_VERSION,
          symbol,
          j.infoName()
              + (extended ? ": no extended symbol version for " : ": no symbol version for ")
              + symbol,
          "no entry in the module's version table; the loader warns once and accepts");
      return Result.ACCEPTED_BLINDLY;
    }
    refuse(
        j,
        layout ? FindingKind.LAYOUT_NO_VERSION : FindingKind.SYMBOL_NO_VERSION,
        symbol,
        null,
        Crc.hex(crc),
        exporter,
        j.infoName() + ": no symbol version for " + symbol);
    return Result.REFUSED;
  }

  private static void refuse(
      VerdictBuilder j,
      FindingKind kind,
      String symbol,
      @Nullable String wants,
      String offers,
      String exporter,
      String line) {
    j.add(
        new Finding(
            kind,
            Effect.REFUSES,
            kind.errno(),
            symbol,
            wants,
            offers,
            exporter,
            line,
            kind.meaning()));
  }

  static String unknown(VerdictBuilder j, String symbol) {
    return j.module().name() + ": Unknown symbol " + symbol + UNKNOWN_SYMBOL_EINVAL;
  }
}
