package dev.weaklink.compat;

/**
 * What weak-modules2 prints, all of it on standard error.
 *
 * @param verbose from 0, what must be said, to 2, why something is not done
 */
record SuseLog(StandardStreams streams, int verbose, boolean debug) {
  /** What must be said. */
  void say(String line) {
    streams.log(line);
  }

  /** What is done. */
  void note(String line) {
    if (verbose > 0) {
      streams.log(line);
    }
  }

  /** Why something is not done. */
  void explain(Iterable<String> lines) {
    if (debug || verbose > 1) {
      for (String line : lines) {
        streams.log(line);
      }
    }
  }
}
