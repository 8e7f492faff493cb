package dev.weaklink.inventory;

import dev.weaklink.inventory.FileFacts.Tables;
import dev.weaklink.inventory.NodeState.Loaded;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes the line of a node, part by part in the order of the schema. */
final class NodeJson {
  private static final String SHA256 = "sha256:";

  private final JsonText out = new JsonText();
  private final Problems problems;
  private final boolean withoutCrcs;

  /**
   * Begins.
   *
   * @param problems told in the end; those of modules are added on the way
   * @param withoutCrcs to leave the digests of tables out, and to say so
   */
  NodeJson(Problems problems, boolean withoutCrcs) {
    this.problems = problems;
    this.withoutCrcs = withoutCrcs;
  }

  void head(@Nullable String name, NodeState state) {
    out.open('{').member("schema", "weaklink.node/1");
    out.member("node", name).member("running", state.running());
    out.open("security", '{');
    out.member("secureBoot", state.secureBoot()).member("lockdown", state.lockdown());
    Boolean enforced = state.enforced();
    if (enforced != null) {
      out.member("enforced", enforced);
    }
    out.close('}');
  }

  void kernels(List<KernelDirectory> kernels) {
    out.open("kernels", '[');
    for (KernelDirectory kernel : kernels) {
      out.open('{').member("release", kernel.release());
      out.member("installed", kernel.installed()).close('}');
    }
    out.close(']');
  }

  void modules(List<AddedModule> modules, UsedModules used, Map<Path, FileFacts> facts) {
    out.open("modules", '[');
    for (AddedModule module : modules) {
      out.open('{').member("kernel", module.kernel());
      out.member("name", module.name()).member("path", module.path());
      Boolean isUsed = used.isUsed(module);
      if (isUsed != null) {
        out.member("used", isUsed);
      }
      out.member("link", module.link()).member("file", module.target());
      if (module.host() != null) {
        contents(module.path(), facts.get(module.host()));
      }
      out.close('}');
    }
    out.close(']');
  }

  private void contents(String path, @Nullable FileFacts facts) {
    if (facts == null) {
      problems.add(path, "cannot be read");
      return;
    }
    if (facts.vermagic() == null) {
      problems.add(path, "modinfo finds no vermagic in it");
    }
    out.member("digest", SHA256 + facts.digest());
    out.member("version", facts.version()).member("srcversion", facts.srcversion());
    out.member("vermagic", facts.vermagic());
    if (facts.depends() != null) {
      depends(facts.depends());
    }
    if (facts.signature() != null && facts.vermagic() != null) {
      signature(facts.signature());
    }
    if (facts.crcs() != null && !withoutCrcs) {
      out.member("crcs", SHA256 + facts.crcs());
    }
  }

  private void signature(ToldSignature signature) {
    out.member("signature", signature.kind());
    out.member("signer", signature.signer()).member("signerKey", signature.key());
  }

  private void depends(String names) {
    out.open("depends", '[');
    int start = 0;
    for (int end = names.indexOf(','); end >= 0; end = names.indexOf(',', start)) {
      out.text(names.substring(start, end));
      start = end + 1;
    }
    if (!names.isEmpty()) {
      out.text(names.substring(start));
    }
    out.close(']');
  }

  /** Those that have the name of a module that was added, or came from elsewhere. */
  void loaded(List<Loaded> loaded, List<AddedModule> modules) {
    Set<String> names = new HashSet<>();
    for (AddedModule module : modules) {
      names.add(module.name());
    }
    out.open("loaded", '[');
    for (Loaded module : loaded) {
      String taint = module.taint();
      if (names.contains(module.name()) || taint != null && taint.indexOf('O') >= 0) {
        out.open('{').member("name", module.name());
        out.member("srcversion", module.srcversion()).member("taint", taint).close('}');
      }
    }
    out.close(']');
  }

  void dkms(List<DkmsBuild> builds) {
    out.open("dkms", '[');
    for (DkmsBuild build : builds) {
      out.open('{').member("module", build.module()).member("version", build.version());
      out.member("state", build.state());
      out.member("kernel", build.kernel()).member("arch", build.arch()).close('}');
    }
    out.close(']');
  }

  void ofed(@Nullable String product) {
    out.member("ofed", product);
  }

  void packages(List<InstalledPackage> packages) {
    out.open("packages", '[');
    for (InstalledPackage installed : packages) {
      out.open('{').member("name", installed.name()).member("version", installed.version());
      out.member("arch", installed.arch()).member("kind", installed.kind()).close('}');
    }
    out.close(']');
  }

  /** One of each digest, sorted by it. */
  void tables(Collection<FileFacts> facts) {
    Map<String, Tables> distinct = new TreeMap<>();
    for (FileFacts file : facts) {
      if (file.tables() != null) {
        distinct.put(file.digest(), file.tables());
      }
    }
    out.open("tables", '[');
    distinct.forEach(
        (digest, tables) -> {
          out.open('{').member("file", SHA256 + digest);
          if (!tables.versions().isEmpty()) {
            texts("versions", tables.versions());
          }
          texts("exports", tables.exports());
          out.close('}');
        });
    out.close(']');
  }

  private void texts(String key, List<String> values) {
    out.open(key, '[');
    for (String value : values) {
      out.text(value);
    }
    out.close(']');
  }

  /** The line, with its line feed. */
  String finish() {
    if (withoutCrcs) {
      out.open("leftOut", '[').text("crcs").close(']');
    }
    out.open("missing", '[').close(']');
    out.open("problems", '[');
    for (String problem : problems.json()) {
      out.json(problem);
    }
    return out.close(']').close('}') + "\n";
  }
}
