/** Where modules and kernels come from. */
@NullMarked
package dev.weaklink.source;

import org.jspecify.annotations.NullMarked;
