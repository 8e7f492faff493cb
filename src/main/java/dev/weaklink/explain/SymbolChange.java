package dev.weaklink.explain;

import dev.weaklink.loader.CrcCause;
import org.jspecify.annotations.Nullable;

/**
 * An exported symbol whose CRC differs between two kernels.
 *
 * @param symbol the symbol's name
 * @param owner the exporter in the newer kernel: {@code vmlinux} or a module
 * @param from the CRC in the older kernel
 * @param to the CRC in the newer kernel
 * @param cause the cause, null if unknown
 */
public record SymbolChange(
        String symbol,
        String owner,
        int from,
        int to,
        @Nullable CrcCause cause) {}
