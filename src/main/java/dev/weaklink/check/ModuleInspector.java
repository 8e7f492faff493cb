package dev.weaklink.check;

import dev.weaklink.module.KernelModule;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the one module that an argument names. */
public interface ModuleInspector {
  /**
   * Reads a module's facts.
   *
   * @param root the image a bare module name is looked up in, null for {@code /}
   * @param argument a file, or the name of a module of the newest kernel in the root
   * @throws IOException if there is no such module or it cannot be read; the message is one line
   *     and names the file
   */
  KernelModule read(@Nullable Path root, String argument) throws IOException;
}
