/**
 * What tests build their worlds from: kernel modules written byte by byte, Module.symvers files,
 * installed trees. Nothing here uses the readers it is there to test.
 */
@NullMarked
package dev.weaklink.testing;

import org.jspecify.annotations.NullMarked;
