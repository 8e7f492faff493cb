package dev.weaklink.system;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import java.util.ArrayList;
import java.util.List;

/**
 * What depmod.d(5) says about one kernel, as kmod's depmod reads it (tools/depmod.c, cfg_load;
 * observed with kmod 30). The old lone file /etc/depmod.conf is not read: kmod has never done so.
 *
 * @param search where to look first: directories below the kernel's own, {@link #BUILT_IN} for the
 *     rest of it, {@link #EXTERNAL} for the external directories; without {@code built-in}, the
 *     rest comes last
 * @param overrides {@code SUBDIR/MODULE}, the strongest first, which is the last one written
 * @param externals absolute directories outside the kernel's own, the strongest first
 * @param excludes names of files and directories that are not checked, apart from build and source
 * @param problems lines that were ignored, and files that could not be read
 */
public record DepmodConfig(
    List<String> search,
    List<String> overrides,
    List<String> externals,
    List<String> excludes,
    List<InputProblem> problems) {
  public static final String BUILT_IN = "built-in";
  public static final String EXTERNAL = "external";

  /** What depmod does without any configuration. */
  public static final DepmodConfig DEFAULT =
      new DepmodConfig(List.of("updates", BUILT_IN), List.of(), List.of(), List.of(), List.of());

  public DepmodConfig {
    search = List.copyOf(search);
    overrides = List.copyOf(overrides);
    externals = List.copyOf(externals);
    excludes = List.copyOf(excludes);
    problems = List.copyOf(problems);
  }

  /** The configuration in a root, for one kernel release; what is wrong in it is a problem. */
  public static DepmodConfig read(Root root, String release) {
    List<InputProblem> problems = new ArrayList<>();
    DepmodConfigParser parser = new DepmodConfigParser(release, problems);
    new ConfigLines(root, problems, parser::line).read("depmod.d");
    return parser.config();
  }
}
