/** Which kernels would do for each set of modules that nodes have. */
@NullMarked
package dev.weaklink.fleet.judge;

import org.jspecify.annotations.NullMarked;
