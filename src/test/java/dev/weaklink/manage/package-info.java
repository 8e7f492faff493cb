@NullMarked
package dev.weaklink.manage;

import org.jspecify.annotations.NullMarked;
