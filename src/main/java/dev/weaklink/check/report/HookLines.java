package dev.weaklink.check.report;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What a hook prints of one kernel: a line for each state, which names the products in that state. */
public final class HookLines {
    /** More names than this make no line clearer. */
    private static final int MOST_NAMED = 8;

    private final Map<UnitState, List<String>> products = new EnumMap<>(UnitState.class);

    /**
     * Adds a product.
     *
     * @param modules names of its modules in that state
     * @param unit the name of the product
     */
    public void add(UnitState state, List<String> modules, String unit) {
        products.computeIfAbsent(state, key -> new ArrayList<>()).add(UnitState.modules(modules, unit));
    }

    /**
     * Returns the lines, from the best state to the worst.
     *
     * @param kernel escaped
     * @param installed whether the kernel is installed; DKMS builds for a kernel when it is
     */
    public String text(String kernel, boolean installed) {
        StringBuilder text = new StringBuilder();
        products.forEach((state, names) -> text.append(
                state == UnitState.NOT_BUILT && !installed
                        ? "weaklink: DKMS will try to build " + joined(names) + " for " + kernel + "\n"
                        : state.line(kernel, joined(names))));
        return text.toString();
    }

    private static String joined(List<String> names) {
        int shown = Math.min(names.size(), MOST_NAMED);
        String more = shown < names.size() ? " and " + (names.size() - shown) + " more products" : "";
        return String.join(", ", names.subList(0, shown)) + more;
    }
}
