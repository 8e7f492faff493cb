/**
 * Reads BTF, the types of a kernel and its modules (Documentation/bpf/btf.rst). The input is the contents of the
 * sections {@code .BTF} and {@code .BTF.base}. {@link Btf}, the class to open first, returns types by number.
 * {@link TypeGraph} builds keys from these types that show whether a definition or a layout changed.
 * {@link DistilledBtf} reads modules that contain a {@code .BTF.base}. {@link BtfValidity} predicts whether the kernel
 * accepts a module's types.
 */
@NullMarked
package dev.weaklink.format.btf;

import org.jspecify.annotations.NullMarked;
