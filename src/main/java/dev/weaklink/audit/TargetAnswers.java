package dev.weaklink.audit;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one target says to sets.
 *
 * @param label as it was given
 * @param release null if it is not known
 * @param vermagic null if it is not known
 * @param source installed, package, symvers, image or store
 * @param notes where causes come from, and why others are not known
 * @param answers by the place of a set in the census; those without modules have none
 */
public record TargetAnswers(
    String label,
    @Nullable String release,
    @Nullable String vermagic,
    String source,
    List<String> notes,
    Map<Integer, SetAnswer> answers) {}
