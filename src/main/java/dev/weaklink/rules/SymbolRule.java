package dev.weaklink.rules;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule about symbols: those that match one pattern of each list that is not empty.
 *
 * @param symbols patterns of names
 * @param modules patterns of who exports them: {@code vmlinux}, a module's name, or its path where
 *     symvers has one
 * @param namespaces patterns of the namespaces they are exported in
 * @param decision what it says
 */
public record SymbolRule(
    List<NamePattern> symbols,
    List<NamePattern> modules,
    List<NamePattern> namespaces,
    Attributed<Severity> decision) {
  public SymbolRule {
    symbols = List.copyOf(symbols);
    modules = List.copyOf(modules);
    namespaces = List.copyOf(namespaces);
  }

  boolean matches(String symbol, @Nullable String exporter, @Nullable String namespace) {
    return (symbols.isEmpty() || Selector.any(symbols, symbol))
        && (namespaces.isEmpty() || Selector.any(namespaces, namespace))
        && (modules.isEmpty() || matchesExporter(exporter));
  }

  private boolean matchesExporter(@Nullable String exporter) {
    if (exporter == null) {
      return false;
    }
    String path = NamePattern.moduleName(exporter);
    return Selector.any(modules, path)
        || Selector.any(modules, path.substring(path.lastIndexOf('/') + 1));
  }
}
