package dev.weaklink.source;

import dev.weaklink.sys.Root;
import dev.weaklink.tree.ModulesDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a root has about one installed kernel besides its modules. Lists are in the order of
 * preference: the first is the one to take.
 *
 * @param symvers the kernel's exports, in any packing: beside the modules (RHEL 8 and later,
 *     Fedora, SUSE), in /boot (RHEL 7, SUSE), in the headers (Debian, Ubuntu, kernel-devel,
 *     kernel-default-devel, plain builds)
 * @param configs the kernel's configuration: in /boot, beside the modules, in the headers
 * @param images the kernel itself, as it is booted: in /boot, beside the modules
 * @param ofedSymvers exports of an OFED that was built for this kernel
 * @param builtin modules.builtin, the list of what is compiled in
 * @param builtinModinfo modules.builtin.modinfo, the modinfo of what is compiled in
 * @param problems what was found and not taken
 */
public record KernelFiles(
    List<FoundFile> symvers,
    List<FoundFile> configs,
    List<FoundFile> images,
    List<FoundFile> ofedSymvers,
    @Nullable FoundFile builtin,
    @Nullable FoundFile builtinModinfo,
    List<InputProblem> problems) {
  public KernelFiles {
    symvers = List.copyOf(symvers);
    configs = List.copyOf(configs);
    images = List.copyOf(images);
    ofedSymvers = List.copyOf(ofedSymvers);
    problems = List.copyOf(problems);
  }

  /**
   * Looks for everything about a release.
   *
   * @throws IOException if the release is not a plain name
   */
  public static KernelFiles locate(Root root, String release) throws IOException {
    ModulesDirectory modules = ModulesDirectory.find(root, release);
    String inside = modules == null ? "/lib/modules/" + release : modules.inside();
    return new KernelFileSearch(root, release, inside).run();
  }

  /** The files of a headers or build directory that was given by its path on the host. */
  public static BuildDirectory ofDirectory(Path directory) {
    return BuildDirectory.of(directory);
  }
}
