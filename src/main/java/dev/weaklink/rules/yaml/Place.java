package dev.weaklink.rules.yaml;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.nodes.Node;

/** Where something is in a text; line and column count from 1. */
record Place(int line, int column) {
  /** For a problem with the file as a whole. */
  static final Place WHOLE = new Place(0, 0);

  /** Where a node begins. */
  static Place of(Node node) {
    return of(node.getStartMark());
  }

  static Place of(@Nullable Mark mark) {
    return mark == null ? WHOLE : new Place(mark.getLine() + 1, mark.getColumn() + 1);
  }
}
