package dev.weaklink.rules.yaml;

import java.util.List;

/** A part of a YAML document and where it begins. */
sealed interface Node {
  Place at();

  /** What it is, for messages. */
  String kind();

  /** A word, number or text; which of them is for the reader to say. */
  record Scalar(String text, Place at) implements Node {
    @Override
    public String kind() {
      return "'" + text + "'";
    }
  }

  /** Nothing, or null. */
  record Empty(Place at) implements Node {
    @Override
    public String kind() {
      return "nothing";
    }
  }

  /** What has been complained about already. */
  record Refused(Place at) implements Node {
    @Override
    public String kind() {
      return "something unusable";
    }
  }

  /** A list. */
  record Items(List<Node> nodes, Place at) implements Node {
    @Override
    public String kind() {
      return "a list";
    }
  }

  /** Keys with their values, in the order of the file; keys may be there twice. */
  record Mapping(List<Entry> entries, Place at) implements Node {
    @Override
    public String kind() {
      return "keys and values";
    }
  }

  /** A key, where it is, and its value. */
  record Entry(String key, Place at, Node value) {}
}
