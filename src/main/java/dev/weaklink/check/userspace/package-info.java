/** The check of RDMA libraries in user space against each other and against the kernel. */
@NullMarked
package dev.weaklink.check.userspace;

import org.jspecify.annotations.NullMarked;
