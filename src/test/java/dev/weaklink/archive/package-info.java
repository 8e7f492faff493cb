@NullMarked
package dev.weaklink.archive;

import org.jspecify.annotations.NullMarked;
