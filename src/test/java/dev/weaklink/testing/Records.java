package dev.weaklink.testing;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes records from the components that a test is about, so that the test does not change when the record gets more
 * components.
 */
public final class Records {
    private static final Map<Class<?>, Object> NOTHING = Map.of(
            List.class,
            List.of(),
            Set.class,
            Set.of(),
            Map.class,
            Map.of(),
            boolean.class,
            false,
            int.class,
            0,
            long.class,
            0L);

    private Records() {}

    /**
     * Returns a record with these components, given as alternating names and values. All other components are empty.
     */
    public static <R extends Record> R of(Class<R> type, @Nullable Object... namesAndValues) {
        return make(type, null, namesAndValues);
    }

    /** Returns the record with other values of these components. */
    @SuppressWarnings("unchecked")
    public static <R extends Record> R with(R record, @Nullable Object... namesAndValues) {
        return (R) make(record.getClass(), record, namesAndValues);
    }

    private static <R extends Record> R make(Class<R> type, @Nullable Record from, @Nullable Object... namesAndValues) {
        Map<String, @Nullable Object> given = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            given.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        List<Class<?>> types = new ArrayList<>();
        List<@Nullable Object> values = new ArrayList<>();
        try {
            for (RecordComponent component : type.getRecordComponents()) {
                types.add(component.getType());
                Object other = from == null
                        ? NOTHING.get(component.getType())
                        : component.getAccessor().invoke(from);
                values.add(given.containsKey(component.getName()) ? given.remove(component.getName()) : other);
            }
            if (!given.isEmpty()) {
                throw new IllegalArgumentException(type + " has no " + given.keySet());
            }
            return type.getDeclaredConstructor(types.toArray(new Class<?>[0])).newInstance(values.toArray());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
