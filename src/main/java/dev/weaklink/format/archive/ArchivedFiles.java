package dev.weaklink.format.archive;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Those in a tar archive that is not compressed: its headers are read once, files where asked. */
final class ArchivedFiles implements ImageFiles {
  private final Path archive;
  private final Map<String, Extent> extents = new HashMap<>();

  private record Extent(long offset, long size) {}

  private ArchivedFiles(Path archive) {
    this.archive = archive;
  }

  /** The files of an archive. What is there twice is what an unpacked one would have. */
  static ArchivedFiles of(Path archive, PackageBudget budget) throws IOException {
    ArchivedFiles files = new ArchivedFiles(archive);
    try (CountingStream in = new CountingStream(Files.newInputStream(archive))) {
      TarReader tar = new TarReader(in);
      for (RawEntry entry = tar.next(); entry != null; entry = tar.next()) {
        budget.spendEntry(entry.name().length());
        String path = EntryPath.of(entry.name());
        if (path != null && entry.type() == EntryType.FILE) {
          files.extents.put(path, new Extent(in.count(), entry.size()));
        }
      }
    }
    return files;
  }

  @Override
  public boolean has(String path) {
    return extents.containsKey(path);
  }

  @Override
  public ImageMember open(String path) throws IOException {
    Extent extent = extents.get(path);
    if (extent == null) {
      throw new MalformedArchiveException("incomplete image: " + path + " is missing");
    }
    InputStream in = Files.newInputStream(archive);
    try {
      in.skipNBytes(extent.offset);
    } catch (IOException e) {
      in.close();
      throw e;
    }
    return new ImageMember(in, extent.size);
  }
}
