/** Which installed rpm package a file belongs to. */
@NullMarked
package dev.weaklink.rpmdb;

import org.jspecify.annotations.NullMarked;
