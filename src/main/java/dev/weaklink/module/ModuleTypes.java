package dev.weaklink.module;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A module's types, as they stand in it.
 *
 * @param section its section {@code .BTF}, copied
 * @param base its section {@code .BTF.base}, copied; null if the types go on where those of the
 *     kernel end that it was built with
 */
public record ModuleTypes(ByteBuffer section, @Nullable ByteBuffer base) {}
