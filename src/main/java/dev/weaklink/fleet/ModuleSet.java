package dev.weaklink.fleet;

import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodeInventory.Signature;
import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.sys.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The modules that were added to one kernel, on nodes with one policy about signatures.
 *
 * @param kernel its release
 * @param modules sorted by path
 * @param digest SHA-256 of all that is reported of them, 64 hexadecimal digits; the same on all
 *     nodes that have the same modules for this kernel, whatever their policy
 * @param policy of the nodes
 */
public record ModuleSet(String kernel, List<Module> modules, String digest, NodePolicy policy) {
  private static final Comparator<Module> ORDER =
      Comparator.comparing(Module::path)
          .thenComparing(Module::name)
          .thenComparing(module -> String.valueOf(module.digest()));

  private static final String[] PLACES = {"/updates/", "/extra/", "/weak-updates/"};

  /** What modules.dep lists first, then in the order that RHEL's depmod.d has. */
  private static final Comparator<Module> BEST =
      Comparator.comparing(ModuleSet::use)
          .thenComparing(ModuleSet::place)
          .thenComparing(Module::path);

  /** The modules that a node of this policy has for a kernel, in any order. */
  public static ModuleSet of(String kernel, List<Module> reported, NodePolicy policy) {
    List<Module> modules = new ArrayList<>(reported);
    modules.sort(ORDER);
    return new ModuleSet(kernel, List.copyOf(modules), digest(modules), policy);
  }

  /** Whether some of them lie in another kernel's directory, and would be linked. */
  public boolean isJoined() {
    return modules.stream().anyMatch(module -> !module.kernel().equals(kernel));
  }

  /**
   * Those files that would be loaded: the best of each name, sorted by name; links to nothing are
   * left out. One that modules.dep does not list counts if its name has no other: what links
   * modules to other kernels does not ask there.
   */
  public List<Module> chosen() {
    TreeMap<String, Module> best = new TreeMap<>();
    for (Module module : modules) {
      if (!module.isDangling()) {
        best.merge(module.name(), module, (a, b) -> BEST.compare(a, b) <= 0 ? a : b);
      }
    }
    return new ArrayList<>(best.values());
  }

  private static int use(Module module) {
    Boolean used = module.used();
    return used == null ? 1 : used ? 0 : 2;
  }

  private static int place(Module module) {
    for (int i = 0; i < PLACES.length; i++) {
      if (module.path().contains(PLACES[i])) {
        return i;
      }
    }
    return PLACES.length;
  }

  /** What is wrong with files and links alone, whatever is loaded; in any order. */
  List<Defect> defects() {
    List<Defect> defects = new ArrayList<>(ProductParts.defects(chosen()));
    for (Module module : modules) {
      if (module.isDangling()) {
        defects.add(new Defect(Defect.Kind.DANGLING_LINK, module.name(), module.path()));
      } else if (Boolean.FALSE.equals(module.used())) {
        defects.add(new Defect(Defect.Kind.NOT_USED, module.name(), module.path()));
      }
    }
    return defects;
  }

  /** Two with one digest and policy are the same. */
  @Override
  public int hashCode() {
    return digest.hashCode();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ModuleSet that
        && policy == that.policy
        && digest.equals(that.digest)
        && kernel.equals(that.kernel);
  }

  private static String digest(List<Module> modules) {
    MessageDigest digest = Sha256.start();
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
      add(digest, module.signature());
    }
    return Sha256.hex(digest);
  }

  /** With its length, so that no text can pass for two; what is absent has none. */
  private static void add(MessageDigest digest, @Nullable String text) {
    byte[] bytes = text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
    int length = text == null ? -1 : bytes.length;
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, length));
    digest.update(bytes);
  }

  /** Nothing, if nothing is reported. */
  private static void add(MessageDigest digest, @Nullable Signature signature) {
    if (signature != null) {
      add(digest, signature.kind());
      add(digest, signature.signer());
      add(digest, signature.key());
    }
  }
}
