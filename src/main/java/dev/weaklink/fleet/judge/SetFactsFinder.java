package dev.weaklink.fleet.judge;

import dev.weaklink.fleet.ModuleSet;
import dev.weaklink.fleet.ReportedModule;
import dev.weaklink.fleet.intake.ModuleTables;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.ReportedTable;
import dev.weaklink.module.KernelModule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Finds what is known of modules: their files if those are here, else what nodes report. */
final class SetFactsFinder {
  private final FilesByDigest files;
  private final ModuleTables tables;
  private final Map<String, KernelModule> reported = new HashMap<>();

  SetFactsFinder(FilesByDigest files, ModuleTables tables) {
    this.files = files;
    this.tables = tables;
  }

  /** The facts of one set. */
  SetFacts of(ModuleSet set) {
    List<KernelModule> known = new ArrayList<>();
    SortedMap<String, String> unknown = new TreeMap<>();
    StringBuilder key = new StringBuilder(set.policy().id()).append('\n');
    for (Module module : set.chosen()) {
      key.append(identity(module)).append('\n');
      KernelModule file = files.get(module.digest());
      if (file != null) {
        known.add(file);
        continue;
      }
      ReportedTable table = tables.find(module.digest());
      String objection = ReportedModule.objection(module, table);
      if (objection != null || table == null) {
        unknown.put(module.name(), String.valueOf(objection));
        continue;
      }
      known.add(reported.computeIfAbsent(identity(module), id -> ReportedModule.of(module, table)));
    }
    return new SetFacts(key.toString(), set.policy(), known, unknown);
  }

  /** A line feed could make two of one, and only the node's own verdict worse. */
  private static String identity(Module module) {
    return module.name()
        + ' '
        + module.digest()
        + ' '
        + module.vermagic()
        + ' '
        + module.crcs()
        + ' '
        + module.signature();
  }
}
