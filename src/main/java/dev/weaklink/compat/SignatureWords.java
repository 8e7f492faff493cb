package dev.weaklink.compat;

import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Messages about modules whose signatures or ELF files a kernel rejects, or that cannot be read. The messages are
 * always printed, because the original weak-modules makes no such checks.
 */
final class SignatureWords {
    private static final int MOST = 8;

    private SignatureWords() {}

    /**
     * Returns the problem with a module's signature or ELF file because of which the module would not or might not
     * load; null if there is none.
     */
    static @Nullable String of(Verdict verdict) {
        Effect decisive = verdict.outcome() == Outcome.INCOMPATIBLE ? Effect.REFUSES : Effect.UNPROVEN;
        for (Finding finding : verdict.findings()) {
            boolean isUnknownToOriginal = finding.layer() == Layer.SIGNATURE || finding.layer() == Layer.ELF;
            if (isUnknownToOriginal && finding.effect() == decisive) {
                return VerdictReason.of(verdict);
            }
        }
        return null;
    }

    static void sayNotLinked(StandardStreams streams, String kernel, Collection<Rejection> rejections) {
        for (Map.Entry<String, Set<String>> one : byReason(rejections).entrySet()) {
            String files = files(one.getValue());
            streams.complain("no link on kernel " + kernel + " to " + files + ": " + one.getKey());
        }
        for (Rejection rejection : rejections) {
            if (!rejection.link().readable()) {
                streams.complain(rejection.link().target()
                        + ": cannot be read, so no link to it is made or removed on kernel " + kernel + ": "
                        + rejection.link().failure());
            }
        }
    }

    static void sayRemoved(StandardStreams streams, String kernel, Collection<Rejection> rejections) {
        for (Map.Entry<String, Set<String>> one : byReason(rejections).entrySet()) {
            String files = files(one.getValue());
            streams.complain("links removed from kernel " + kernel + ": " + files + ": " + one.getKey());
        }
    }

    private static Map<String, Set<String>> byReason(Collection<Rejection> rejections) {
        Map<String, Set<String>> files = new LinkedHashMap<>();
        for (Rejection rejection : rejections) {
            if (rejection.signature() != null) {
                files.computeIfAbsent(rejection.signature(), reason -> new LinkedHashSet<>())
                        .add(rejection.link().target());
            }
        }
        return files;
    }

    private static String files(Set<String> files) {
        if (files.size() <= MOST) {
            return String.join(", ", files);
        }
        List<String> first = new ArrayList<>(files).subList(0, MOST);
        return String.join(", ", first) + " and " + (files.size() - MOST) + " more";
    }
}
