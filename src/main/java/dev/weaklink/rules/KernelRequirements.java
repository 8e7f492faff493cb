package dev.weaklink.rules;

import java.util.List;

/**
 * Which kernels builds have to serve. A pattern without wildcards means every release that has it in it: {@code el9_4}.
 *
 * @param must kernels each of which has to be served
 * @param may those of them that need not be
 */
public record KernelRequirements(List<NamePattern> must, List<NamePattern> may) {
    public KernelRequirements {
        must = List.copyOf(must);
        may = List.copyOf(may);
    }

    /** Whether a kernel has to be served. */
    public boolean require(String release) {
        return must.stream().anyMatch(pattern -> means(pattern, release))
                && may.stream().noneMatch(pattern -> means(pattern, release));
    }

    /** Those of the first that mean none of these. */
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
