package dev.weaklink.rules;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the product of a unit: by package, else by directory, else by module. */
record ProductSearch(List<Product> products, Product generic) {
  ProductMatch find(RuleUnit unit, Collection<String> modules) {
    ProductMatch match = byPackage(unit.packageName());
    if (match == null) {
      match = byDirectory(unit.directory());
    }
    if (match == null) {
      match = byModules(modules);
    }
    return match == null ? new ProductMatch(generic, RuleOrigin.NO_RULE, "") : match;
  }

  private @Nullable ProductMatch byPackage(@Nullable String name) {
    if (name == null) {
      return null;
    }
    for (Product product : products) {
      for (Decided<NamePattern> pattern : product.recognition().packages()) {
        if (pattern.value().matches(name)) {
          return new ProductMatch(product, pattern.origin(), "package " + name);
        }
      }
    }
    return null;
  }

  private @Nullable ProductMatch byDirectory(@Nullable String directory) {
    if (directory == null) {
      return null;
    }
    for (Product product : products) {
      for (Decided<NamePattern> pattern : product.recognition().directories()) {
        if (pattern.value().matchesDirectory(directory)) {
          return new ProductMatch(product, pattern.origin(), "directory " + directory);
        }
      }
    }
    return null;
  }

  private @Nullable ProductMatch byModules(Collection<String> modules) {
    for (Product product : products) {
      for (Decided<NamePattern> pattern : product.recognition().modules()) {
        for (String module : modules) {
          if (pattern.value().matches(NamePattern.moduleName(module))) {
            return new ProductMatch(product, pattern.origin(), "module " + module);
          }
        }
      }
    }
    return null;
  }
}
