package dev.weaklink.audit;

import dev.weaklink.intake.Inventory;
import dev.weaklink.intake.Inventory.Module;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The modules that were added to one kernel.
 *
 * @param kernel its release
 * @param modules sorted by path
 * @param digest SHA-256 of all that is told of them, 64 hexadecimal digits; the same on all nodes
 *     that have the same modules for this kernel
 */
public record ModuleSet(String kernel, List<Module> modules, String digest) {
  private static final Comparator<Module> ORDER =
      Comparator.comparing(Module::path)
          .thenComparing(Module::name)
          .thenComparing(module -> String.valueOf(module.digest()));

  /** What a node has for a kernel; the order in which it tells them does not matter. */
  static ModuleSet of(Inventory inventory, String kernel) {
    List<Module> modules = new ArrayList<>();
    for (Module module : inventory.modules()) {
      if (module.kernel().equals(kernel)) {
        modules.add(module);
      }
    }
    modules.sort(ORDER);
    return new ModuleSet(kernel, List.copyOf(modules), digest(modules));
  }

  private static String digest(List<Module> modules) {
    MessageDigest digest = sha256();
    for (Module module : modules) {
      add(digest, module.name());
      add(digest, module.path());
      add(digest, module.used() == null ? null : module.used().toString());
      add(digest, module.link());
      add(digest, module.file());
      add(digest, module.digest());
      add(digest, module.version());
      add(digest, module.srcversion());
      add(digest, module.vermagic());
      add(digest, module.crcs());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** With its length, so that no text can pass for two; what is absent has none. */
  private static void add(MessageDigest digest, @Nullable String text) {
    byte[] bytes = text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
    int length = text == null ? -1 : bytes.length;
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, length));
    digest.update(bytes);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
