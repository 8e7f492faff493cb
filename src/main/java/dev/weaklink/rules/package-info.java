/**
 * What a site wants beyond what the kernel's loader decides: which modules make a product, what is left alone, pinned,
 * or not linked although it would load. Pure; {@code rules.yaml} reads files.
 */
@NullMarked
package dev.weaklink.rules;

import org.jspecify.annotations.NullMarked;
