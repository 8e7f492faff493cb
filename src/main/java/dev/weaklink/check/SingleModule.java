package dev.weaklink.check;

import dev.weaklink.format.codec.FileContents;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.Root;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.ModuleArguments;
import dev.weaklink.system.ModuleSource;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the module that an argument names, or those in a package. */
public final class SingleModule implements ModuleInspector {
  @Override
  public List<Inspected> read(@Nullable Path top, String argument) throws IOException {
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
    List<Inspected> packaged = new ArrayList<>();
    for (ModuleSource source : found.modules()) {
      PackagedModule module = source.packaged();
      if (module != null) {
        packaged.add(new Inspected(module.facts().read(), module.runtime()));
      }
    }
    if (!packaged.isEmpty()) {
      return packaged;
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
    return List.of(
        new Inspected(
            ModuleReader.read(Origin.file(source.display()), bytes, length),
            ModuleReader.readRuntimeNames(bytes, length)));
  }
}
