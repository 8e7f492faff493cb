import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Writes an image archive in OCI layout: {@code OciImage ARCHIVE NAME ARCHITECTURE SECONDS CACHE
 * LAYER...}. Each LAYER is a directory whose files become one layer of the image. The files keep their permissions,
 * and all times are SECONDS since 1970. Symbolic links become copies of their targets. CACHE is a directory for jib.
 */
final class OciImage {
  private OciImage() {}

  public static void main(String[] args) throws Exception {
    List<String> arguments = List.of(args);
    Instant time = Instant.ofEpochSecond(Long.parseLong(args[3]));
    Path cache = Path.of(args[4]);
    var image =
        Jib.fromScratch()
            .setFormat(ImageFormat.OCI)
            .setPlatforms(Set.of(new Platform(args[2], "linux")))
            .setCreationTime(time)
            .setEnvironment(Map.of("PATH", "/usr/sbin:/usr/bin:/bin"))
            .setEntrypoint("/usr/bin/weaklink");
    for (String layer : arguments.subList(5, args.length)) {
      image.addFileEntriesLayer(layer(Path.of(layer), time));
    }
    image.containerize(
        Containerizer.to(TarImage.at(Path.of(args[0])).named(args[1]))
            .setOfflineMode(true)
            .setToolName("weaklink")
            .setBaseImageLayersCache(cache)
            .setApplicationLayersCache(cache));
  }

  private static FileEntriesLayer layer(Path top, Instant time) throws IOException {
    FileEntriesLayer.Builder layer =
        FileEntriesLayer.builder().setName(top.getFileName().toString());
    try (Stream<Path> files = Files.walk(top)) {
      for (Path file : (Iterable<Path>) files.filter(each -> !each.equals(top)).sorted()::iterator) {
        int mode = (Integer) Files.getAttribute(file, "unix:mode") & 0777;
        layer.addEntry(
            file,
            AbsoluteUnixPath.get("/" + top.relativize(file)),
            FilePermissions.fromOctalString(String.format("%03o", mode)),
            time);
      }
    }
    return layer.build();
  }
}
