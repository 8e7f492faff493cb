/** What lies below a root or in a package: trees of modules, files of kernels, what DKMS and rpm own. */
@NullMarked
package dev.weaklink.system;

import org.jspecify.annotations.NullMarked;
