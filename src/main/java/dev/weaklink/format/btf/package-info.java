/** Types of a kernel and its modules as BTF describes them (Documentation/bpf/btf.rst). */
@NullMarked
package dev.weaklink.format.btf;

import org.jspecify.annotations.NullMarked;
