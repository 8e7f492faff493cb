package dev.weaklink.cache;

import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature.Proof;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a file.
 *
 * @param module its facts
 * @param runtimeSymbols what it asks for by {@code symbol_get}
 * @param proof what was found out about its signature, null for nothing
 */
public record KeptModule(KernelModule module, List<String> runtimeSymbols, @Nullable Proof proof) {}
