package dev.weaklink.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes what nodes tell of themselves, one line each. */
public final class NodeLines {
  private final List<String> kernels = new ArrayList<>();
  private final List<String> modules = new ArrayList<>();
  private final List<String> loaded = new ArrayList<>();
  private final String running;

  /** A node that runs this kernel, which is installed. */
  public NodeLines(String running) {
    this.running = running;
    kernel(running);
  }

  /** One more kernel. */
  public NodeLines kernel(String release) {
    kernels.add("{\"release\":\"" + release + "\",\"installed\":true}");
    return this;
  }

  /** A module below extra of a kernel, with this srcversion and a digest made of it. */
  public NodeLines module(String kernel, String name, String srcversion) {
    String digest = "sha256:" + String.format(Locale.ROOT, "%064x", srcversion.hashCode());
    modules.add(
        "{\"kernel\":\"%1$s\",\"name\":\"%2$s\",\"path\":\"/lib/modules/%1$s/extra/%2$s.ko\",\"used\":true,\"digest\":\"%3$s\",\"srcversion\":\"%4$s\"}"
            .formatted(kernel, name, digest, srcversion));
    return this;
  }

  /** A weak link that leads nowhere. */
  public NodeLines danglingLink(String kernel, String name) {
    modules.add(
        "{\"kernel\":\"%1$s\",\"name\":\"%2$s\",\"path\":\"/lib/modules/%1$s/weak-updates/%2$s.ko\",\"link\":\"/gone.ko\"}"
            .formatted(kernel, name));
    return this;
  }

  /** A module in the running kernel. */
  public NodeLines loaded(String name, String srcversion) {
    loaded.add("{\"name\":\"%s\",\"srcversion\":\"%s\"}".formatted(name, srcversion));
    return this;
  }

  /** The line without its line feed; without a name if that is null. */
  public String line(@Nullable String node) {
    return "{\"schema\":\"weaklink.node/1\","
        + (node == null ? "" : "\"node\":\"" + node + "\",")
        + "\"running\":\""
        + running
        + "\",\"security\":{},\"kernels\":["
        + String.join(",", kernels)
        + "],\"modules\":["
        + String.join(",", modules)
        + "],\"loaded\":["
        + String.join(",", loaded)
        + "],\"dkms\":[],\"packages\":[],\"missing\":[],\"problems\":[]}";
  }
}
