package dev.weaklink.system;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The modules that a command line means, each file once, in the order given; files found below a
 * directory are sorted by path.
 *
 * @param modules what is to be judged
 * @param judged for every bare name and directory, which build it stands for, one line each
 * @param problems what was given or met and cannot be used
 */
public record ModuleArguments(
    List<ModuleSource> modules, List<String> judged, List<InputProblem> problems) {
  public ModuleArguments {
    modules = List.copyOf(modules);
    judged = List.copyOf(judged);
    problems = List.copyOf(problems);
  }

  /** The modules of a build; of a package without any, none. */
  public static ModuleArguments of(Build build, GivenPackages packages) {
    if (!build.packaged()) {
      return expand(List.of(build.file()), InputStream.nullInputStream(), Root.HOST, List.of());
    }
    Path file = Path.of(build.file());
    List<InputProblem> problems = new ArrayList<>();
    List<ModuleSource> modules =
        PackageModules.of(packages.read(file, build.file()), file, build.file(), problems);
    return new ModuleArguments(modules, List.of(), problems);
  }

  /**
   * Finds the modules. A path is the caller's own; a directory stands for all module files below
   * it; {@code -} for the paths on standard input; a bare name that is no file for what depmod
   * would choose by that name in the root's kernels.
   *
   * @param releases the kernels for which a bare name or directory is looked up
   */
  public static ModuleArguments expand(
      List<String> arguments, InputStream stdin, Root root, List<String> releases) {
    return expand(arguments, stdin, root, releases, GivenPackages.unkept(), false);
  }

  /**
   * As the other one.
   *
   * @param packages what is known of packages already
   * @param identities whether the identity of files found in directories is wanted
   */
  public static ModuleArguments expand(
      List<String> arguments,
      InputStream stdin,
      Root root,
      List<String> releases,
      GivenPackages packages,
      boolean identities) {
    ModuleCollector collector = new ModuleCollector(root, releases, packages, identities);
    for (String argument : arguments) {
      if (argument.equals("-")) {
        collector.addList(stdin);
      } else {
        collector.addArgument(argument);
      }
    }
    return collector.result();
  }
}
