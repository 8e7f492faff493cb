package dev.weaklink.cli;

/** The program's version; a constant, because reading it from the jar's manifest costs start-up. */
final class Version {
  /** The version in pom.xml; a test holds the two together. */
  static final String NUMBER = "1.0.0";

  private Version() {}

  /** Version, commit if the build has said it, and Java. */
  static String line() {
    String java = System.getProperty("java.runtime.version");
    return "weaklink " + NUMBER + " (" + commit() + "Java " + java + ")\n";
  }

  /** What follows the plus sign in the jar's manifest, which a class archive has. */
  private static String commit() {
    String version = Version.class.getPackage().getImplementationVersion();
    String commit = version == null ? "" : version.substring(version.indexOf('+') + 1);
    return commit.isEmpty() || commit.equals(version) ? "" : "commit " + commit + ", ";
  }
}
