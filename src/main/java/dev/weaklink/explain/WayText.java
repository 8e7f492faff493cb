package dev.weaklink.explain;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.loader.TypeChange;
import java.util.ArrayList;
import java.util.List;

/** Writes the way from a symbol to a changed type: by which parameter, and by which members. */
final class WayText {
  /** Deeper nesting of pointers, arrays and types without a name is not looked into. */
  private static final int MAX_DEPTH = 16;

  private final Btf btf;

  WayText(Btf btf) {
    this.btf = btf;
  }

  /**
   * Such as {@code dev_open(dev)}, {@code struct net_device.qdisc}, {@code struct Qdisc.flags}.
   *
   * @param declared type of the symbol
   * @param nodes the types on the way, the changed one last
   */
  List<String> of(String symbol, int declared, List<Integer> nodes, TypeChange change) {
    List<String> way = new ArrayList<>();
    boolean function = btf.kind(declared) == BtfKind.FUNC_PROTO;
    way.add(function ? symbol + "(" + member(declared, nodes.get(0)) + ")" : symbol);
    for (int i = 0; i < nodes.size(); i++) {
      boolean last = i == nodes.size() - 1;
      String member = last ? onlyMember(change) : member(nodes.get(i), nodes.get(i + 1));
      way.add(text(nodes.get(i)) + (member.isEmpty() ? "" : "." + member));
    }
    return way;
  }

  private String text(int node) {
    return TypeText.tag(btf.kind(node)) + " " + btf.name(node);
  }

  /** The name of what changed in a struct or union, if that is one member with a name. */
  private static String onlyMember(TypeChange change) {
    boolean composite = change.kind().equals("struct") || change.kind().equals("union");
    String name = composite && change.members().size() == 1 ? change.members().get(0).name() : "";
    return name.startsWith("(") ? "" : name;
  }

  /** The first member or parameter that leads to a type; empty if that is what is returned. */
  private String member(int from, int to) {
    for (int i = 0; i < membersOf(from); i++) {
      int type = btf.memberType(from, i);
      if (leads(type, to, 0)) {
        String name = btf.memberName(from, i);
        return name.isEmpty() && type != to ? member(type, to) : name;
      }
    }
    return "";
  }

  private int membersOf(int type) {
    BtfKind kind = btf.kind(type);
    return kind.isComposite() || kind == BtfKind.FUNC_PROTO ? btf.members(type) : 0;
  }

  private boolean leads(int type, int to, int depth) {
    if (type == to || depth > MAX_DEPTH) {
      return type == to;
    }
    return switch (btf.kind(type)) {
      case PTR, CONST, VOLATILE, RESTRICT, TYPE_TAG -> leads(btf.type(type), to, depth + 1);
      case ARRAY -> leads(btf.element(type), to, depth + 1);
      case FUNC_PROTO -> leads(btf.type(type), to, depth + 1) || anyLeads(type, to, depth);
      case STRUCT, UNION -> !btf.isNamed(type) && anyLeads(type, to, depth);
      default -> false;
    };
  }

  private boolean anyLeads(int type, int to, int depth) {
    for (int i = 0; i < btf.members(type); i++) {
      if (leads(btf.memberType(type, i), to, depth + 1)) {
        return true;
      }
    }
    return false;
  }
}
