package dev.weaklink.rebuild;

import dev.weaklink.sys.NotDoneException;
import dev.weaklink.system.ModuleNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A command line given by hand; it is run as it is. */
final class CommandBackend implements Backend {
  private static final List<String> PLACEHOLDERS =
      List.of("{kernel}", "{build}", "{root}", "{results}");

  @Override
  public String id() {
    return "command";
  }

  @Override
  public List<Step> steps(Job job) throws NotDoneException {
    if (job.own().words().isEmpty()) {
      throw new NotDoneException("no command: give it after --, such as -- make -C {build}");
    }
    List<String> words = new ArrayList<>();
    for (String word : job.own().words()) {
      words.add(filled(word, job));
    }
    Map<String, String> environment = new TreeMap<>();
    for (Map.Entry<String, String> variable : job.own().environment().entrySet()) {
      environment.put(variable.getKey(), filled(variable.getValue(), job));
    }
    return List.of(new Step("building", words, environment, null));
  }

  /** Each word stays one word, whatever is put into it. */
  private static String filled(String word, Job job) throws NotDoneException {
    StringBuilder filled = new StringBuilder();
    int at = 0;
    while (at < word.length()) {
      String name = placeholder(word, at);
      if (name.isEmpty()) {
        filled.append(word.charAt(at++));
      } else {
        filled.append(value(name, job));
        at += name.length();
      }
    }
    return filled.toString();
  }

  private static String placeholder(String word, int at) {
    for (String name : PLACEHOLDERS) {
      if (word.startsWith(name, at)) {
        return name;
      }
    }
    return "";
  }

  private static String value(String placeholder, Job job) throws NotDoneException {
    return switch (placeholder) {
      case "{kernel}" -> Arguments.name(job.place().kernel());
      case "{build}" -> Arguments.path(job.place().buildTree());
      case "{root}" -> job.place().root() == null ? "/" : Arguments.path(job.place().inRoot(""));
      default -> results(job);
    };
  }

  private static String results(Job job) throws NotDoneException {
    String given = job.own().results();
    if (given == null) {
      return job.place().work();
    }
    String filled = filled(given.replace("{results}", ""), job);
    if (!filled.startsWith("/")) {
      throw new NotDoneException(filled + ": results are looked for at an absolute path");
    }
    return filled;
  }

  @Override
  public ExpectedOutput expected(Job job) throws NotDoneException {
    List<String> endings = new ArrayList<>(ModuleNames.ENDINGS);
    endings.addAll(List.of(".rpm", ".deb", ".tgz", ".tar.gz"));
    return new ExpectedOutput.Files(
        List.of(results(job)),
        "",
        endings,
        // A make(1) that has nothing to do leaves what it made before.
        false);
  }

  @Override
  public List<String> programs(Job job) {
    return job.own().words().isEmpty() ? List.of() : List.of(job.own().words().get(0));
  }

  @Override
  public Privilege privilege() {
    return Privilege.ANY;
  }
}
