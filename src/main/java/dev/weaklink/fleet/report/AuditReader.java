package dev.weaklink.fleet.report;

import dev.weaklink.check.userspace.UserspaceFinding;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.Action;
import dev.weaklink.fleet.AuditReport.AuditedSet;
import dev.weaklink.fleet.AuditReport.Finding;
import dev.weaklink.fleet.AuditReport.Group;
import dev.weaklink.fleet.AuditReport.KernelStates;
import dev.weaklink.fleet.AuditReport.Missing;
import dev.weaklink.fleet.AuditReport.ModuleVerdict;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.fleet.AuditedCause;
import dev.weaklink.fleet.Defect;
import dev.weaklink.fleet.NodeDefect;
import dev.weaklink.fleet.NodeState;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.fleet.RdmaLibraries;
import dev.weaklink.fleet.SetResult;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.fleet.nodeset.MalformedNodeSetException;
import dev.weaklink.format.json.JsonTree;
import dev.weaklink.format.json.MalformedJsonException;
import dev.weaklink.loader.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link AuditJson} writes as one document, but for its comparison with another one. Ids
 * are valid places in the lists.
 */
public final class AuditReader {
  private final JsonTree json;
  private final int targets;
  private final int sets;

  private AuditReader(JsonTree json) throws MalformedJsonException {
    this.json = json;
    this.targets = json.objects("targets").size();
    this.sets = json.objects("sets").size();
  }

  /**
   * Reads an audit.
   *
   * @throws UnusableAuditException if it is none
   */
  public static AuditReport read(InputStream in) throws IOException {
    JsonTree json;
    try {
      json = JsonTree.read(in);
    } catch (MalformedJsonException e) {
      throw new UnusableAuditException(String.valueOf(e.getMessage()));
    }
    if (!json.hasText("schema") || !AuditJson.DOCUMENT.equals(json.text("schema"))) {
      throw new UnusableAuditException(
          "is not of schema " + AuditJson.DOCUMENT + ", as 'weaklink audit --format json' writes");
    }
    try {
      return new AuditReader(json).read();
    } catch (MalformedJsonException e) {
      throw new UnusableAuditException("not an audit: " + e.getMessage());
    }
  }

  private AuditReport read() throws MalformedJsonException {
    return new AuditReport(
        json.number("nodes"),
        json.list("targets", this::target),
        json.list("sets", this::set),
        json.list("groups", this::group),
        json.list("running", this::running),
        json.has("userspace") ? libraries(json.object("userspace")) : RdmaLibraries.UNCHECKED,
        json.list("verdicts", this::verdict),
        json.list("kernels", this::kernel),
        json.list("actions", this::action),
        nodes(json.object("incomplete"), "nodes"),
        json.listIfAny("missing", AuditReader::missing),
        json.object("input").number("problems"),
        null);
  }

  private Target target(JsonTree item) throws MalformedJsonException {
    return new Target(
        place(item, "id", targets),
        item.require("label"),
        item.text("release"),
        item.text("vermagic"),
        item.require("source"),
        item.texts("unchecked"),
        item.textsIfAny("notes"));
  }

  private AuditedSet set(JsonTree item) throws MalformedJsonException {
    String kernel = item.require("kernel");
    return new AuditedSet(
        place(item, "id", sets),
        item.require("digest"),
        kernel,
        item.text("product"),
        item.has("policy") ? item.constant("policy", NodePolicy.values()) : null,
        item.list("modules", module -> module(module, kernel)),
        item.has("oldest") ? place(item, "oldest", targets) : null,
        item.has("newest") ? place(item, "newest", targets) : null);
  }

  private static Module module(JsonTree item, String kernel) throws MalformedJsonException {
    return new Module(
        kernel,
        item.require("name"),
        item.require("path"),
        null,
        null,
        null,
        item.text("file"),
        item.text("version"),
        item.text("srcversion"),
        item.text("vermagic"),
        null,
        null);
  }

  private Group group(JsonTree item) throws MalformedJsonException {
    return new Group(
        place(item, "set", sets),
        item.require("kernel"),
        nodes(item, "nodes"),
        item.number("running"),
        item.list("defects", AuditReader::defect));
  }

