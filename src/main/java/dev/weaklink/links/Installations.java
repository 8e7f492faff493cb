package dev.weaklink.links;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What is known of the rebuilds that entries of the history name. */
public interface Installations {
  /** Knows of none. */
  Installations NONE =
      new Installations() {
        @Override
        public InstalledRuns of(List<String> runs) {
          return new InstalledRuns(runs, Map.of(), 0);
        }

        @Override
        public void takeBack(List<String> runs) {}
      };

  /** What these runs have installed. */
  InstalledRuns of(List<String> runs) throws IOException;

  /**
   * Takes that back as far as can be, and leaves depmod to who calls it.
   *
   * @throws IOException if that fails; it can be repeated
   */
  void takeBack(List<String> runs) throws IOException;
}
