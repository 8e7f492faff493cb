package dev.weaklink.rules;

/** A choice that is written as a word in rule files. */
public interface Word {
  /** The word. */
  String word();
}
