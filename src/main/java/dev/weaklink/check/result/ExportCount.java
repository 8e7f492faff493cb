package dev.weaklink.check.result;

import dev.weaklink.kernel.ExportTable;

/** How many exports are of a kind. */
public record ExportCount(int ofVmlinux, int gplOnly, int inNamespaces) {
  /** Counts the rows of a table. */
  public static ExportCount of(ExportTable exports) {
    int ofVmlinux = 0;
    int gplOnly = 0;
    int inNamespaces = 0;
    for (int row = 0; row < exports.size(); row++) {
      ofVmlinux += exports.isVmlinux(row) ? 1 : 0;
      gplOnly += exports.isGplOnly(row) ? 1 : 0;
      inNamespaces += exports.namespace(row) != null ? 1 : 0;
    }
    return new ExportCount(ofVmlinux, gplOnly, inNamespaces);
  }
}
