package dev.weaklink.explain;

import dev.weaklink.loader.CrcCause;
import org.jspecify.annotations.Nullable;

/**
 * An exported symbol whose CRC differs between two kernels.
 *
 * @param symbol its name
 * @param owner who exports it in the newer kernel: {@code vmlinux} or a module
 * @param from its CRC in the older kernel
 * @param to its CRC in the newer kernel
 * @param cause what is behind it, null where that cannot be said
 */
public record SymbolChange(
        String symbol,
        String owner,
        int from,
        int to,
        @Nullable CrcCause cause) {}
