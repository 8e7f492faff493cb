package dev.weaklink.rebuild;

import dev.weaklink.sys.NotDoneException;
import dev.weaklink.system.ModuleNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** DKMS builds each package by itself; nothing is installed by building. */
final class DkmsBackend implements Backend {
  private static final int ALREADY_BUILT = 3;
  private static final int BUILD_EXCLUSIVE = 77;
  private static final int BUILD_EXCLUSIVE_BEFORE_3_0_7 = 9;

  @Override
  public String id() {
    return "dkms";
  }

  @Override
  public List<Step> steps(Job job) throws NotDoneException {
    if (job.packages().isEmpty()) {
      throw new NotDoneException(
          "which package DKMS is to build is not known; name one with --package NAME/VERSION");
    }
    List<Step> steps = new ArrayList<>();
    for (String label : job.packages()) {
      Arguments words = command("build", label, job);
      words.pathOption("--kernelsourcedir", job.place().buildTree());
      // Else it is content with what an earlier run left, whatever state that is in.
      words.fixed("--force");
      List<String> needs = job.needs().getOrDefault(label, List.of());
      steps.add(step("building " + label, words, job).building(label, needs));
    }
    return steps;
  }

  @Override
  public List<Step> installation(Job job, Set<String> replacing) throws NotDoneException {
    List<Step> steps = new ArrayList<>();
    for (String label : job.packages()) {
      Arguments words = command("install", label, job);
      if (replacing.contains(label)) {
        // A link or an earlier build must not keep the new one out. Else it decides itself: a
        // module
        // that the kernel has of its own it leaves out if that is no older.
        words.fixed("--force");
      }
      if (job.place().root() != null) {
        words.pathOption("--installtree", job.place().inRoot("/lib/modules"));
        // It would run on the host's modules.
        words.fixed("--no-depmod");
      }
      List<String> needs = job.needs().getOrDefault(label, List.of());
      steps.add(step("installing " + label, words, job).building(label, needs));
    }
    return steps;
  }

  @Override
  public List<Step> removal(Job job) throws NotDoneException {
    List<Step> steps = new ArrayList<>();
    for (String label : job.packages()) {
      Arguments words = command("uninstall", label, job);
      if (job.place().root() != null) {
        words.pathOption("--installtree", job.place().inRoot("/lib/modules"));
        words.fixed("--no-depmod");
      }
      steps.add(Step.of("removing " + label, words));
    }
    return steps;
  }

  private static Arguments command(String verb, String label, Job job) throws NotDoneException {
    int slash = label.indexOf('/');
    if (slash < 0) {
      throw new NotDoneException("'" + label + "': DKMS's packages are named NAME/VERSION");
    }
    Arguments words =
        new Arguments("dkms", verb)
            .option("-m", label.substring(0, slash))
            .option("-v", label.substring(slash + 1))
            .option("-k", job.place().kernel());
    if (job.place().root() != null) {
      words.pathOption("--dkmstree", job.place().inRoot("/var/lib/dkms"));
      words.pathOption("--sourcetree", job.place().inRoot("/usr/src"));
    }
    return words;
  }

  /** Where it knows no root it is kept from looking: for a key to sign with, and in /tmp. */
  private static Step step(String title, Arguments words, Job job) throws NotDoneException {
    Map<String, String> environment =
        job.place().root() == null
            ? Map.of()
            : Map.of("TMPDIR", Arguments.path(job.place().work()), "sign_file", "/nonexistent");
    return new Step(title, words.list(), environment, null);
  }

  @Override
  public ExpectedOutput expected(Job job) throws NotDoneException {
    List<String> directories = new ArrayList<>();
    for (String label : job.packages()) {
      directories.add(
          job.place().inRoot("/var/lib/dkms") + "/" + label + "/" + job.place().kernel());
    }
    return new ExpectedOutput.Files(directories, "", ModuleNames.ENDINGS);
  }

  @Override
  public List<String> programs(Job job) {
    return List.of("dkms");
  }

  @Override
  public BuildStatus ending(int status, List<String> lines) {
    return switch (status) {
      case 0 -> says(lines, "already built") ? BuildStatus.ALREADY_THERE : BuildStatus.BUILT;
      case ALREADY_BUILT -> BuildStatus.ALREADY_THERE;
      case BUILD_EXCLUSIVE -> BuildStatus.NOT_FOR_THIS_KERNEL;
      case BUILD_EXCLUSIVE_BEFORE_3_0_7 ->
          says(lines, "BUILD_EXCLUSIVE") ? BuildStatus.NOT_FOR_THIS_KERNEL : BuildStatus.FAILED;
      default -> BuildStatus.FAILED;
    };
  }

  private static boolean says(List<String> lines, String word) {
    return lines.stream().anyMatch(line -> line.contains(word));
  }

  @Override
  public List<String> logDirectories(Job job) throws NotDoneException {
    return List.of(job.place().inRoot("/var/lib/dkms"));
  }

  @Override
  public List<String> ownLogs(Job job) throws NotDoneException {
    List<String> directories = new ArrayList<>();
    for (String label : job.packages()) {
      directories.add(job.place().inRoot("/var/lib/dkms/" + label));
    }
    return directories;
  }

  @Override
  public List<String> milestones() {
    return List.of("Building module", "Cleaning build area", "Signing module");
  }
}
