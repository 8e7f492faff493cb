package dev.weaklink.sys;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An enum constant with an id for files, command lines and output. The id is part of the contract: a renamed constant
 * must override the method to keep its id.
 */
public interface StableId {
    String name();

    /** Returns the id: by default, the name in lower case with dashes. */
    default String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static <I extends StableId> @Nullable I of(@Nullable String id, Iterable<I> among) {
        for (I one : among) {
            if (one.id().equals(id)) {
                return one;
            }
        }
        return null;
    }
}
