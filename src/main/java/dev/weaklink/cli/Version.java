package dev.weaklink.cli;

/** The program's version; a constant, because reading it from the jar's manifest costs start-up. */
final class Version {
  /** The version in pom.xml; a test holds the two together. */
  static final String NUMBER = "0.9.0";

  private Version() {}
}
