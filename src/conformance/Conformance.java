import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Compares weaklink's verdicts with the answers of a booted kernel; src/conformance/run starts the program. */
final class Conformance {
  private static final int MUTANT_SOURCE = 60_000;

  private final Options options;
  private final Modules modules;
  private final Map<String, Integer> counts = new TreeMap<>();
  private int wrong;

  /**
   * The options of one run.
   *
   * @param answers the file for the answers in the form that tests read; null for none
   * @param weaklink the command of weaklink
   * @param policy the value of {@code --signature-policy}, with which the kernel is started
   * @param together whether the other modules replace the kernel's modules of the same names
   * @param others directories of modules
   */
  record Options(
      Path kernel,
      Path tree,
      Path scratch,
      Path init,
      Path table,
      Path answers,
      int own,
      int mutants,
      int btf,
      int odd,
      long seed,
      int boots,
      String policy,
      boolean together,
      List<Path> others,
      List<String> weaklink) {}

  private Conformance(Options options) throws IOException, InterruptedException {
    this.options = options;
    List<Path> replacing = options.together() ? options.others() : List.of();
    modules = new Modules(options.tree(), options.scratch(), replacing);
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    Options options = new Arguments(args).options();
    System.exit(new Conformance(options).run() ? 0 : 1);
  }

  private boolean run() throws IOException, InterruptedException {
    List<Path> files = new ArrayList<>();
    List<String> changes = new ArrayList<>();
    List<Path> natives = modules.files();
    for (int i = 0; i < Math.min(options.own(), natives.size()); i++) {
      files.add(natives.get((int) ((long) i * natives.size() / options.own())));
    }
    for (Path other : options.others()) {
      try (Stream<Path> found = Files.walk(other)) {
        found.filter(file -> file.toString().matches(".*\\.ko(\\.xz)?")).sorted().forEach(files::add);
      }
    }
    files.forEach(file -> changes.add("-"));
    mutate(natives, files, changes);
    Verdicts verdicts = verdicts(files);
    leaveOutUndetermined(files, changes, verdicts);
    Questions questions = questions();
    List<Answer> answers = questions.ask(files, options.boots());
    if (options.answers() != null) {
      keep(files, changes, answers, questions);
    }
    compare(files, changes, verdicts, answers);
    counts.forEach((what, count) -> System.out.printf("%6d %s%n", count, what));
    return wrong == 0;
  }

  private void mutate(List<Path> natives, List<Path> files, List<String> changes)
      throws IOException {
    List<Path> small = new ArrayList<>();
    for (Path file : natives) {
      if (Files.size(file) < MUTANT_SOURCE) {
        small.add(file);
      }
    }
    int damaged = options.mutants() + options.btf();
    for (int i = 0; i < damaged + options.odd(); i++) {
      SplittableRandom random = new SplittableRandom(options.seed() + i);
      Path source = small.get(random.nextInt(small.size()));
      ModuleMutator mutator = new ModuleMutator(random);
      byte[] module = Modules.read(source);
      ModuleMutator.Mutant mutant =
          i < options.mutants()
              ? mutator.mutate(module)
              : i < damaged ? mutator.mutateTypes(module) : mutator.odd(module);
      String name = mutant.name() == null ? Modules.name(source.toString()) : mutant.name();
      Path file = options.scratch().resolve(String.format("mutants/%05d/%s.ko", i, name));
      Files.createDirectories(file.getParent());
      Files.write(file, mutant.module());
      files.add(file);
      changes.add(mutant.change());
    }
  }

  /**
   * Leaves out damaged modules whose verdict is undetermined: no answer could contradict the
   * verdict, and most of them crash the kernel.
   */
  private void leaveOutUndetermined(List<Path> files, List<String> changes, Verdicts verdicts) {
    for (int i = files.size() - 1; i >= 0; i--) {
      boolean undetermined = verdicts.of(files.get(i)).verdict().equals("UNDETERMINED");
      if (undetermined && !changes.get(i).equals("-")) {
        files.remove(i);
        changes.remove(i);
        counts.merge("UNDETERMINED, not asked", 1, Integer::sum);
      }
    }
  }

