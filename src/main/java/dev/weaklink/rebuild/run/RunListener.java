package dev.weaklink.rebuild.run;

import java.nio.file.Path;

/** Follows a rebuild. Lines are without what is meant for a terminal. */
public interface RunListener {
  /** A run begins; all about it is kept there. */
  default void begun(Path directory) {}

  /** An earlier run was broken off; what it left behind is gone now. */
  default void abandoned(Path directory) {}

  /** An earlier run was broken off when it had built; what it built can be installed. */
  default void unjudged(Path directory) {}

  /** It was ended by a signal; what it left is cleared away. */
  default void cancelled(Path directory) {}

  /** The next part of the work begins. */
  default void phase(String what) {}

  /** The build printed a line. */
  default void line(String text) {}
}
