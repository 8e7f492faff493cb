/**
 * Keeps facts of modules, packages and kernel images between runs, because unpacking modules takes most of a check. The
 * input is the facts of a module and the identity of its file: device, inode, size and times. The result is the same
 * facts in the next run if the identity is unchanged. Open {@link dev.weaklink.system.cache.FactsCache} first. It never
 * fails: an entry that is missing, damaged or not trusted is read from the module again. {@code ModuleEncoder} and
 * {@code ModuleDecoder} define the format of an entry, and {@code CachePlace} decides where the files are.
 */
@NullMarked
package dev.weaklink.system.cache;

import org.jspecify.annotations.NullMarked;
