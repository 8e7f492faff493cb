package dev.weaklink.fleet.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.fleet.judge.AuditJudge.SetFacts;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.SymversReader;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Layout;
import dev.weaklink.testing.SymversBuilder.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What kernels are compared by, over kernels that each came from the one before by a few edits. */
class SymbolProjectionProperties {
  private static final int NAMES = 12;

  /** Puts a row in at a place, or takes the one there out if there is none. */
  record Edit(int place, boolean inserts, Row row) {}

  @Property(tries = 400)
  void numbersAreEqualExactlyWhereLookingUpFindsTheSame(
      @ForAll("kernels") List<List<Edit>> edits, @ForAll boolean once) {
    SymbolProjection asked = new SymbolProjection(sets());
    List<ExportTable> kernels = new ArrayList<>();
    List<long[]> seen = new ArrayList<>();
    List<Row> rows = new ArrayList<>();
    for (List<Edit> more : edits) {
      more.forEach(edit -> apply(edit, rows, once));
      ExportTable kernel = table(rows);
      kernels.add(kernel);
      seen.add(Objects.requireNonNull(asked.rows(kernel)));
    }
    for (int name = 0; name < NAMES; name++) {
      for (int i = 0; i < kernels.size(); i++) {
        for (int j = 0; j <= i; j++) {
          assertThat(Arrays.equals(asked.ofSet(name, seen.get(i)), asked.ofSet(name, seen.get(j))))
              .as("s%s in kernels %s and %s", name, i, j)
              .isEqualTo(looks(kernels.get(i), name).equals(looks(kernels.get(j), name)));
        }
      }
    }
  }

  @Property(tries = 400)
  void rowsOfASimilarTableAreThoseThatAreLookedUp(
      @ForAll("kernels") List<List<Edit>> edits, @ForAll boolean once) {
    List<Row> rows = new ArrayList<>();
    ExportTable before = table(rows);
    for (List<Edit> more : edits) {
      more.forEach(edit -> apply(edit, rows, once));
      ExportTable now = table(rows);
      int[] all = new int[before.size() + 1];
      Arrays.setAll(all, row -> row - 1);
      int[] found = now.find(before, all);
      assertThat(found[0]).isEqualTo(-1);
      for (int row = 0; row < before.size(); row++) {
        assertThat(found[row + 1]).isEqualTo(now.find(before.names(), row));
      }
      before = now;
    }
  }

  /** One for each name, of a module that imports it. */
  private static List<SetFacts> sets() {
    List<SetFacts> sets = new ArrayList<>();
    for (int name = 0; name < NAMES; name++) {
      byte[] built = ModuleBuilder.typical(Machine.X86_64, "m").importing("s" + name, 1).build();
      KernelModule module = ModuleReader.read(Origin.file("m.ko"), built, built.length);
      sets.add(new SetFacts("m" + name, NodePolicy.PERMISSIVE, List.of(module), new TreeMap<>()));
    }
    return sets;
  }

  /** {@code once}: no name comes in a second time. */
  private static void apply(Edit edit, List<Row> rows, boolean once) {
    int place = edit.place % (rows.size() + 1);
    String symbol = edit.row.symbol();
    if (edit.inserts) {
      if (!once || rows.stream().noneMatch(row -> row.symbol().equals(symbol))) {
        rows.add(place, edit.row);
      }
    } else if (place < rows.size()) {
      rows.remove(place);
    }
  }

  private static ExportTable table(List<Row> rows) {
    SymversBuilder builder = new SymversBuilder(Layout.NAMESPACE_LAST);
    rows.forEach(builder::row);
    byte[] text = builder.bytes();
    return SymversReader.read(text, text.length).exports();
  }

  /** All that a loader sees of a name, but for where the row is. */
  private static List<Object> looks(ExportTable kernel, int name) {
    int row = kernel.find("s" + name);
    return row < 0
        ? List.of()
        : List.of(
            kernel.crc(row),
            kernel.flags(row),
            kernel.owner(row),
            String.valueOf(kernel.namespace(row)));
  }

  @Provide
  Arbitrary<List<List<Edit>>> kernels() {
    Arbitrary<Row> row =
        Combinators.combine(
                Arbitraries.integers().between(1, 2),
                Arbitraries.integers().between(0, NAMES + 4),
                Arbitraries.of("vmlinux", "kernel/a", "kernel/b", "kernel/c"),
                Arbitraries.of(Kind.EXPORT_SYMBOL, Kind.EXPORT_SYMBOL_GPL),
                Arbitraries.of("", "A", "B"))
            .as(
                (crc, name, owner, kind, namespace) ->
                    new Row(crc, "s" + name, owner, kind, namespace.isEmpty() ? null : namespace));
    Arbitrary<Edit> edit =
        Combinators.combine(
                Arbitraries.integers().between(0, 40), Arbitraries.of(true, true, true, false), row)
            .as(Edit::new);
    return edit.list().ofMaxSize(20).list().ofMinSize(1).ofMaxSize(6);
  }
}
