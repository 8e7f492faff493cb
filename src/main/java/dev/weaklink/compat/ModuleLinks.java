package dev.weaklink.compat;

import dev.weaklink.check.KernelView;
import dev.weaklink.check.ModuleBatch;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.module.KernelModule;
import dev.weaklink.system.ModuleSource;
import dev.weaklink.system.WeakLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the modules that links lead to. */
final class ModuleLinks {
  /** Says where the link to a module belongs. */
  interface Layout {
    /** The link's path below a kernel's directory. */
    String place(String path, String release);
  }

  private final BaseDirectory base;
  private final int threads;

  ModuleLinks(BaseDirectory base, int threads) {
    this.base = base;
    this.threads = threads;
  }

  /** Links to these files, absolute paths as spelt by the caller, in this order. */
  LinkBatch to(List<String> paths, Layout layout) throws IOException {
    ModuleBatch batch = read(paths);
    List<ModuleLink> links = new ArrayList<>();
    for (int i = 0; i < paths.size(); i++) {
      KernelModule module = batch.module(i);
      String path = paths.get(i);
      String release = release(module, path);
      links.add(
          new ModuleLink(
              layout.place(path, release), path, release, module, batch.failure(i) == null));
    }
    return new LinkBatch(batch, links);
  }

  /** Links that exist; {@code file} says at which path the file is that one leads to. */
  LinkBatch at(List<WeakLink> present, Function<WeakLink, String> file) throws IOException {
    List<String> paths = present.stream().map(file).toList();
    ModuleBatch batch = read(paths);
    List<ModuleLink> links = new ArrayList<>();
    for (int i = 0; i < present.size(); i++) {
      KernelModule module = batch.module(i);
      WeakLink link = present.get(i);
      String release = release(module, paths.get(i));
      links.add(
          new ModuleLink(link.place(), link.target(), release, module, batch.failure(i) == null));
    }
    return new LinkBatch(batch, links);
  }

  private ModuleBatch read(List<String> paths) throws IOException {
    List<ModuleSource> sources = new ArrayList<>();
    for (String path : paths) {
      sources.add(new ModuleSource(base.host(path), path));
    }
    return ModuleBatch.read(sources, ReadOptions.uncached(threads));
  }

  /** The first word of vermagic; of a file that has none, the directory it lies in. */
  private static String release(KernelModule module, String path) {
    String release = module.release();
    if (release != null && !release.isEmpty()) {
      return release;
    }
    @Nullable String directory = PathFormat.releaseOf(path);
    return directory == null ? "unknown" : directory;
  }

  /** Links whose modules were read at once. */
  static final class LinkBatch {
    private final ModuleBatch modules;
    private final List<ModuleLink> links;

    /** {@code links} are in the order of the modules. */
    LinkBatch(ModuleBatch modules, List<ModuleLink> links) {
      this.modules = modules;
      this.links = List.copyOf(links);
    }

    /** What was read of them. */
    List<ModuleLink> links() {
      return links;
    }

    /**
     * The same, in the same order, with what a kernel's keys say of their modules' signatures if it
     * insists on these. Elsewhere no key is looked for: that takes longer than all the rest.
     */
    List<ModuleLink> provenOn(KernelView view) {
      if (!view.insistsOnSignatures()) {
        return links;
      }
      List<KernelModule> proven = modules.provenOn(view);
      List<ModuleLink> known = new ArrayList<>(links.size());
      for (int i = 0; i < links.size(); i++) {
        known.add(links.get(i).with(proven.get(i)));
      }
      return known;
    }
  }
}
