package dev.weaklink.intake;

import static dev.weaklink.json.JsonOutput.list;
import static dev.weaklink.json.JsonOutput.object;

import dev.weaklink.intake.NodeInventory.Module;
import dev.weaklink.intake.NodeInventory.Signature;
import dev.weaklink.intake.NodeInventory.Userspace;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.module.SymbolNames;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes inventories that {@link Intake} reads as they were: one line each, with what was kept of
 * {@code weaklink.node/1}.
 */
public final class NodeWriter {
  private NodeWriter() {}

  /**
   * Writes a line.
   *
   * @param name the node's own name, null to leave it out
   * @param tables those of its modules go with it; null to leave them out
   */
  public static void write(
      @Nullable String name, NodeInventory node, @Nullable ModuleTables tables, OutputStream out)
      throws IOException {
    Map<String, Object> json =
        object(
            "schema", InventoryDraft.SCHEMA,
            "node", name,
            "running", node.running(),
            "security", security(node.policy()),
            "kernels",
                list(
                    node.kernels(),
                    one -> object("release", one.release(), "installed", one.installed())),
            "modules", list(node.modules(), one -> module(one, tables)),
            "loaded",
                list(
                    node.loaded(),
                    one ->
                        object(
                            "name", one.name(),
                            "srcversion", one.srcversion(),
                            "taint", one.taint())),
            "dkms",
                list(node.dkms(), one -> object("module", one.module(), "version", one.version())),
            "ofed", node.ofed(),
            "packages",
                list(node.packages(), one -> object("name", one.name(), "version", one.version())),
            "userspace", node.userspace() == null ? null : userspace(node.userspace()),
            "tables", tables == null ? null : tables(node.modules(), tables),
            "problems", Collections.nCopies(node.unread(), object()));
    JsonOutput.writeLine(json, out);
  }

  /** What weaklink found of RDMA's libraries, as inventories have it. */
  public static Map<String, Object> userspace(Userspace userspace) {
    return object(
        "library",
        userspace.library(),
        "findings",
        list(
            userspace.findings(),
            one ->
                object(
                    "id", one.id(),
                    "subject", one.subject(),
                    "detail", one.detail(),
                    "packages", one.packages().isEmpty() ? null : one.packages())));
  }

  private static Map<String, Object> security(NodePolicy policy) {
    return switch (policy) {
      case PERMISSIVE -> object();
      case SECURE_BOOT -> object("secureBoot", "enabled");
      case LOCKDOWN -> object("lockdown", "integrity");
      case ENFORCED -> object("enforced", true);
    };
  }

  private static Object module(Module module, @Nullable ModuleTables tables) {
    Signature signature = module.signature();
    return object(
        "kernel", module.kernel(),
        "name", module.name(),
        "path", module.path(),
        "used", module.used(),
        "link", module.link(),
        "file", module.file(),
        "digest", module.digest(),
        "version", module.version(),
        "srcversion", module.srcversion(),
        "vermagic", module.vermagic(),
        "signature", signature == null ? null : signature.kind(),
        "signer", signature == null ? null : signature.signer(),
        "signerKey", signature == null ? null : signature.key(),
        "crcs", crcs(module, tables));
  }

  /**
   * A table is not written byte for byte as it was reported: that it was the right one is known.
   */
  private static @Nullable String crcs(Module module, @Nullable ModuleTables tables) {
    ReportedTable table = tables == null ? null : tables.find(module.digest());
    String crcs = module.crcs();
    return crcs == null || table != null && crcs.equals(table.digest()) ? null : crcs;
  }

  private static List<Object> tables(List<Module> modules, ModuleTables tables) {
    Map<String, Object> found = new TreeMap<>();
    for (Module module : modules) {
      String file = module.digest();
      ReportedTable table = tables.find(file);
      if (file != null && table != null) {
        found.put(
            file,
            object(
                "file", file,
                "versions", entries(table.versions(), table.crcs()),
                "exports", entries(table.exports(), table.exportCrcs())));
      }
    }
    return new ArrayList<>(found.values());
  }

  private static @Nullable List<String> entries(@Nullable SymbolNames names, long[] crcs) {
    if (names == null) {
      return null;
    }
    List<String> lines = new ArrayList<>(crcs.length);
    for (int i = 0; i < crcs.length; i++) {
      String name =
          new String(names.bytes(), names.offset(i), names.length(i), StandardCharsets.UTF_8);
      // Readers drop one dot, as the loader does on ppc64.
      String dot = name.startsWith(".") ? "." : "";
      lines.add(TableEntries.PREFIX + Long.toHexString(crcs[i]) + ' ' + dot + name);
    }
    return lines;
  }
}
