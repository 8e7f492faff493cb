package dev.weaklink.check.report;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The lines that a package manager's hook prints about one kernel: a line for each state, with the products in that
 * state.
 */
public final class HookLines {
    private static final int MOST_NAMED = 8;

    private final Map<Readiness, List<String>> products = new EnumMap<>(Readiness.class);
    private final Map<String, List<String>> refusedForGood = new TreeMap<>();
    private final Map<String, List<String>> lackingExporters = new TreeMap<>();

    public void add(Readiness state, List<String> modules, String unit) {
        products.computeIfAbsent(state, key -> new ArrayList<>()).add(Readiness.modules(modules, unit));
    }

    /**
     * Adds refused modules that nothing on the machine can rebuild.
     *
     * @param older the kernel to stay with, empty if none is known
     * @param modules the modules' names
     * @param unit the name of the product that the modules belong to
     */
    public void addRefusedForGood(String older, List<String> modules, String unit) {
        refusedForGood.computeIfAbsent(older, key -> new ArrayList<>()).add(Readiness.modules(modules, unit));
    }

    public void addLackingExporters(List<String> exporters, List<String> modules, String unit) {
        lackingExporters
                .computeIfAbsent(String.join(", ", exporters), key -> new ArrayList<>())
                .add(Readiness.modules(modules, unit));
    }

    /**
     * Returns the lines, from the best state to the worst.
     *
     * @param kernel the release, escaped
     * @param installed whether the kernel is already installed; if not, DKMS may still build modules during its
     *     installation
     * @param root the {@code --root} option of printed commands, escaped; empty for the host
     */
    public String text(String kernel, boolean installed, String root) {
        StringBuilder text = new StringBuilder();
        products.forEach((state, names) -> text.append(
                state == Readiness.NOT_BUILT && !installed
                        ? "weaklink: DKMS will try to build " + joined(names) + " for " + kernel + "\n"
                        : state.line(kernel, joined(names), root)));
        lackingExporters.forEach(
                (exporters, names) -> text.append(Readiness.lackingExporters(kernel, joined(names), exporters, root)));
        refusedForGood.forEach((older, names) -> text.append(Readiness.refusedForGood(kernel, joined(names), older)));
        return text.toString();
    }

    private static String joined(List<String> names) {
        int shown = Math.min(names.size(), MOST_NAMED);
        String more = shown < names.size() ? " and " + (names.size() - shown) + " more products" : "";
        return String.join(", ", names.subList(0, shown)) + more;
    }
}
