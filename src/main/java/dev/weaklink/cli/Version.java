package dev.weaklink.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.jar.Manifest;

/** The program's version; a constant, because reading it from the jar's manifest costs start-up. */
final class Version {
  /** The version in pom.xml; a test holds the two together. */
  static final String NUMBER = "1.0.0";

  private Version() {}

  /** Version, commit if the build has said it, and Java. */
  static String line() {
    return "weaklink " + NUMBER + " (" + commit() + "Java " + Runtime.version() + ")\n";
  }

  /** The program's jar comes first in the class path; its manifest alone has such an attribute. */
  private static String commit() {
    try (InputStream in = Version.class.getResourceAsStream("/META-INF/MANIFEST.MF")) {
      String commit = in == null ? null : new Manifest(in).getMainAttributes().getValue("Commit");
      return commit == null || commit.isEmpty() ? "" : "commit " + commit + ", ";
    } catch (IOException e) {
      return "";
    }
  }
}
