import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.InvokeDynamicEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Adds constants to a list of classes for a class archive: {@code ListConstants LIST JAR...}. The JVM resolves the
 * listed constants, including lambdas, before it archives the classes. A list that the JVM writes contains the
 * constants that one run resolved, which differ from run to run. This program lists all constants of the classes in
 * the jars and in Java; the JVM uses those that it can resolve without running the program. Needs Java 24.
 */
final class ListConstants {
  private ListConstants() {}

  public static void main(String[] args) throws IOException {
    Path list = Path.of(args[0]);
    URL[] jars = new URL[args.length - 1];
    for (int i = 0; i < jars.length; i++) {
      jars[i] = Path.of(args[i + 1]).toUri().toURL();
    }
    List<String> lines = new ArrayList<>(Files.readAllLines(list, StandardCharsets.ISO_8859_1));
    lines.removeIf(line -> line.startsWith("@lambda-proxy "));
    TreeSet<String> classes = new TreeSet<>(lines);
    classes.removeIf(line -> line.startsWith("@") || line.startsWith("#"));
    try (URLClassLoader loader = new URLClassLoader(jars)) {
      for (String name : classes) {
        try (InputStream in = loader.getResourceAsStream(name + ".class")) {
          if (in != null) {
            lines.add("@cp " + name + constants(in.readAllBytes()));
          }
        }
      }
    }
    Files.write(list, lines, StandardCharsets.ISO_8859_1);
  }

  private static String constants(byte[] classFile) {
    StringBuilder places = new StringBuilder();
    for (PoolEntry constant : ClassFile.of().parse(classFile).constantPool()) {
      if (constant instanceof ClassEntry
          || constant instanceof MemberRefEntry
          || constant instanceof InvokeDynamicEntry) {
        places.append(' ').append(constant.index());
      }
    }
    return places.toString();
  }
}
