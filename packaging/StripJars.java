import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies jars to a directory without the native libraries of other platforms and without signatures:
 * {@code StripJars DIR MACHINE JAR...}, where MACHINE is the output of uname -m, or noarch for all machines of Linux.
 * Entries keep their times. The machine's zstd library is put beside the jars, so that no run has to unpack it. The
 * jars are not compressed: the package compresses them better as a whole, and a run has less to do.
 *
 * <p>Java stores no class of a signed jar in a class archive. When it loads the first such class, it verifies thousands
 * of signatures, which takes 0.2 s of a run of one second.
 */
final class StripJars {
  /** The directory of the zstd libraries of all machines in the jar. */
  private static final String ALL = "linux/";

  /** The directory of the libraries in zstd's jar, by the machine's name. */
  private static final Map<String, String> PLACES =
      Map.of(
          "x86_64", "linux/amd64/",
          "aarch64", "linux/aarch64/",
          "noarch", ALL);

  private static final Set<String> SUFFIXES = Set.of(".so", ".dll", ".dylib", ".jnilib", ".a");

  private static final String ZSTD = "libzstd-jni";

  private static final Pattern SIGNATURE = Pattern.compile("META-INF/[^/]*\\.(SF|RSA|DSA|EC)");

  /** Lines of a manifest to leave out, with the lines that continue them. */
  private static final Pattern UNREAD =
      Pattern.compile("(?m)^(Sealed|Bnd-[^:]*|Bundle-[^:]*|[^:]*-(Package|Capability)): .*\n( .*\n)*");

  private StripJars() {}

  public static void main(String[] args) throws IOException {
    String kept = PLACES.get(args[1]);
    if (kept == null) {
      throw new IllegalArgumentException("no native libraries are known for " + args[1]);
    }
    for (String jar : List.of(args).subList(2, args.length)) {
      copy(Path.of(jar), Path.of(args[0]).resolve(Path.of(jar).getFileName()), kept);
    }
  }

  private static void copy(Path from, Path to, String kept) throws IOException {
    try (ZipFile in = new ZipFile(from.toFile());
        OutputStream file = Files.newOutputStream(to);
        ZipOutputStream out = new ZipOutputStream(file)) {
      out.setLevel(Deflater.NO_COMPRESSION);
      for (ZipEntry entry : Collections.list(in.entries())) {
        boolean foreign = isNative(entry.getName()) && !entry.getName().startsWith(kept);
        if (!foreign && !kept.equals(ALL) && entry.getName().contains(ZSTD)) {
          try (InputStream library = in.getInputStream(entry)) {
            Files.copy(library, to.resolveSibling(ZSTD + ".so"));
          }
        } else if (!foreign && !SIGNATURE.matcher(entry.getName()).matches()) {
          copy(in, entry, out);
        }
      }
    }
  }

  private static boolean isNative(String name) {
    return SUFFIXES.stream().anyMatch(name::endsWith);
  }

  private static void copy(ZipFile in, ZipEntry entry, ZipOutputStream out) throws IOException {
    ZipEntry copy = new ZipEntry(entry.getName());
    copy.setLastModifiedTime(FileTime.fromMillis(entry.getTime()));
    out.putNextEntry(copy);
    try (InputStream contents = in.getInputStream(entry)) {
      if (entry.getName().equals("META-INF/MANIFEST.MF")) {
        out.write(manifest(contents.readAllBytes()));
      } else {
        contents.transferTo(out);
      }
    }
    out.closeEntry();
  }

  /**
   * What a manifest says of the whole jar, without the digests of its files, the attributes of OSGi (up
   * to 36 KB, which a run would parse), and the line that seals its packages: classes from a class archive
   * that was made in another directory count as classes of another jar.
   */
  private static byte[] manifest(byte[] manifest) {
    String text = new String(manifest, StandardCharsets.UTF_8).replace("\r\n", "\n");
    int end = text.indexOf("\n\n");
    String whole = end < 0 ? text : text.substring(0, end + 2);
    return UNREAD.matcher(whole).replaceAll("").getBytes(StandardCharsets.UTF_8);
  }
}