  private NodeDefect running(JsonTree item) throws MalformedJsonException {
    return new NodeDefect(item.require("kernel"), defect(item), nodes(item, "nodes"));
  }

  private static RdmaLibraries libraries(JsonTree item) throws MalformedJsonException {
    return new RdmaLibraries(
        nodes(item, "checked"),
        nodes(item, "without"),
        item.list("findings", AuditReader::libraryProblem));
  }

  private static NodeDefect libraryProblem(JsonTree item) throws MalformedJsonException {
    return new NodeDefect(
        "",
        new Defect(
            item.constant("id", UserspaceFinding.Kind.values()),
            item.require("subject"),
            item.require("detail"),
            item.has("packages") ? item.require("packages") : ""),
        nodes(item, "nodes"));
  }

  private static Defect defect(JsonTree item) throws MalformedJsonException {
    return new Defect(
        item.constant("kind", Defect.Kind.values()),
        item.require("subject"),
        item.require("detail"));
  }

  private SetVerdict verdict(JsonTree item) throws MalformedJsonException {
    return new SetVerdict(
        place(item, "set", sets),
        place(item, "target", targets),
        item.constant("state", NodeState.values()),
        answer(item, item.textsIfAny("unchecked")));
  }

  private static SetResult answer(JsonTree item, List<String> unchecked)
      throws MalformedJsonException {
    return new SetResult(
        item.number("loads"),
        item.number("fails"),
        item.number("undetermined"),
        item.numberIfAny("breaks"),
        item.list("modules", AuditReader::moduleVerdict),
        item.listIfAny("causes", AuditReader::cause),
        unchecked);
  }

  private static ModuleVerdict moduleVerdict(JsonTree item) throws MalformedJsonException {
    return new ModuleVerdict(
        item.require("module"),
        outcome(item.require("outcome")),
        item.text("errno"),
        item.list("findings", AuditReader::finding),
        item.numberIfAny("more"));
  }

  private static Outcome outcome(String name) throws MalformedJsonException {
    for (Outcome outcome : Outcome.values()) {
      if (outcome.name().equals(name)) {
        return outcome;
      }
    }
    throw unknown("outcome", name);
  }

  private static Finding finding(JsonTree item) throws MalformedJsonException {
    return new Finding(
        item.require("layer"),
        item.text("id"),
        item.text("symbol"),
        item.text("wanted"),
        item.text("offered"),
        item.require("message"),
        item.has("cause") ? cause(item.object("cause")) : null);
  }

  private static AuditedCause cause(JsonTree item) throws MalformedJsonException {
    return new AuditedCause(
        item.require("kind"),
        item.require("name"),
        item.require("change"),
        item.require("summary"));
  }

  private KernelStates kernel(JsonTree item) throws MalformedJsonException {
    Map<NodeState, Nodes> states = new EnumMap<>(NodeState.class);
    for (NodeState state : NodeState.values()) {
      states.put(state, nodes(item.object(state.id()), "nodes"));
    }
    return new KernelStates(place(item, "target", targets), states, nodes(item, "canaries"));
  }

  private Action action(JsonTree item) throws MalformedJsonException {
    return new Action(
        item.constant("state", NodeState.values()),
        place(item, "target", targets),
        place(item, "set", sets),
        item.text("product"),
        nodes(item, "nodes"),
        item.text("command"));
  }

  private static Missing missing(JsonTree item) throws MalformedJsonException {
    return new Missing(item.require("reason"), nodes(item, "nodes"));
  }

  private static Nodes nodes(JsonTree item, String key) throws MalformedJsonException {
    String folded = item.require(key);
    try {
      return Nodes.parse(folded);
    } catch (MalformedNodeSetException e) {
      throw new MalformedJsonException("'" + key + "' is not a set of nodes: " + e.getMessage());
    }
  }

  private static int place(JsonTree item, String key, int size) throws MalformedJsonException {
    int place = item.number(key);
    if (place >= size) {
      throw unknown(key, Integer.toString(place));
    }
    return place;
  }

  private static MalformedJsonException unknown(String key, @Nullable String value) {
    return new MalformedJsonException("there is no " + key + " '" + value + "'");
  }
}
