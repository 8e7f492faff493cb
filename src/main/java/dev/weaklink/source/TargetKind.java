package dev.weaklink.source;

/** What a target was given as. */
public enum TargetKind {
  /** A kernel found below {@code lib/modules}. */
  INSTALLED_KERNEL("installed-kernel", "installed kernel"),
  /** A bare Module.symvers, compressed or not. */
  SYMVERS_FILE("symvers-file", "symvers file"),
  /** A headers or build directory. */
  HEADERS_DIRECTORY("headers-directory", "headers directory"),
  /** A bare kernel image, such as a vmlinuz. */
  KERNEL_IMAGE("kernel-image", "kernel image"),
  /** One or more packages of one kernel. */
  PACKAGE("package", "kernel package"),
  /** One that was kept when it was seen before. */
  STORED_KERNEL("stored-kernel", "stored kernel");

  private final String id;
  private final String words;

  TargetKind(String id, String words) {
    this.id = id;
    this.words = words;
  }

  /** Stable name in machine-readable output. */
  public String id() {
    return id;
  }

  /** Name in sentences. */
  public String words() {
    return words;
  }
}
