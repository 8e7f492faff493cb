package dev.weaklink.sys;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A constant of an enum that files, command lines and output name. The id is part of the contract: a constant that is
 * renamed keeps it by saying it itself.
 */
public interface StableId {
    /** The constant's name in the source. */
    String name();

    /** Its name everywhere else: the same in small letters, with dashes. */
    default String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The one of these with that id, null if none has it. */
    static <I extends StableId> @Nullable I of(@Nullable String id, Iterable<I> among) {
        for (I one : among) {
            if (one.id().equals(id)) {
                return one;
            }
        }
        return null;
    }
}
