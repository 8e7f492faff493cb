package dev.weaklink.system.initramfs;

import dev.weaklink.system.ModuleNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes an image's entries one by one and keeps the modules. */
final class ImageEntries {
  private static final int TYPE_MASK = 0170000;
  private static final int REGULAR = 0100000;
  private static final int SYMBOLIC_LINK = 0120000;

  /** Paths of all modules of a distribution come to about 0.5 MB. */
  private static final int MAX_PATH_CHARACTERS = 32 << 20;

  private final ImageLimits limits;
  private final @Nullable ContentsVisitor visitor;
  private final List<InitramfsModule> modules = new ArrayList<>();
  private int count;
  private int pathCharacters;

  ImageEntries(ImageLimits limits, @Nullable ContentsVisitor visitor) {
    this.limits = limits;
    this.visitor = visitor;
  }

  /** Whether the contents of such an entry are wanted: a module's file, not a link. */
  boolean wantsContents(String path, int mode) {
    return visitor != null
        && (mode & TYPE_MASK) == REGULAR
        && ModuleNames.isModuleFile(InitramfsModule.fileName(path));
  }

  /** Takes the contents of the entry that was added last. */
  void contents(byte[] bytes) throws IOException {
    if (visitor != null) {
      visitor.visit(modules.get(modules.size() - 1), bytes);
    }
  }

  void add(String path, int mode) throws InitramfsException {
    if (++count > limits.entries()) {
      throw new InitramfsException("has more than " + limits.entries() + " entries");
    }
    requireNoInnerImage(path);
    int type = mode & TYPE_MASK;
    boolean file = type == REGULAR || type == SYMBOLIC_LINK;
    if (!file || !ModuleNames.isModuleFile(InitramfsModule.fileName(path))) {
      return;
    }
    pathCharacters += path.length();
    if (pathCharacters > MAX_PATH_CHARACTERS) {
      throw new InitramfsException("has too many long module paths");
    }
    modules.add(new InitramfsModule(path));
  }

  /** dracut's squash modules put nearly everything into a file system image at the top. */
  private static void requireNoInnerImage(String path) throws InitramfsException {
    switch (path) {
      case "squash-root.img", "squashfs-root.img", "erofs-root.img":
        throw new InitramfsException("its modules are in " + path + ", a file system image");
      default:
    }
  }

  List<InitramfsModule> modules() {
    return modules;
  }
}
