@NullMarked
package dev.weaklink;

import org.jspecify.annotations.NullMarked;
