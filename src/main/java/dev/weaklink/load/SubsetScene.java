package dev.weaklink.load;

/** What does not change while {@link BestSubset} searches. */
record SubsetScene(Builds builds, Influence influence, Laws laws, KernelRows rows) {}
