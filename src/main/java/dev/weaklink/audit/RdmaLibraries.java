package dev.weaklink.audit;

import dev.weaklink.intake.NodeInventory.LibraryFinding;
import dev.weaklink.intake.NodeInventory.Userspace;
import dev.weaklink.userspace.UserspaceFinding;
import dev.weaklink.userspace.UserspaceReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * RDMA's libraries on the nodes whose inventories report of them, which is to say where weaklink
 * itself looked. Texts are from nodes and not escaped.
 *
 * @param checked these nodes
 * @param without nodes without libibverbs; of all others nothing is known
 * @param problems what is wrong, failures first
 */
public record RdmaLibraries(Nodes checked, Nodes without, List<Problem> problems) {
  /** No node was looked at. */
  public static final RdmaLibraries UNCHECKED =
      new RdmaLibraries(Nodes.NONE, Nodes.NONE, List.of());

  /** Shorter than what intake takes. */
  private static final int MOST_CHARACTERS = 1000;

  private static final Comparator<Problem> ORDER =
      Comparator.comparing((Problem problem) -> !problem.kind().isFailure())
          .thenComparing(Problem::kind)
          .thenComparing(Problem::subject)
          .thenComparing(Problem::detail)
          .thenComparing(Problem::packages);

  /** Takes a copy. */
  public RdmaLibraries {
    problems = List.copyOf(problems);
  }

  /**
   * Something wrong.
   *
   * @param subject the provider, library, file or device it is about
   * @param packages of the files it is about, with versions; empty if unknown
   */
  public record Problem(
      UserspaceFinding.Kind kind, String subject, String detail, String packages, Nodes nodes) {
    private Problem on(Nodes those) {
      return new Problem(kind, subject, detail, packages, those);
    }

    /** What it is about and what was seen, in one line. */
    public String words() {
      String of = packages.isEmpty() ? "" : "; " + packages;
      return subject + ": " + kind.meaning() + " (" + detail + of + ")";
    }
  }

  static RdmaLibraries of(List<NodeGroups.Kind> kinds) {
    List<String> checked = new ArrayList<>();
    List<String> without = new ArrayList<>();
    SortedMap<Problem, List<String>> found = new TreeMap<>(ORDER);
    for (NodeGroups.Kind kind : kinds) {
      Userspace userspace = kind.inventory().userspace();
      if (userspace != null) {
        (userspace.library() == null ? without : checked).addAll(kind.names());
        for (LibraryFinding finding : userspace.findings()) {
          UserspaceFinding.Kind known = UserspaceFinding.Kind.of(finding.id());
          if (known != null) {
            found
                .computeIfAbsent(withoutNodes(known, finding), key -> new ArrayList<>())
                .addAll(kind.names());
          }
        }
      }
    }
    List<Problem> problems = new ArrayList<>();
    found.forEach((problem, names) -> problems.add(problem.on(Nodes.of(names))));
    return new RdmaLibraries(Nodes.of(checked), Nodes.of(without), problems);
  }

  private static Problem withoutNodes(UserspaceFinding.Kind kind, LibraryFinding finding) {
    return new Problem(kind, finding.subject(), finding.detail(), finding.packages(), Nodes.NONE);
  }

  /** What a node reports of its libraries. */
  public static Userspace reported(UserspaceReport report) {
    List<LibraryFinding> findings =
        report.findings().stream()
            .map(
                finding ->
                    new LibraryFinding(
                        finding.kind().id(),
                        shortened(finding.subject()),
                        shortened(finding.detail()),
                        shortened(String.join(", ", finding.packages()))))
            .toList();
    return new Userspace(report.library(), findings);
  }

  private static String shortened(String text) {
    return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS) + "...";
  }

  /** Whether a node reports of something that only a later weaklink knows. */
  static boolean hasUnknown(Userspace userspace) {
    return userspace.findings().stream()
        .anyMatch(finding -> UserspaceFinding.Kind.of(finding.id()) == null);
  }

  /** The nodes of which something is known. */
  public Nodes known() {
    return checked.and(without);
  }

  /** What does not work; the others are warnings. */
  public List<Problem> failures() {
    return problems.stream().filter(problem -> problem.kind().isFailure()).toList();
  }
}
