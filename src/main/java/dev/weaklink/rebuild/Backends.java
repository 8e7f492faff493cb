package dev.weaklink.rebuild;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** All backends. */
public final class Backends {
  private static final List<Backend> ALL =
      List.of(
          new MlnxBackend(),
          new MlnxInstallBackend(),
          new DocaBackend(),
          new DkmsBackend(),
          new CommandBackend());

  private Backends() {}

  /** All of them. */
  public static List<Backend> all() {
    return ALL;
  }

  /** What {@code --backend} takes. */
  public static List<String> ids() {
    return ALL.stream().map(Backend::id).toList();
  }

  /** The backend of that id, null if there is none. */
  public static @Nullable Backend named(String id) {
    for (Backend backend : ALL) {
      if (backend.id().equals(id)) {
        return backend;
      }
    }
    return null;
  }
}
