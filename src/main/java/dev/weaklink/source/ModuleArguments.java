package dev.weaklink.source;

import dev.weaklink.sys.Root;
import java.io.InputStream;
import java.util.List;

/**
 * The modules that a command line means, each file once, in the order given; files found below a
 * directory are sorted by path.
 *
 * @param modules what is to be judged
 * @param problems what was given or met and cannot be used
 */
public record ModuleArguments(List<ModuleSource> modules, List<InputProblem> problems) {
  public ModuleArguments {
    modules = List.copyOf(modules);
    problems = List.copyOf(problems);
  }

  /**
   * Finds the modules. A path is the caller's own; a directory stands for all module files below
   * it; {@code -} for the paths on standard input; a bare name that is no file for what depmod
   * would choose by that name in the root's kernels; and no argument at all for every module below
   * extra, updates and weak-updates of every kernel in the root.
   *
   * @param releases the kernels in which a bare name is looked up
   */
  public static ModuleArguments expand(
      List<String> arguments, InputStream stdin, Root root, List<String> releases) {
    return expand(arguments, stdin, root, releases, false);
  }

  /**
   * As the other one.
   *
   * @param identities whether the identity of files found in directories is wanted
   */
  public static ModuleArguments expand(
      List<String> arguments,
      InputStream stdin,
      Root root,
      List<String> releases,
      boolean identities) {
    ModuleCollector collector = new ModuleCollector(root, releases, identities);
    if (arguments.isEmpty()) {
      collector.addOutOfTree();
    }
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
