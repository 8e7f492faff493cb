package dev.weaklink.format.archive;

/** What an entry of a package is; devices, pipes and sockets are never handed over. */
public enum EntryType {
  FILE,
  DIRECTORY,
  SYMLINK,
  /** Another name of a file of the same package. */
  HARDLINK
}
