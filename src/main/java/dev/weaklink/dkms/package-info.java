/** What DKMS has: its packages, what they need, and which modules it built and owns. */
@NullMarked
package dev.weaklink.dkms;

import org.jspecify.annotations.NullMarked;
