package dev.weaklink.system.cache;

import dev.weaklink.format.btf.BtfValidity;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.RuntimeNames;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a file.
 *
 * @param module its facts
 * @param runtime what it asks for by name when it runs
 * @param proof what was found out about its signature, null for nothing
 * @param types what was found out about its BTF, null for nothing
 */
public record KeptModule(
    KernelModule module, RuntimeNames runtime, @Nullable Proof proof, @Nullable JudgedTypes types) {

  /** The same without what was found out about its signature. */
  KeptModule withoutProof() {
    return new KeptModule(module, runtime, null, types);
  }

  /**
   * What kernels say of its BTF.
   *
   * @param firstString where its strings were taken to go on, see {@link BtfValidity#of}
   */
  public record JudgedTypes(int firstString, BtfValidity.Answer answer) {}
}
