/** Sets of node names in ClusterShell's notation, {@code cn[001-412,500],gpu7}. Pure. */
@NullMarked
package dev.weaklink.fleet.nodeset;

import org.jspecify.annotations.NullMarked;
