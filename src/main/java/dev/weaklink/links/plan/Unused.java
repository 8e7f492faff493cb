package dev.weaklink.links.plan;

import org.jspecify.annotations.Nullable;

/**
 * That depmod chooses another file than the one a plan wants to be used.
 *
 * @param chosen the file it chooses, as seen from inside the root
 * @param override the line of depmod.d(5) that makes it choose the right one; null if none can
 * @param fixed whether the plan writes that line
 */
public record Unused(String chosen, @Nullable String override, boolean fixed) {}
