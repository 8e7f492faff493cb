/** Types of a kernel and its modules as BTF describes them (Documentation/bpf/btf.rst). */
@NullMarked
package dev.weaklink.btf;

import org.jspecify.annotations.NullMarked;
