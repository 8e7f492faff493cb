@NullMarked
package dev.weaklink.explain;

import org.jspecify.annotations.NullMarked;
