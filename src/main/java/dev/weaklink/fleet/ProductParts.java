package dev.weaklink.fleet;

import dev.weaklink.fleet.intake.NodeInventory.Module;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds products of which some modules are of one build and some of another. */
final class ProductParts {
  /** Modules that have OFED's own version in every build of OFED. */
  private static final List<String> OF_OFED =
      List.of("mlx4_core", "mlx4_en", "mlx4_ib", "mlx5_core", "mlx5_ib", "mlx_compat", "mlxfw");

  private static final List<String> PLACES = List.of("/updates/", "/extra/");

  private ProductParts() {}

  /** Half-updated products among the files that would be loaded. */
  static List<Defect> defects(List<Module> chosen) {
    Map<String, Map<String, List<String>>> releases = new TreeMap<>();
    Map<String, List<String>> versions = new TreeMap<>();
    for (Module module : chosen) {
      String unit = unit(module.file() == null ? module.path() : module.file());
      String release = release(module.vermagic());
      if (unit != null && release != null) {
        add(releases.computeIfAbsent(unit, key -> new TreeMap<>()), release, module.name());
      }
      if (OF_OFED.contains(module.name()) && module.version() != null) {
        add(versions, module.version(), module.name());
      }
    }
    List<Defect> defects = new ArrayList<>();
    releases.forEach((unit, parts) -> addIfSeveral(unit, "built for ", parts, defects));
    addIfSeveral("OFED", "", versions, defects);
    return defects;
  }

  private static void add(Map<String, List<String>> parts, String build, String module) {
    parts.computeIfAbsent(build, key -> new ArrayList<>()).add(module);
  }

  private static void addIfSeveral(
      String subject, String word, Map<String, List<String>> parts, List<Defect> defects) {
    if (parts.size() < 2) {
      return;
    }
    List<String> words = new ArrayList<>();
    parts.forEach((build, modules) -> words.add(word + build + ": " + String.join(" ", modules)));
    defects.add(new Defect(Defect.Kind.HALF_UPDATED, subject, String.join("; ", words)));
  }

  /**
   * The directory below extra or updates that a package put its modules in; null for files that lie
   * there themselves, and below dkms, where the modules of all packages lie together.
   */
  private static @Nullable String unit(String path) {
    for (String place : PLACES) {
      int at = path.indexOf(place);
      int end = at < 0 ? -1 : path.indexOf('/', at + place.length());
      if (end > 0) {
        String unit = path.substring(at + place.length(), end);
        return unit.equals("dkms") ? null : unit;
      }
    }
    return null;
  }

  private static @Nullable String release(@Nullable String vermagic) {
    int blank = vermagic == null ? -1 : vermagic.indexOf(' ');
    return vermagic == null || blank <= 0 ? null : vermagic.substring(0, blank);
  }
}
