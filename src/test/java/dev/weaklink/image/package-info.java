@NullMarked
package dev.weaklink.image;

import org.jspecify.annotations.NullMarked;
