package dev.weaklink.loader;

import java.util.ArrayList;
import java.util.List;

/** Loaders for one world: as many as threads ever judged at once, used again and again. */
final class Loaders {
  private final ModuleEnvironment world;
  private final List<Loader> idle = new ArrayList<>();
  private final List<Loader> busy = new ArrayList<>();

  Loaders(ModuleEnvironment world) {
    this.world = world;
  }

  /** One that no other thread has. */
  synchronized Loader take() {
    Loader loader = idle.isEmpty() ? new Loader(world) : idle.remove(idle.size() - 1);
    busy.add(loader);
    return loader;
  }

  /** All threads are done. */
  synchronized void returnAll() {
    idle.addAll(busy);
    busy.clear();
  }
}
