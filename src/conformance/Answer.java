import java.util.List;
import java.util.Map;

/**
 * The kernel's answer to a request to load a module.
 *
 * @param kind LOADED; INIT-FAILED, accepted by the loader; REFUSED by the loader; IDLE, refused for
 *     lack of a module that could not be loaded; CRASHED, HANGS: nothing is proven
 * @param errno the name of the errno; "-" if the module loaded
 * @param log the lines that the kernel logged
 * @param idle the modules that had to be loaded before and were not
 */
record Answer(String kind, String errno, List<String> log, List<String> idle) {
  private static final Map<Integer, String> ERRNOS =
      Map.ofEntries(
          Map.entry(1, "EPERM"),
          Map.entry(2, "ENOENT"),
          Map.entry(8, "ENOEXEC"),
          Map.entry(12, "ENOMEM"),
          Map.entry(7, "E2BIG"),
          Map.entry(13, "EACCES"),
          Map.entry(14, "EFAULT"),
          Map.entry(16, "EBUSY"),
          Map.entry(17, "EEXIST"),
          Map.entry(19, "ENODEV"),
          Map.entry(22, "EINVAL"),
          Map.entry(65, "ENOPKG"),
          Map.entry(74, "EBADMSG"),
          Map.entry(90, "EMSGSIZE"),
          Map.entry(126, "ENOKEY"),
          Map.entry(129, "EKEYREJECTED"),
          Map.entry(524, "ENOTSUPP"));

  /** Creates an answer that proves nothing about the module. */
  Answer(String kind, List<String> log) {
    this(kind, "-", log, List.of());
  }

  /** Returns the answer of a kernel that accepted or refused the module. */
  static Answer of(int errno, boolean accepted, List<String> idle, List<String> log) {
    String name = errno == 0 ? "-" : ERRNOS.getOrDefault(errno, String.valueOf(errno));
    if (errno < 0) {
      return new Answer(accepted ? "INIT-CRASHED" : "CRASHED", log);
    }
    if (errno == 0) {
      return new Answer("LOADED", name, log, idle);
    }
    boolean unknown = log.stream().anyMatch(line -> line.contains("Unknown symbol"));
    String refused = !idle.isEmpty() && unknown ? "IDLE" : "REFUSED";
    return new Answer(accepted ? "INIT-FAILED" : refused, name, log, idle);
  }

  boolean isAccepted() {
    return kind.equals("LOADED") || kind.startsWith("INIT-");
  }

  boolean isRefused() {
    return kind.equals("REFUSED");
  }

  boolean isRefusedForBtf() {
    return isRefused() && log.stream().anyMatch(line -> line.startsWith("failed to validate module"));
  }
}
