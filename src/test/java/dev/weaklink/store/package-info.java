@NullMarked
package dev.weaklink.store;

import org.jspecify.annotations.NullMarked;
