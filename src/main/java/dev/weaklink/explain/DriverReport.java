package dev.weaklink.explain;

import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.module.DataObject;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a module does with what changed.
 *
 * @param module its name
 * @param typed whether its own types were read
 * @param uses the strongest first
 */
public record DriverReport(String module, boolean typed, List<TypeUse> uses) {
  public DriverReport {
    uses = List.copyOf(uses);
  }

  /**
   * Of each type that differs: all causes, and what else the module has to do with.
   *
   * @param before types of the kernel it was built for
   * @param after those of the newer one
   * @param own its types, null if it has none or they cannot be read
   * @param objects its variables that hold pointers
   * @param imports what it imports
   * @param difference why the CRCs of these changed
   */
  public static DriverReport of(
      String module,
      TypeGraph before,
      TypeGraph after,
      @Nullable TypeGraph own,
      List<DataObject> objects,
      Collection<String> imports,
      KernelDifference difference) {
    List<TypeChange> causes = difference.causes().stream().map(CauseCount::change).toList();
    List<TypeUse> uses = DriverUses.find(before, after, own, objects, imports, causes);
    return new DriverReport(module, own != null, uses);
  }
}
