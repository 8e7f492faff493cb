package dev.weaklink.report;

import dev.weaklink.kernel.ExportTable;

/** How many exports are of a kind. */
record ExportCount(int gplOnly, int inNamespaces) {
  static ExportCount of(ExportTable exports) {
    int gplOnly = 0;
    int inNamespaces = 0;
    for (int row = 0; row < exports.size(); row++) {
      gplOnly += exports.isGplOnly(row) ? 1 : 0;
      inNamespaces += exports.namespace(row) != null ? 1 : 0;
    }
    return new ExportCount(gplOnly, inNamespaces);
  }
}
