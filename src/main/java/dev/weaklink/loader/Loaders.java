package dev.weaklink.loader;

import java.util.ArrayList;
import java.util.List;

/** Loaders for one environment: as many as threads ever judged at once, used again and again. */
final class Loaders {
  private final ModuleEnvironment environment;
  private final List<Loader> idle = new ArrayList<>();
  private final List<Loader> busy = new ArrayList<>();

  Loaders(ModuleEnvironment environment) {
    this.environment = environment;
  }

  /** One that no other thread has. */
  synchronized Loader take() {
    Loader loader = idle.isEmpty() ? new Loader(environment) : idle.remove(idle.size() - 1);
    busy.add(loader);
    return loader;
  }

  /** All threads are done. */
  synchronized void returnAll() {
    idle.addAll(busy);
    busy.clear();
  }
}
