package dev.weaklink.check;

import dev.weaklink.codec.FileContents;
import dev.weaklink.codec.UnreadableFileException;
import dev.weaklink.kernel.BuiltInModules;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.KernelConfig;
import dev.weaklink.kernel.LoaderEvidence;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.LoaderRulesReader;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.SymversReader;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.WitnessedExports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.report.InputProblem;
import dev.weaklink.report.TargetSummary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one target from its files, with as few of its modules as will do. */
final class TargetReader {
  private final TargetFiles files;
  private final Map<LoaderRule, String> given;
  private final List<InputProblem> problems;
  private final FileContents contents = new FileContents();
  private final @Nullable NativeModules natives;
  private final List<String> notes = new ArrayList<>();

  private TargetReader(
      TargetFiles files, Map<LoaderRule, String> given, int threads, List<InputProblem> problems) {
    this.files = files;
    this.given = given;
    this.problems = problems;
    this.natives = files.tree() == null ? null : new NativeModules(files.tree(), threads);
  }

  /**
   * Reads a target.
   *
   * @param given loader rules set by the user
   * @param problems takes what is wrong with the files
   * @return null if nothing can be judged on it; a problem then says why
   */
  static @Nullable OpenTarget read(
      TargetFiles files, Map<LoaderRule, String> given, int threads, List<InputProblem> problems) {
    TargetReader reader = new TargetReader(files, given, threads, problems);
    try {
      return reader.read();
    } catch (UnreadableFileException e) {
      problems.add(new InputProblem(files.label(), e.getMessage()));
      return null;
    }
  }

  private @Nullable OpenTarget read() throws UnreadableFileException {
    Symvers symvers = readSymvers();
    boolean ownModules = natives != null && natives.hasInTree();
    if (symvers == null && !ownModules) {
      problems.add(
          new InputProblem(
              files.label(),
              "neither a Module.symvers nor modules of its own; install the kernel's headers or"
                  + " devel package, or give a symvers file with --kernel"));
      return null;
    }
    List<KernelModule> known = readKnown(symvers, ownModules);
    KernelModule sample = ownModules && natives != null ? natives.sample() : null;
    LoaderRules rules =
        LoaderRulesReader.read(
            new LoaderEvidence(files.release(), readConfig(), symvers, sample, given));
    ExportTable exports = symvers == null ? WitnessedExports.of(known) : symvers.exports();
    if (symvers == null) {
      notes.add(
          "no Module.symvers: what vmlinux exports is known only as far as the kernel's own modules"
              + " use it");
    }
    return new OpenTarget(
        kernel(rules, exports, symvers != null, ownModules, sample),
        natives,
        known,
        summary(rules, exports));
  }

  private @Nullable Symvers readSymvers() throws UnreadableFileException {
    Path file = files.symvers();
    if (file == null) {
      return null;
    }
    contents.load(file);
    Symvers symvers = SymversReader.read(contents.bytes(), contents.length());
    String name = files.symversName() == null ? file.toString() : files.symversName();
    for (Symvers.Problem problem : symvers.problems()) {
      problems.add(
          new InputProblem(
              name + ":" + problem.line(), "no line of a symvers file: " + problem.message()));
    }
    if (symvers.exports().size() == 0) {
      problems.add(new InputProblem(name, "no symbols in it: is this a Module.symvers file?"));
      return null;
    }
    return symvers;
  }

  /** With rows of modules in symvers those name the exporters; without, all modules are read. */
  private List<KernelModule> readKnown(@Nullable Symvers symvers, boolean ownModules) {
    if (natives == null) {
      return List.of();
    }
    boolean namesExporters = symvers != null && symvers.hasModuleRows();
    return ownModules && !namesExporters ? natives.all() : natives.outOfTree();
  }

  private @Nullable KernelConfig readConfig() {
    Path file = files.config();
    if (file == null || !load(file)) {
      return null;
    }
    return new KernelConfig(contents.bytes(), contents.length());
  }

  private Set<String> readBuiltIn() {
    Path file = files.builtInInfo();
    if (file == null || !load(file)) {
      return Set.of();
    }
    Set<String> names = BuiltInModules.read(contents.bytes(), contents.length());
    if (natives != null) {
      // the list has file names; a name the kernel also has a module of is in /sys/module by
      // another
      natives.names().forEach(names::remove);
    }
    return names;
  }

  /** A companion file that cannot be read is a problem, but the check goes on without it. */
  private boolean load(Path file) {
    try {
      contents.load(file);
      return true;
    } catch (UnreadableFileException e) {
      problems.add(new InputProblem(files.label(), e.getMessage()));
      return false;
    }
  }

  private TargetKernel kernel(
      LoaderRules rules,
      ExportTable exports,
      boolean complete,
      boolean ownModules,
      @Nullable KernelModule sample) {
    return new TargetKernel(
        files.label(),
        files.release(),
        sample == null ? null : sample.elf(),
        sample == null ? null : sample.modInfo().first("vermagic"),
        sample == null ? -1 : sample.structSize(),
        exports,
        complete,
        ownModules,
        readBuiltIn(),
        rules);
  }

  private TargetSummary summary(LoaderRules rules, ExportTable exports) {
    int vmlinux = 0;
    for (int row = 0; row < exports.size(); row++) {
      vmlinux += exports.isVmlinux(row) ? 1 : 0;
    }
    return new TargetSummary(
        files.label(),
        files.release(),
        files.kind(),
        files.symversName(),
        vmlinux,
        natives == null ? 0 : natives.size(),
        rules,
        notes);
  }
}
