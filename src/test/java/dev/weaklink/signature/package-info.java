@NullMarked
package dev.weaklink.signature;

import org.jspecify.annotations.NullMarked;
