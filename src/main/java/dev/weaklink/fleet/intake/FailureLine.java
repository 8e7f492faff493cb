package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.nodeset.MalformedNodeSetException;
import dev.weaklink.fleet.nodeset.NodeSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is printed about a node that gives no inventory.
 *
 * @param nodes those it is about; empty if the text names none
 * @param text of a cause and an exit status in words that are the same for all nodes
 */
record FailureLine(List<String> nodes, Kind kind, String text) {
  enum Kind {
    /** Anything: a banner, or a message that is not known here. */
    TEXT,
    /** How the command ended. */
    EXIT,
    /** Why there can be no inventory. */
    CAUSE
  }

  /** Of a node whose inventory is not whole. */
  static final FailureLine CUT_SHORT =
      new FailureLine(List.of(), Kind.CAUSE, "inventory truncated");

  /** Of a node whose inventory is not right. */
  static final FailureLine DAMAGED = new FailureLine(List.of(), Kind.CAUSE, "inventory damaged");

  /** As ssh (sshconnect.c, and strerror), sudo, shells and Salt write them. */
  private static final List<Map.Entry<String, String>> CAUSES =
      List.of(
          Map.entry("weaklink-collect: not found", "weaklink-collect not found"),
          Map.entry("weaklink-collect: command not found", "weaklink-collect not found"),
          Map.entry("weaklink-collect: No such file", "weaklink-collect not found"),
          Map.entry("No such file or directory: b'weaklink", "weaklink-collect not found"),
          Map.entry("Connection refused", "connection refused"),
          Map.entry("No route to host", "no route to host"),
          Map.entry("Network is unreachable", "network is unreachable"),
          Map.entry("Could not resolve hostname", "host name cannot be resolved"),
          Map.entry("Name or service not known", "host name cannot be resolved"),
          Map.entry("Host key verification failed", "host key verification failed"),
          Map.entry("Permission denied", "permission denied"),
          Map.entry("timed out", "timed out"),
          Map.entry("command timeout", "timed out"),
          Map.entry("Connection reset by", "connection closed"),
          Map.entry("Connection closed by", "connection closed"),
          Map.entry("closed by remote host", "connection closed"),
          Map.entry("a password is required", "sudo asks for a password"),
          Map.entry("Minion did not return", "minion did not return"));

  private static final Pattern EXIT =
      Pattern.compile("(?:[Ee]xited with exit code|rc=|exit status) ?(\\d{1,3})");
  private static final Pattern SIGNAL = Pattern.compile("killed by signal (\\d{1,2})");

  /** clush, pdsh and srun about nodes; ssh about a host. */
  private static final List<Pattern> NAMING =
      List.of(
          Pattern.compile("clush: (\\S+)(?: \\(\\d+\\))?: (.*)"),
          Pattern.compile("pdsh@[^:\\s]+: ([^:\\s]+): (.*)"),
          Pattern.compile("srun: error: (\\S+): tasks? [^:]*: (.*)"),
          Pattern.compile("ssh: connect to host (\\S+) port \\d+: (.*)"),
          Pattern.compile("ssh: (Could not resolve hostname) (\\S+): .*"),
          Pattern.compile("(?:[^\\s@]+@)?([^\\s:@]+): (Permission denied \\(.*)"),
          Pattern.compile("Connection to (\\S+) (closed by remote host.*)"));

  /** What a text without a node's name says. */
  static FailureLine of(String text) {
    for (Map.Entry<String, String> cause : CAUSES) {
      if (text.contains(cause.getKey())) {
        return new FailureLine(List.of(), Kind.CAUSE, cause.getValue());
      }
    }
    Matcher exit = EXIT.matcher(text);
    if (exit.find()) {
      return new FailureLine(List.of(), Kind.EXIT, "exit code " + exit.group(1));
    }
    Matcher signal = SIGNAL.matcher(text);
    return signal.find()
        ? new FailureLine(List.of(), Kind.EXIT, "killed by signal " + signal.group(1))
        : new FailureLine(List.of(), Kind.TEXT, Receiver.shortened(lastLine(text.strip())));
  }

  private static String lastLine(String text) {
    return text.substring(text.lastIndexOf('\n') + 1);
  }

  /** What a line says that names nodes as only such a message does; null if it is none. */
  static @Nullable FailureLine named(String line) {
    for (Pattern pattern : NAMING) {
      Matcher matcher = pattern.matcher(line);
      if (matcher.matches()) {
        boolean nameLast = matcher.group(1).startsWith("Could not");
        return named(matcher.group(nameLast ? 2 : 1), of(matcher.group(nameLast ? 1 : 2)));
      }
    }
    return null;
  }

  private static @Nullable FailureLine named(String set, FailureLine failure) {
    try {
      return new FailureLine(NodeSet.expand(set), failure.kind, failure.text);
    } catch (MalformedNodeSetException e) {
      return null;
    }
  }
}
