package dev.weaklink.format.archive;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Those in a directory, every link resolved inside it. */
record UnpackedFiles(Root root) implements ImageFiles {
  @Override
  public boolean has(String path) throws IOException {
    return Files.exists(root.resolve(path));
  }

  /** A pipe would wait for a writer. */
  @Override
  public ImageMember open(String path) throws IOException {
    Path file = root.resolve(path);
    if (!Files.exists(file)) {
      throw new MalformedArchiveException("incomplete image: " + path + " is missing");
    }
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    if (!attributes.isRegularFile()) {
      throw new MalformedArchiveException("corrupt image: " + path + " is not a file");
    }
    return new ImageMember(Files.newInputStream(file), attributes.size());
  }
}
