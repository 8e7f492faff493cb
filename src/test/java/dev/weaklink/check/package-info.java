@NullMarked
package dev.weaklink.check;

import org.jspecify.annotations.NullMarked;