  private Verdicts verdicts(List<Path> files) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(options.weaklink());
    command.addAll(List.of("--signature-policy", options.policy(), "-"));
    return new Verdicts(command, files);
  }

  private Questions questions() throws IOException {
    String arguments =
        switch (options.policy()) {
          case "enforced" -> "module.sig_enforce=1";
          case "lockdown" -> "lockdown=integrity";
          default -> "";
        };
    Machine machine = Machine.of(Modules.read(modules.files().get(0)));
    Guest guest = new Guest(machine, options.kernel(), arguments);
    byte[] init = Files.readAllBytes(options.init());
    return new Questions(guest, modules, init, options.scratch());
  }

  private void keep(
      List<Path> files, List<String> changes, List<Answer> answers, Questions questions)
      throws IOException {
    try (AnswerTable table = new AnswerTable(options.answers())) {
      for (int i = 0; i < files.size(); i++) {
        Path file = files.get(i);
        List<String> first = new ArrayList<>();
        for (Path before : questions.loadedFirst(file)) {
          first.add(keptLabel(before.toRealPath()));
        }
        byte[] derived = changes.get(i).equals("-") ? null : Modules.read(file);
        table.add(keptLabel(file), first, answers.get(i), derived);
      }
    }
  }

  /** Returns the module's directory as given, or the release, with the path below it. */
  private String keptLabel(Path file) throws IOException {
    for (Path other : options.others()) {
      if (file.startsWith(other) || file.startsWith(other.toRealPath())) {
        Path base = file.startsWith(other) ? other : other.toRealPath();
        return other.getFileName() + "/" + base.relativize(file);
      }
    }
    String release = options.tree().getFileName().toString();
    return file.startsWith(options.tree()) ? release + "/" + label(file) : label(file);
  }

  private void compare(
      List<Path> files, List<String> changes, Verdicts verdicts, List<Answer> answers)
      throws IOException {
    try (PrintStream out = new PrintStream(Files.newOutputStream(options.table()))) {
      out.println("#module\tchange\tanswer\terrno\tverdict\tsays\tlog");
      for (int i = 0; i < files.size(); i++) {
        Answer answer = answers.get(i);
        Verdicts.Verdict verdict = verdicts.of(files.get(i));
        String row =
            String.join(
                "\t",
                label(files.get(i)),
                changes.get(i),
                answer.kind(),
                answer.errno(),
                verdict.verdict(),
                verdict.errno(),
                String.join(" | ", answer.log()));
        out.println(row);
        judge(answer, verdict, row);
      }
    }
  }

  private String label(Path file) {
    for (Path base : List.of(options.scratch(), options.tree())) {
      if (file.startsWith(base)) {
        return base.relativize(file).toString();
      }
    }
    return file.toString();
  }

  private void judge(Answer answer, Verdicts.Verdict verdict, String row) {
    String said = verdict.verdict();
    String did = answer.isAccepted() ? "accepted" : answer.isRefused() ? "refused" : "not proven";
    if (said.equals("COMPATIBLE") && answer.isRefusedForBtf() && verdict.unchecked().contains("btf")) {
      said = "COMPATIBLE, BTF not looked at";
    }
    counts.merge(said + ", " + did, 1, Integer::sum);
    boolean compatible = said.equals("COMPATIBLE");
    boolean incompatible = said.equals("INCOMPATIBLE");
    if (compatible && answer.isRefused() || incompatible && answer.isAccepted()) {
      wrong++;
      System.out.println("WRONG: " + row);
    } else if (incompatible && answer.isRefused() && !verdict.errno().equals(answer.errno())) {
      differs("errno", "", row);
    } else if (compatible && answer.isAccepted() || incompatible && answer.isRefused()) {
      String missing = verdict.missingFrom(answer.log());
      if (!missing.isEmpty()) {
        differs("log", missing + "\t", row);
      }
    }
  }

  private void differs(String what, String expected, String row) {
    counts.merge(what + " differs", 1, Integer::sum);
    System.out.println(what.toUpperCase() + ": " + expected + row);
  }
}
