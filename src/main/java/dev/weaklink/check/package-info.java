/** The check from beginning to end: reads the modules, opens the targets and judges. */
@NullMarked
package dev.weaklink.check;

import org.jspecify.annotations.NullMarked;
