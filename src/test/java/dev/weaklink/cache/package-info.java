@NullMarked
package dev.weaklink.cache;

import org.jspecify.annotations.NullMarked;
