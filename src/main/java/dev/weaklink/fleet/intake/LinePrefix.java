package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.nodeset.NodeSet;
import org.jspecify.annotations.Nullable;

/**
 * What programs that ask many nodes put before each line.
 *
 * @param kind what it is
 * @param node the node's name, for {@link Kind#NODE}
 */
record LinePrefix(Kind kind, @Nullable String node) {
  /** What Ansible has between a host, its state, and more. */
  static final String BAR = " | ";

  private static final String POD = "[pod/";
  static final String STDOUT = "(stdout)";

  enum Kind {
    /** Nothing. */
    NONE,
    /**
     * {@code cn001: }, by clush and pdsh; with a tab, by GNU parallel --tag; {@code cn001 | CHANGED
     * | rc=0 | (stdout) }, by Ansible in one line.
     */
    NODE,
    /** {@code cn001 | CHANGED => }, by Ansible: not the node's line follows, but a result. */
    RESULT,
    /** {@code 3: }, by srun --label: a task's number. */
    TASK,
    /** {@code [pod/name/container] }, by kubectl logs --prefix. */
    POD,
    /** Something else, or several. */
    UNKNOWN
  }

  /** Looks at the text before the JSON; blanks around it do not matter. */
  static LinePrefix of(String text) {
    String prefix = text.strip();
    if (prefix.isEmpty()) {
      return new LinePrefix(Kind.NONE, null);
    }
    // kubectl logs --timestamps has the time behind the bracket.
    if (prefix.startsWith(POD) && prefix.indexOf(']') > 0 && prefix.lastIndexOf('[') == 0) {
      return new LinePrefix(Kind.POD, null);
    }
    int bar = prefix.indexOf(BAR);
    if (bar > 0 && NodeSet.isName(prefix.substring(0, bar))) {
      Kind kind =
          prefix.endsWith("=>") ? Kind.RESULT : prefix.contains(STDOUT) ? Kind.NODE : Kind.UNKNOWN;
      return new LinePrefix(kind, prefix.substring(0, bar));
    }
    boolean colon = prefix.endsWith(":");
    String name = colon ? prefix.substring(0, prefix.length() - 1) : prefix;
    if (!NodeSet.isName(name) || !colon && isNumber(name)) {
      return new LinePrefix(Kind.UNKNOWN, null);
    }
    return isNumber(name) ? new LinePrefix(Kind.TASK, null) : new LinePrefix(Kind.NODE, name);
  }

  private static boolean isNumber(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (name.charAt(i) < '0' || name.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }
}
