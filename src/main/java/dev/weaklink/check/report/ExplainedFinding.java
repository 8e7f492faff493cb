package dev.weaklink.check.report;

import dev.weaklink.check.userspace.UserspaceFinding;
import dev.weaklink.loader.FindingKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All there is to say about an id of findings.
 *
 * @param layer where it is found; for what is outside the kernel the first word of the id
 * @param errno what finit_module(2) returns, null where it does not refuse
 * @param source where it is decided, empty if nowhere
 * @param versions for which kernels it holds
 */
public record ExplainedFinding(
    String id,
    String layer,
    String meaning,
    @Nullable String errno,
    String source,
    String versions,
    String remedy) {

  /** Every id, by layer. */
  public static final List<ExplainedFinding> ALL = all();

  private static List<ExplainedFinding> all() {
    List<ExplainedFinding> all = new ArrayList<>();
    for (FindingKind kind : FindingKind.values()) {
      all.add(
          new ExplainedFinding(
              kind.id(),
              kind.layer().id(),
              kind.meaning(),
              kind.errno(),
              kind.source(),
              kind.versions(),
              kind.remedy()));
    }
    for (UserspaceFinding.Kind kind : UserspaceFinding.Kind.values()) {
      all.add(
          new ExplainedFinding(
              kind.id(),
              "userspace",
              kind.meaning(),
              null,
              "rdma-core libibverbs/dynamic_driver.c and init.c, dlopen(3)",
              "all",
              kind.remedy()));
    }
    return List.copyOf(all);
  }

  /** The first word of the id. */
  public String group() {
    return id.substring(0, id.indexOf('.'));
  }
}
