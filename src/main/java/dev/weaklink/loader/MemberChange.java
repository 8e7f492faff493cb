package dev.weaklink.loader;

import org.jspecify.annotations.Nullable;

/**
 * One line of what differs in a type: a member, an enum's constant, a parameter.
 *
 * @param name its name, "return" for what a function returns
 * @param before its declaration in the older kernel, null if it was added
 * @param after its declaration in the newer kernel, null if it was removed
 */
public record MemberChange(String name, @Nullable String before, @Nullable String after) {}
