/**
 * Summarizes the state of a system for {@code weaklink status}. The input is a root directory and a request. The result
 * is a {@link dev.weaklink.status.SystemStatus}: links and their defects, safe kernels, loaded modules, initramfs
 * images, held kernels and trial builds. Open {@link dev.weaklink.status.SystemStatus} first;
 * {@link dev.weaklink.status.StatusText} renders it as text and JSON.
 */
@NullMarked
package dev.weaklink.status;

import org.jspecify.annotations.NullMarked;
