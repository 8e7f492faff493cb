package dev.weaklink.rebuild;

import dev.weaklink.sys.ShellWord;
import java.util.List;

/**
 * Modules that one rebuild serves: those of one kernel that no build there is would serve, and that
 * come from the same source.
 *
 * @param kernel the release they are to be built for
 * @param units the packages, directories or products they belong to, sorted
 * @param modules their names, sorted
 * @param cause why they would be refused, a few words
 * @param why what changed in the kernel that they would be refused for, in words; empty if that was
 *     not looked for or is not known
 * @param backend what would build them; empty if that is not known
 * @param product what {@code --product} calls what they belong to; empty if it has no name
 * @param packages DKMS packages {@code name/version} or names of akmods that build them
 * @param reason what shows that, or what is missing, for people
 */
public record RebuildGroup(
    String kernel,
    List<String> units,
    List<String> modules,
    String cause,
    String why,
    String backend,
    String product,
    List<String> packages,
    String reason) {
  public RebuildGroup {
    units = List.copyOf(units);
    modules = List.copyOf(modules);
    packages = List.copyOf(packages);
  }

  /** Whether it takes the vendor's installation image. */
  public boolean needsBundle() {
    return backend.startsWith("mlnx");
  }

  /** The command that starts it, or says what it lacks; runnable as it is. */
  public String command() {
    StringBuilder command =
        new StringBuilder("weaklink rebuild --kernel ").append(ShellWord.of(kernel));
    if (!product.isEmpty()) {
      command.append(" --product ").append(ShellWord.of(product));
    }
    if (needsBundle() || backend.isEmpty()) {
      // something has to be given with it, and this says what
      command.append(" --dry-run");
    }
    return command.toString();
  }
}
