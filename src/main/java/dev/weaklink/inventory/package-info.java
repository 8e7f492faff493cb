/**
 * What a root has, told in the bytes that the script {@code weaklink-collect} prints on a node.
 * Texts from names and files are kept as bytes, one a character, until they are written.
 */
@NullMarked
package dev.weaklink.inventory;

import org.jspecify.annotations.NullMarked;
