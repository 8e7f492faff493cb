/** The files below a root directory or in a package: module trees, files of kernels, owners in DKMS and rpm. */
@NullMarked
package dev.weaklink.system;

import org.jspecify.annotations.NullMarked;
