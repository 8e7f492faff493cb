package dev.weaklink.loader;

/** What does not change while {@link BestSubset} searches. */
record SubsetScene(
    Builds builds, SymbolDependencies influence, LoadInvariants invariants, KernelRows rows) {}
