@NullMarked
package dev.weaklink.btf;

import org.jspecify.annotations.NullMarked;
