@NullMarked
package dev.weaklink.history;

import org.jspecify.annotations.NullMarked;
