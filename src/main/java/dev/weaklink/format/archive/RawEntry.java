package dev.weaklink.format.archive;

import dev.weaklink.format.archive.PackageEntry.EntryType;

/**
 * An entry as an archive has it, nothing of it checked.
 *
 * @param target what a link points to, else empty
 */
record RawEntry(String name, EntryType type, long size, String target) {
  static RawEntry file(String name, long size) {
    return new RawEntry(name, EntryType.FILE, size, "");
  }
}
