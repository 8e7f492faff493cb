package dev.weaklink.fleet;

import dev.weaklink.fleet.Audit.Gathered;
import dev.weaklink.fleet.AuditReport.Action;
import dev.weaklink.fleet.AuditReport.Finding;
import dev.weaklink.fleet.AuditReport.KernelStates;
import dev.weaklink.fleet.AuditReport.ModuleVerdict;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What verdicts mean to nodes: how each stands to a kernel, and what is to be done. */
final class KernelStatesFinder {
  private final NodeGroups census;
  private final List<TargetAnswers> targets;
  private final List<SetVerdict> verdicts;
  private final Set<String> releases = new HashSet<>();
  private final Map<@Nullable String, Booted> booted = new HashMap<>();
  private final List<KernelStates> kernels = new ArrayList<>();
  private final List<Action> actions = new ArrayList<>();

  /** {@code targets} in the order of their ids. */
  KernelStatesFinder(NodeGroups census, List<TargetAnswers> targets, List<SetVerdict> verdicts) {
    this.census = census;
    this.targets = targets;
    this.verdicts = verdicts;
    for (Gathered gathered : census.gathered()) {
      releases.add(gathered.set.kernel());
    }
    for (int target = 0; target < targets.size(); target++) {
      find(target);
    }
  }

  List<KernelStates> kernels() {
    return kernels;
  }

  List<Action> actions() {
    return actions;
  }

  private void find(int target) {
    String release = targets.get(target).target().release();
    // What no node has is the same to all.
    Booted on =
        booted.computeIfAbsent(
            release != null && releases.contains(release) ? release : null,
            key -> new Booted(census, key));
    Map<NodeState, BitSet> states = new EnumMap<>(NodeState.class);
    List<String> canaries = new ArrayList<>();
    for (int i = 0; i < on.alike.size(); i++) {
      Alike alike = on.alike.get(i);
      SetVerdict verdict = alike.set < 0 ? null : SetVerdict.find(verdicts, alike.set, target);
      NodeState state = state(verdict, alike.installed);
      states.computeIfAbsent(state, key -> new BitSet()).set(i);
      if (state == NodeState.READY) {
        canaries.add(alike.first);
      } else if (verdict != null && state != NodeState.INSTALL) {
        String product = census.gathered().get(alike.set).provenance.product();
        String command = command(verdict, release);
        actions.add(new Action(state, target, alike.set, product, alike.nodes, command));
      }
    }
    Map<NodeState, Nodes> nodes = new EnumMap<>(NodeState.class);
    states.forEach((state, places) -> nodes.put(state, on.nodes(places)));
    kernels.add(new KernelStates(target, nodes, Nodes.of(canaries)));
  }

  private static NodeState state(@Nullable SetVerdict verdict, boolean installed) {
    if (verdict != null && !verdict.state().loads()) {
      return verdict.state();
    }
    return !installed ? NodeState.INSTALL : verdict == null ? NodeState.READY : verdict.state();
  }

  /**
   * Nodes that would have the same modules if they booted a kernel.
   *
   * @param set its place; -1 for those that have no modules of their own at all
   * @param installed whether the kernel is
   * @param first of them, whatever the order of the input
   */
  private record Alike(int set, boolean installed, List<String> names, Nodes nodes, String first) {}

  /**
   * Which nodes are alike if they boot a kernel: worked out once for each kernel that some node has
   * a directory of, and once for all others.
   */
  private static final class Booted {
    private final List<Alike> alike = new ArrayList<>();
    private final Map<BitSet, Nodes> folded = new HashMap<>();

    private record Key(int set, boolean installed) {}

    Booted(NodeGroups census, @Nullable String release) {
      SortedMap<Key, List<String>> names =
          new TreeMap<>(Comparator.comparingInt(Key::set).thenComparing(Key::installed));
      for (NodeGroups.Kind kind : census.kinds()) {
        Gathered deciding = kind.deciding(release);
        Key key = new Key(deciding == null ? -1 : deciding.place, kind.hasInstalled(release));
        names.computeIfAbsent(key, one -> new ArrayList<>()).addAll(kind.names());
      }
      names.forEach(
          (key, all) ->
              alike.add(
                  new Alike(key.set, key.installed, all, Nodes.of(all), Collections.min(all))));
    }

    /** Those of these places. */
    Nodes nodes(BitSet places) {
      return folded.computeIfAbsent(
          places,
          key -> {
            List<String> names = new ArrayList<>();
            key.stream().forEach(place -> names.addAll(alike.get(place).names));
            return Nodes.of(names);
          });
    }
  }

  private static @Nullable String command(SetVerdict verdict, @Nullable String release) {
    if (verdict.state() == NodeState.UNDETERMINED) {
      return lacksTables(verdict) ? "weaklink-collect --full" : null;
    }
    if (release == null || !isPlain(release)) {
      return null;
    }
    return switch (verdict.state()) {
      case LINK -> "weaklink apply --kernel " + release;
      case REBUILD -> "weaklink apply --rebuild --kernel " + release;
      default -> null;
    };
  }

  private static boolean lacksTables(SetVerdict verdict) {
    for (ModuleVerdict module : verdict.modules()) {
      for (Finding finding : module.findings()) {
        if (finding.layer().equals(SetAnswer.INPUT)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Somebody will paste it into a shell. */
  private static boolean isPlain(String release) {
    for (int i = 0; i < release.length(); i++) {
      char c = release.charAt(i);
      boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
      if (!letter && "-_.+~".indexOf(c) < 0) {
        return false;
      }
    }
    return !release.isEmpty() && release.charAt(0) != '-';
  }
}
