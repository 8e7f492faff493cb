package dev.weaklink.links.transaction;

/** Is passed before and after every step that changes the disk, so that tests can break it off. */
public interface FaultPoint {
  /** What runs outside tests. */
  FaultPoint NONE = step -> {};

  /** This step comes next, or was done. */
  void at(String step);
}
