package dev.weaklink.rules;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The kernels that builds have to support. A kernel pattern without wildcards, such as {@code el9_4}, matches every
 * release that contains the pattern.
 *
 * @param must the kernels that every product has to support
 * @param may the kernels among {@code must} that products need not support any more
 * @param products patterns of package and module names, by the name of the product that they describe
 */
public record KernelRequirements(
        List<NamePattern> must, List<NamePattern> may, Map<String, List<NamePattern>> products) {
    public static final KernelRequirements NONE = new KernelRequirements(List.of(), List.of(), Map.of());

    public KernelRequirements {
        must = List.copyOf(must);
        may = List.copyOf(may);
        products = Collections.unmodifiableMap(new LinkedHashMap<>(products));
    }

    public boolean require(String release) {
        return must.stream().anyMatch(pattern -> means(pattern, release))
                && may.stream().noneMatch(pattern -> means(pattern, release));
    }

    public List<String> unmatched(List<String> releases) {
        return must.stream()
                .filter(pattern -> releases.stream().noneMatch(release -> means(pattern, release)))
                .map(pattern -> pattern.text())
                .toList();
    }

    private static boolean means(NamePattern pattern, String release) {
        String text = pattern.text();
        return text.indexOf('*') < 0 && text.indexOf('?') < 0 ? release.contains(text) : pattern.matches(release);
    }
}
