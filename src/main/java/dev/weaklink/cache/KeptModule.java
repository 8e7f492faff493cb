package dev.weaklink.cache;

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
 */
public record KeptModule(KernelModule module, RuntimeNames runtime, @Nullable Proof proof) {}
