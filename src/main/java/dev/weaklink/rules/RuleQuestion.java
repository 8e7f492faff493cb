package dev.weaklink.rules;

import org.jspecify.annotations.Nullable;

/**
 * What somebody wants to know the rules about; null is not known.
 *
 * @param module a module's name
 * @param unit the unit it is in
 * @param kernel the release of the kernel it would be linked into
 */
public record RuleQuestion(
    @Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel) {}
