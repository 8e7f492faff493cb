package dev.weaklink.cli;

import dev.weaklink.build.PreparedRebuild;
import dev.weaklink.build.RebuildOutcome;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.rebuild.Completeness;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Obstacle;
import dev.weaklink.report.RebuildText;
import java.nio.file.Path;
import java.util.List;

/** Says what came of a build. */
final class RebuildReport {
  private RebuildReport() {}

  static void add(RebuildOutcome outcome, PreparedRebuild prepared, RebuildText text) {
    String kernel = prepared.job().place().kernel();
    CheckReport check = outcome.results().check();
    if (check != null) {
      text.built(kernel, check, wantsSignatures(prepared) ? outcome.unsigned() : List.of());
    }
    Completeness completeness = outcome.results().completeness();
    if (completeness != null && !completeness.dependants().isEmpty()) {
      text.facts("not rebuilt, though it uses what was", completeness.dependants());
    }
    if (completeness != null && !completeness.allowed().isEmpty()) {
      text.facts("not in the result, as was allowed", completeness.allowed());
    }
    Diagnosis failure = outcome.failure();
    if (failure != null) {
      text.failure(kernel, prepared.backend().id(), failure);
    } else {
      text.facts("result", strings(outcome.results().files()));
    }
    text.packages(outcome.manifest().packages());
    text.facts("kept", List.of(outcome.directory().toString()));
  }

  /** Where signatures are neither asked for nor made, nobody misses them. */
  private static boolean wantsSignatures(PreparedRebuild prepared) {
    for (Obstacle obstacle : prepared.obstacles()) {
      if (obstacle.id().equals("signing")) {
        return true;
      }
    }
    return prepared.request().environment().containsKey("MODULE_SIGN_PRIV_KEY");
  }

  private static List<String> strings(List<Path> paths) {
    return paths.stream().map(Path::toString).toList();
  }
}
