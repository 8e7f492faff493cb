package dev.weaklink.format.archive;

/** What hard links have in common. */
record Inode(long device, long number) {
  static Inode of(CpioEntry entry) {
    return new Inode(entry.device(), entry.inode());
  }
}
