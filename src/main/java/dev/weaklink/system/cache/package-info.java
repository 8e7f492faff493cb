/** A cache of facts about modules, stored between runs and validated by the identity of the files. */
@NullMarked
package dev.weaklink.system.cache;

import org.jspecify.annotations.NullMarked;
