package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.UnusableJobException;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.RuleUnit;
import dev.weaklink.rules.Rules;
import dev.weaklink.sys.Root;
import dev.weaklink.system.RpmDatabase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Which installed modules belong to a product, as rules recognise it. */
final class ProductModules {
  private static final String LINKS = "weak-updates/";

  private ProductModules() {}

  /**
   * Names of a product's modules.
   *
   * @param product a product's id
   * @param files the modules of one kernel as seen from inside the root, by name
   * @throws UnusableJobException if no rule knows that product, or rules are not in order
   */
  static Set<String> of(Root root, String product, Map<String, String> files)
      throws UnusableJobException {
    Rules rules = EvidenceReader.rules(root);
    check(rules, product);
    Map<String, String> packages = packages(root, files.values());
    Map<RuleUnit, List<String>> units = new TreeMap<>(Comparator.comparing(RuleUnit::name));
    files.forEach(
        (name, file) ->
            units
                .computeIfAbsent(unit(file, packages.get(file)), u -> new ArrayList<>())
                .add(name));
    Set<String> own = new HashSet<>();
    units.forEach(
        (unit, modules) -> {
          if (rules.productOf(unit, modules).product().id().equals(product)) {
            own.addAll(modules);
          }
        });
    return own;
  }

  private static void check(Rules rules, String id) throws UnusableJobException {
    List<String> ids = new ArrayList<>();
    for (Product product : rules.products()) {
      ids.add(product.id());
    }
    ids.add(rules.generic().id());
    if (!ids.contains(id)) {
      ids.sort(null);
      throw new UnusableJobException(
          "no rule knows a product '" + id + "'; there are: " + String.join(", ", ids));
    }
  }

  private static Map<String, String> packages(Root root, Collection<String> files) {
    try {
      RpmDatabase database = RpmDatabase.find(root);
      return database == null ? Map.of() : database.owners(files);
    } catch (IOException e) {
      // Then their directories have to do.
      return Map.of();
    }
  }

  /** Of {@code /lib/modules/K/extra/a/b/c.ko} it is {@code extra/a}; a link is as what it means. */
  private static RuleUnit unit(String file, @Nullable String owner) {
    String[] parts = file.split("/", -1);
    int kernel = file.startsWith("/usr/") ? 4 : 3;
    StringBuilder directory = new StringBuilder();
    for (int i = kernel + 1; i < Math.min(kernel + 3, parts.length - 1); i++) {
      directory.append(directory.isEmpty() ? "" : "/").append(parts[i]);
    }
    String place = directory.toString();
    if (place.startsWith(LINKS)) {
      place = "extra/" + place.substring(LINKS.length());
    }
    return owner == null ? RuleUnit.ofDirectory(place) : new RuleUnit(owner, owner, place);
  }
}
