/**
 * The operating system: files below a root, locks, durable writes, threads, programs and the terminal. Open
 * {@link dev.weaklink.sys.Root} first: every path of another system is resolved through it, so that no symlink leads
 * outside. {@link dev.weaklink.sys.DurableFiles} writes files atomically, and {@link dev.weaklink.sys.ExternalCommand}
 * runs programs with limits. {@link dev.weaklink.sys.Escape} makes strings from files safe for a terminal.
 * {@link dev.weaklink.sys.UnreadableException} and {@link dev.weaklink.sys.NotDoneException} carry reasons for people.
 */
@NullMarked
package dev.weaklink.sys;

import org.jspecify.annotations.NullMarked;
