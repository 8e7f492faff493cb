package dev.weaklink.load;

import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.KernelModule;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's module loader, step by step in its own order (load_module, 3.10 to 6.19); it stops
 * where the kernel would. Pure: the same facts give the same verdict. One instance serves one
 * thread.
 */
final class Loader {
  private final World world;
  private final VersionCheck versions = new VersionCheck();

  Loader(World world) {
    this.world = world;
  }

  /**
   * Judges one module.
   *
   * @param ownName see {@link SymbolStep}
   */
  Judgement judge(KernelModule module, @Nullable String ownName) {
    Judgement j = new Judgement(module, world.target());
    versions.reset(j);
    if (looksAtSignatureFirst(j.rules().version())) {
      SignatureStep.apply(j);
      elf(j);
    } else {
      elf(j);
      signature(j);
    }
    if (ElfStep.isUnread(module)) {
      return j;
    }
    moduleLayout(j);
    vermagic(j);
    writableAndExecutable(j);
    if (License.isProprietary(j.modInfo(), module.name())) {
      j.setProprietary();
    }
    exportVersions(j);
    namespaceImports(j);
    symbols(j, ownName);
    relocations(j);
    duplicates(j);
    name(j);
    btf(j);
    return j;
  }

  /** 4.19 to 5.11 look at the ELF header before the signature. */
  private static boolean looksAtSignatureFirst(KernelVersion version) {
    return !version.atLeast(4, 19) || version.atLeast(5, 12);
  }

  private static void elf(Judgement j) {
    if (!j.refused()) {
      ElfStep.apply(j);
    }
  }

  private static void signature(Judgement j) {
    if (!j.refused()) {
      SignatureStep.apply(j);
    }
  }

  private void moduleLayout(Judgement j) {
    if (!j.refused()) {
      ModuleLayoutStep.apply(j, versions);
    }
  }

  private static void vermagic(Judgement j) {
    if (!j.refused()) {
      VermagicStep.apply(j);
    }
  }

  private static void exportVersions(Judgement j) {
    if (!j.refused()) {
      ExportStep.versions(j);
    }
  }

  private static void namespaceImports(Judgement j) {
    for (String imported : j.modInfo().all("import_ns")) {
      if (!j.refused() && NamespaceRule.isForbiddenImport(imported, j.rules())) {
        j.refuse(
            FindingKind.NAMESPACE_RESERVED,
            j.module().name() + ": module tries to import module namespace: " + imported);
      }
    }
  }

  private void symbols(Judgement j, @Nullable String ownName) {
    if (!j.refused()) {
      new SymbolStep(j, world, versions, ownName).apply();
    }
  }

  private static void relocations(Judgement j) {
    if (!j.refused()) {
      RelocationStep.apply(j);
    }
  }

  /** No section may be both (module_enforce_rwx_sections), with a line from 5.9 on. */
  private static void writableAndExecutable(Judgement j) {
    KernelVersion version = j.rules().version();
    if (j.refused() || j.rules().is(LoaderRule.WRITABLE_CODE, "accept")) {
      return;
    }
    for (ElfDefect defect : j.module().defects()) {
      if (defect.kind() == ElfDefect.Kind.WRITABLE_AND_EXECUTABLE && !j.refused()) {
        j.refuse(
            FindingKind.ELF_WRITABLE_EXECUTABLE,
            version.atLeast(5, 9)
                ? j.module().name()
                    + ": section "
                    + defect.text()
                    + " (index "
                    + defect.first()
                    + ") has invalid WRITE|EXEC flags"
                : null);
      }
    }
  }

  private void duplicates(Judgement j) {
    if (!j.refused()) {
      ExportStep.duplicates(j, world);
    }
  }

  /** A name without a place in /sys/module: empty, or that of a built-in with parameters. */
  private static void name(Judgement j) {
    String name = j.module().structName();
    if (j.refused() || name == null) {
      return;
    }
    if (name.isEmpty()) {
      j.refuse(FindingKind.NAME_EMPTY, null);
    } else if (j.target().builtIn().contains(name)) {
      j.refuse(FindingKind.NAME_BUILT_IN, name + ": module is already loaded");
    }
  }

  /**
   * BTF is validated against that of vmlinux (kernel/bpf/btf.c:btf_module_notify), which is not
   * looked at here.
   */
  private static void btf(Judgement j) {
    KernelModule.Btf btf = j.module().btf();
    String built = j.module().modInfo().first("vermagic");
    String release = j.target().release();
    boolean sameKernel =
        built != null
            && release != null
            && built.startsWith(release)
            && built.startsWith(" ", release.length());
    if (j.refused() || !btf.present() || btf.base() || sameKernel) {
      return;
    }
    if (j.rule(LoaderRule.BTF_MISMATCH, "refuse")) {
      j.unproven(
          FindingKind.BTF_MISMATCH,
          null,
          FindingKind.BTF_MISMATCH.meaning() + "; strip .BTF or rebuild");
    }
  }
}
