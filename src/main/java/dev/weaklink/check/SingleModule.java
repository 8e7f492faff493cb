package dev.weaklink.check;

import dev.weaklink.format.codec.FileContents;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.Root;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.ModuleArguments;
import dev.weaklink.system.ModuleSource;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the one module that an argument names. */
public final class SingleModule implements ModuleInspector {
  @Override
  public Inspected read(@Nullable Path top, String argument) throws IOException {
    if (new File(argument).isDirectory()) {
      throw new FileNotFoundException(argument + ": is a directory; give module files");
    }
    Root root = top == null ? Root.HOST : Root.of(top);
    String newest = InstalledKernels.newest(root);
    ModuleArguments found =
        ModuleArguments.expand(
            List.of(argument),
            InputStream.nullInputStream(),
            root,
            newest == null ? List.of() : List.of(newest));
    if (!found.modules().isEmpty() && found.modules().get(0).packaged() != null) {
      throw new FileNotFoundException(
          argument
              + ": is a package; judge its modules with 'weaklink check', or give a module file");
    }
    if (found.modules().size() != 1) {
      throw new FileNotFoundException(
          found.problems().isEmpty()
              ? argument
                  + (found.modules().isEmpty()
                      ? ": contains no module; give module files"
                      : ": names " + found.modules().size() + " modules; give one")
              : found.problems().get(0).subject() + ": " + found.problems().get(0).message());
    }
    ModuleSource source = found.modules().get(0);
    FileContents contents = new FileContents();
    contents.load(source.host());
    byte[] bytes = contents.bytes();
    int length = contents.length();
    return new Inspected(
        ModuleReader.read(Origin.file(source.display()), bytes, length),
        ModuleReader.readRuntimeNames(bytes, length));
  }
}
