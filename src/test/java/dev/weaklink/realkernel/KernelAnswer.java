package dev.weaklink.realkernel;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a booted kernel said to one module; test-fixtures/kernel-answers/README.md explains each column.
 *
 * @param label the module
 * @param loadedFirst label of a module that was loaded before it, null if none but native ones
 * @param outcome what happened
 * @param errno name of the errno, null unless refused
 * @param idle native dependencies that were not loaded because their own init gave up
 * @param crc symbols it "disagrees about"
 * @param noVersion symbols with "no symbol version for"
 * @param namespace symbols from a namespace that is not imported
 * @param unknown symbols with "Unknown symbol … (err -2)"
 * @param message the other line that says why it was refused, null if none; ADDR is any address
 * @param digest first digits of the file's SHA-256, null if not recorded
 */
record KernelAnswer(
        String label,
        @Nullable String loadedFirst,
        Outcome outcome,
        @Nullable String errno,
        Set<String> idle,
        Set<String> crc,
        Set<String> noVersion,
        Set<String> namespace,
        Set<String> unknown,
        @Nullable String message,
        @Nullable String digest) {

    private static final Pattern NAME_PREFIX = Pattern.compile("^\\S*: ");

    /** What the kernel did with a module. */
    enum Outcome {
        /** The loader accepted it and its init returned 0. */
        LOADED,
        /** The loader accepted it; its init returned an error. */
        INIT_FAILED,
        /** The loader accepted it; its init crashed. */
        INIT_OOPS,
        /** The loader refused it. */
        REFUSED,
        /** Nothing can be said: it needs a native dependency that was not loaded. */
        INCONCLUSIVE
    }

    /** Whether the loader accepted the module, whatever its init did then. */
    boolean accepted() {
        return outcome == Outcome.LOADED || outcome == Outcome.INIT_FAILED || outcome == Outcome.INIT_OOPS;
    }

    /** Symbols refused with EINVAL because of their version. */
    Set<String> versionRefusals() {
        Set<String> both = new TreeSet<>(crc);
        both.addAll(noVersion);
        return both;
    }

    /** Whether the kernel logged this line; the module's name in front of it is not compared. */
    boolean logged(String line) {
        String text = NAME_PREFIX.matcher(line).replaceFirst("");
        return (message != null && line.matches(withAnyAddress(message)))
                || named(text, "disagrees about version of symbol %s", crc)
                || named(text, "no symbol version for %s", noVersion)
                || named(text, "Unknown symbol %s (err -2)", unknown)
                || named(text, "Unknown symbol %s (err -22)", versionRefusals())
                || named(text, "Unknown symbol %s (err -22)", namespace)
                || namespace.stream().anyMatch(s -> text.startsWith("module uses symbol (" + s + ") from "));
    }

    private static boolean named(String text, String form, Set<String> symbols) {
        return symbols.stream().anyMatch(symbol -> text.equals(form.formatted(symbol)));
    }

    private static String withAnyAddress(String logged) {
        return Pattern.quote(logged).replace("ADDR", "\\E\\S+\\Q");
    }
}
