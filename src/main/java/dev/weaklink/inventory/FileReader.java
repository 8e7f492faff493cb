package dev.weaklink.inventory;

import dev.weaklink.codec.FileContents;
import dev.weaklink.codec.Limits;
import dev.weaklink.codec.RawFile;
import dev.weaklink.inventory.FileFacts.Tables;
import dev.weaklink.module.Crc;
import dev.weaklink.module.Exports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.module.VersionTable;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the facts of one module after the other, as kmod tells them. For one thread. */
final class FileReader {
  private static final int NAME_AT = "0x12345678 ".length();

  private final FileContents contents = new FileContents();
  private final MessageDigest sha256;
  private final boolean withTables;

  FileReader(boolean withTables) {
    this.withTables = withTables;
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** The facts of a file, null if it cannot be read. */
  @Nullable FileFacts read(Path file) {
    byte[] bytes;
    try {
      bytes = RawFile.read(file, Limits.DEFAULT.maxBytes());
    } catch (IOException e) {
      return null;
    }
    String digest = hex(bytes);
    try {
      contents.load("", new ByteArrayInputStream(bytes), bytes.length);
    } catch (IOException e) {
      Tables none = withTables ? new Tables(List.of(), List.of()) : null;
      return new FileFacts(digest, null, null, null, null, null, null, none);
    }
    KernelModule module =
        ModuleReader.readWithoutRelocations(Origin.file(""), contents.bytes(), contents.length());
    ModInfo info = module.modInfo();
    List<String> versions = versions(module.versions());
    return new FileFacts(
        digest,
        value(info, "version"),
        value(info, "srcversion"),
        value(info, "vermagic"),
        value(info, "depends"),
        ToldSignature.of(module.signature()),
        versions.isEmpty() ? null : hex(text(versions)),
        withTables ? new Tables(versions, exports(module.exports())) : null);
  }

  /** The script carries line breaks as this other byte, and cannot tell the two apart. */
  private static @Nullable String value(ModInfo info, String key) {
    String value = info.first(key);
    return value == null ? null : value.replace('\001', '\n');
  }

  private static List<String> versions(@Nullable VersionTable table) {
    List<String> lines = new ArrayList<>();
    if (table != null) {
      for (int i = 0; i < table.names().size(); i++) {
        lines.add(Crc.hex(table.crcs()[i]) + " " + table.names().name(i));
      }
    }
    return lines;
  }

  private static List<String> exports(Exports exports) {
    List<String> lines = new ArrayList<>();
    boolean withoutCrcs = exports.hasCrc().isEmpty();
    for (int i = 0; i < exports.names().size(); i++) {
      if (withoutCrcs || exports.hasCrc().get(i)) {
        int crc = withoutCrcs ? 0 : exports.crcs()[i];
        lines.add(Crc.hex(crc) + " " + exports.names().name(i));
      }
    }
    lines.sort(
        Comparator.comparing((String line) -> line.substring(NAME_AT))
            .thenComparing(Comparator.naturalOrder()));
    return lines;
  }

  /** As modprobe --dump-modversions prints them. */
  private static byte[] text(List<String> versions) {
    StringBuilder text = new StringBuilder();
    for (String line : versions) {
      int blank = line.indexOf(' ');
      text.append(line, 0, blank).append('\t').append(line, blank + 1, line.length()).append('\n');
    }
    return text.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  private String hex(byte[] bytes) {
    return HexFormat.of().formatHex(sha256.digest(bytes));
  }
}
