package dev.weaklink.rebuild;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a run.
 *
 * @param state how far it has got, or how it ended
 * @param version of this program
 * @param kernel the release it builds for
 * @param backend what builds
 * @param reason why that one
 * @param inputs what went in, by name, such as {@code bundle}
 * @param digests SHA-256 in hex of files that went in or came out, by path
 * @param steps what is run
 * @param status exit status of the last program; null while it runs
 * @param before modules that were installed, as {@code name srcversion file}
 * @param modules modules that were built, in the same form
 * @param results files that came out
 * @param diagnosis why it failed; null if it did not
 */
public record Manifest(
    State state,
    String version,
    String kernel,
    String backend,
    String reason,
    Map<String, String> inputs,
    Map<String, String> digests,
    List<Step> steps,
    @Nullable Integer status,
    List<BuiltModule> before,
    List<BuiltModule> modules,
    List<String> results,
    @Nullable Diagnosis diagnosis) {
  public Manifest {
    inputs = new TreeMap<>(inputs);
    digests = new TreeMap<>(digests);
    steps = List.copyOf(steps);
    before = List.copyOf(before);
    modules = List.copyOf(modules);
    results = List.copyOf(results);
  }

  /** How far a run has got, or how it ended. The ids are part of the machine-readable contract. */
  public enum State {
    RUNNING("running"),
    BUILT("built"),
    ALREADY_THERE("already-there"),
    FAILED("failed"),
    CANCELLED("cancelled"),
    ABANDONED("abandoned"),
    INSTALLED("installed");

    private final String id;

    State(String id) {
      this.id = id;
    }

    /** Stable name. */
    public String id() {
      return id;
    }
  }
}
