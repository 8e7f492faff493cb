/** What checks of modules, of the modules in use and of builds find out, and how reasons are grouped: pure. */
@NullMarked
package dev.weaklink.check.result;

import org.jspecify.annotations.NullMarked;
