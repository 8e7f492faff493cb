/**
 * Takes in what nodes say of themselves, as programs that ask many nodes print it. Streams: no more than one line, or
 * one string of a document, is held.
 */
@NullMarked
package dev.weaklink.fleet.intake;

import org.jspecify.annotations.NullMarked;
