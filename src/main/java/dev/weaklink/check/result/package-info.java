/**
 * The results of checks of modules, of modules in use and of builds, and the grouping of reasons. Pure functions and
 * immutable records.
 */
@NullMarked
package dev.weaklink.check.result;

import org.jspecify.annotations.NullMarked;
