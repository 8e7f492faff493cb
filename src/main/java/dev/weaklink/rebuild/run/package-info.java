/** A rebuild from beginning to end: preflight, supervised build, examination of the result, installation and links. */
@NullMarked
package dev.weaklink.rebuild.run;

import org.jspecify.annotations.NullMarked;
