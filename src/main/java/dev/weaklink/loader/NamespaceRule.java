package dev.weaklink.loader;

import dev.weaklink.kernel.LoaderRule;
import java.util.List;

/** Whether a module may use a symbol of a namespace (kernel/module/main.c, 5.4+). */
final class NamespaceRule {
  private static final String MODULE_PREFIX = "module:";

  private NamespaceRule() {}

  /**
   * Whether the namespace is imported: one {@code import_ns=} is exactly it, or, from 6.16 on, it
   * names the modules it is for ({@code module:a,b*}) and this is one of them.
   */
  static boolean allows(
      String namespace, List<String> imported, String moduleName, TargetView rules) {
    if (rules.is(LoaderRule.MODULE_NAMESPACES, "yes") && namespace.startsWith(MODULE_PREFIX)) {
      return namesModule(namespace.substring(MODULE_PREFIX.length()), moduleName);
    }
    return imported.contains(namespace);
  }

  /** An explicit import of such a namespace is refused (setup_modinfo, 6.16+). */
  static boolean isForbiddenImport(String imported, TargetView rules) {
    return rules.is(LoaderRule.MODULE_NAMESPACES, "yes") && imported.startsWith(MODULE_PREFIX);
  }

  private static boolean namesModule(String list, String moduleName) {
    String name = moduleName.replace('-', '_');
    for (int at = 0; at <= list.length(); ) {
      int comma = list.indexOf(',', at);
      int end = comma < 0 ? list.length() : comma;
      String pattern = list.substring(at, end).replace('-', '_');
      boolean matches =
          pattern.endsWith("*")
              ? name.startsWith(pattern.substring(0, pattern.length() - 1))
              : name.equals(pattern);
      if (matches) {
        return true;
      }
      at = end + 1;
    }
    return false;
  }
}
