/** Which file depmod would choose for each module name. */
@NullMarked
package dev.weaklink.tree;

import org.jspecify.annotations.NullMarked;
