package dev.weaklink.check;

import dev.weaklink.module.KernelModule;
import dev.weaklink.module.RuntimeNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the module that an argument names, or those in a package. */
public interface ModuleInspector {
  /**
   * What a file says.
   *
   * @param module what the loader looks at
   * @param names what it asks for when it runs
   */
  record Inspected(KernelModule module, RuntimeNames names) {}

  /**
   * Reads a module's facts.
   *
   * @param root the image a bare module name is looked up in, null for {@code /}
   * @param argument a file, a package, or the name of a module of the newest kernel in the root
   * @return one at least
   * @throws IOException if there is no such module or it cannot be read; the message is one line
   *     and names the file
   */
  List<Inspected> read(@Nullable Path root, String argument) throws IOException;
}
