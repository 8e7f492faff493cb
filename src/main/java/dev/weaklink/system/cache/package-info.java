/**
 * Keeps facts of modules, packages and kernel images between runs, because unpacking modules takes most of a check. The
 * input is the facts of a module and the identity of its file: device, inode, size and times. The result is the same
 * facts in the next run if the identity is unchanged. Open {@link dev.weaklink.system.cache.FactsCache} first. The
 * cache never fails: facts whose entry is missing, damaged or not trusted are read from the file again.
 * {@code ModuleEncoder} and {@code ModuleDecoder} define the format of an entry, and {@code CachePlace} decides where
 * the files are.
 */
@NullMarked
package dev.weaklink.system.cache;

import org.jspecify.annotations.NullMarked;
