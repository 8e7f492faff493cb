package dev.weaklink.check;

import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile;
import dev.weaklink.format.archive.PackageFile.EntryVisitor;
import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.sys.Sha256;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** SHA-256 of module files as they lie there, as nodes report them: {@code sha256:…}. */
public final class FileDigests {
  private static final int BUFFER_SIZE = 64 << 10;

  private FileDigests() {}

  /** Of a plain file. */
  public static String of(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return of(in);
    }
  }

  private static String of(InputStream in) throws IOException {
    MessageDigest digest = Sha256.start();
    byte[] buffer = new byte[BUFFER_SIZE];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      digest.update(buffer, 0, count);
    }
    return "sha256:" + Sha256.hex(digest);
  }

  /** Of these files in a package, by name there; what cannot be read has none. */
  public static Map<String, String> inPackage(Path file, Set<String> members) {
    Map<String, String> digests = new HashMap<>();
    try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT)) {
      open.forEach(new Digesting(members, digests));
    } catch (UnreadableException e) {
      // It has been reported when its modules were read.
      return digests;
    }
    return digests;
  }

  private record Digesting(Set<String> members, Map<String, String> digests)
      implements EntryVisitor {
    /** A member in a bundle has its package's name in front. */
    @Override
    public boolean wants(String path) {
      for (String member : members) {
        if (member.endsWith(path)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public void visit(PackageEntry entry) throws IOException {
      if (entry.type() == EntryType.FILE && members.contains(entry.member())) {
        digests.put(entry.member(), of(entry.contents()));
      }
    }

    @Override
    public void problem(String subject, String message) {
      // It has been reported when its modules were read.
    }
  }
}
