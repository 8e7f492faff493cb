import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Adds stack maps, which later class files have, to class files of Java 5 and older: {@code StackMaps JAR...}. Java
 * verifies a class without stack maps at every start and, from 24 on, does not store it in an archive of linked
 * classes. All other contents of the jars stay the same. Needs Java 24.
 */
final class StackMaps {
  private static final int OLDEST_WITH_MAPS = ClassFile.JAVA_6_VERSION;

  /** From here on a class whose maps are wrong is refused. */
  private static final int WRITTEN = ClassFile.JAVA_17_VERSION;

  private StackMaps() {}

  public static void main(String[] args) throws IOException {
    for (String jar : args) {
      add(Path.of(jar));
    }
  }

  private static void add(Path jar) throws IOException {
    URI uri = URI.create("jar:" + jar.toUri());
    try (URLClassLoader classes = new URLClassLoader(new URL[] {jar.toUri().toURL()});
        FileSystem entries = FileSystems.newFileSystem(uri, Map.of())) {
      ClassHierarchyResolver hierarchy =
          ClassHierarchyResolver.ofResourceParsing(classes)
              .orElse(ClassHierarchyResolver.defaultResolver());
      ClassFile format =
          ClassFile.of(
              ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
              ClassFile.ClassHierarchyResolverOption.of(hierarchy));
      for (Path file : classFiles(entries.getPath("/"))) {
        ClassModel old = format.parse(Files.readAllBytes(file));
        if (old.majorVersion() < OLDEST_WITH_MAPS) {
          FileTime time = Files.getLastModifiedTime(file);
          Files.write(file, format.transformClass(old, withMaps()));
          Files.setLastModifiedTime(file, time);
        }
      }
    }
  }

  private static List<Path> classFiles(Path top) throws IOException {
    try (Stream<Path> files = Files.walk(top)) {
      return files.filter(file -> file.toString().endsWith(".class")).sorted().toList();
    }
  }

  /** Maps are made only for code that is written. */
  private static ClassTransform withMaps() {
    return ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)
        .andThen(
            (builder, element) -> {
              if (element instanceof ClassFileVersion) {
                builder.withVersion(WRITTEN, 0);
              } else {
                builder.with(element);
              }
            });
  }
}
