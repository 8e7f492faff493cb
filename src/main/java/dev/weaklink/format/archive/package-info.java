/**
 * Reads packages and archives as streams of entries, within limits. The contents of a file, never its name, decide its
 * format. {@link PackageReader}, the class to open first, opens a package. {@link PackageFile} passes the entries to a
 * visitor, once. {@link PackageInfo} contains the name, version and requirements of a package. The package reader
 * writes nothing to disk.
 */
@NullMarked
package dev.weaklink.format.archive;

import org.jspecify.annotations.NullMarked;
