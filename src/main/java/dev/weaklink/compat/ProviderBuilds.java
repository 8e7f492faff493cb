package dev.weaklink.compat;

import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.ModuleBuilds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * What other kernels have below {@code extra}, one kernel after the other; the next one's modules
 * are read while the caller tries those it has.
 */
final class ProviderBuilds {
  /**
   * One kernel's modules.
   *
   * @param problems what could not be read
   */
  record Builds(LinkBatch links, List<InputProblem> problems) {}

  private final BaseDirectory base;
  private final Iterator<String> providers;
  private final int threads;
  private @Nullable BackgroundTask<Builds> ahead;

  /** Begins with the first of these kernels. */
  ProviderBuilds(BaseDirectory base, List<String> providers, int threads) {
    this.base = base;
    this.providers = providers.iterator();
    this.threads = threads;
    this.ahead = startNext();
  }

  /**
   * The next kernel's modules, null after the last.
   *
   * @throws IOException if its name is no plain one, or links run in circles
   */
  @Nullable Builds next() throws IOException {
    BackgroundTask<Builds> wanted = ahead;
    if (wanted == null) {
      return null;
    }
    try {
      Builds builds = wanted.get();
      ahead = startNext();
      return builds;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private @Nullable BackgroundTask<Builds> startNext() {
    if (!providers.hasNext()) {
      return null;
    }
    String provider = providers.next();
    return BackgroundTask.start(
        new Callable<>() {
          @Override
          public Builds call() throws IOException {
            return read(provider);
          }
        });
  }

  private Builds read(String provider) throws IOException {
    List<InputProblem> problems = new ArrayList<>();
    List<String> paths =
        ModuleBuilds.of(base.root(), provider, problems).stream()
            .filter(build -> build.place().startsWith("extra/"))
            .map(build -> base.spelt(build.inside()))
            .toList();
    return new Builds(new ModuleLinks(base, threads).to(paths, LinkPlace::redHat), problems);
  }
}
