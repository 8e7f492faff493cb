/** What the RDMA libraries in user space need of each other and of the kernel. */
@NullMarked
package dev.weaklink.check.userspace;

import org.jspecify.annotations.NullMarked;
