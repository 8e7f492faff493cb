package dev.weaklink.realkernel;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a booted kernel to one module; test-fixtures/kernel-answers/README.md explains each column.
 *
 * @param label the module
 * @param loadedFirst the label of a module that was loaded before, null if only the kernel's own modules were
 * @param outcome the outcome
 * @param errno the name of the errno, null unless refused
 * @param idle the kernel's own modules that the module needs and that were not loaded, because their init failed
 * @param crc the symbols in "disagrees about"
 * @param noVersion the symbols in "no symbol version for"
 * @param namespace the symbols from a namespace that is not imported
 * @param unknown the symbols in "Unknown symbol … (err -2)"
 * @param message the other line with the reason, null if none; ADDR is any address
 * @param digest the first digits of the file's SHA-256, null if not recorded
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

    /** The outcome of loading a module. */
    enum Outcome {
        /** The loader accepted the module; its init returned 0. */
        LOADED,
        /** The loader accepted the module; its init returned an error. */
        INIT_FAILED,
        /** The loader accepted the module; its init crashed. */
        INIT_OOPS,
        REFUSED,
        /** The module needs one of the kernel's own modules that was not loaded, so the outcome proves nothing. */
        INCONCLUSIVE
    }

    /** Returns whether the loader accepted the module, regardless of its init. */
    boolean accepted() {
        return outcome == Outcome.LOADED || outcome == Outcome.INIT_FAILED || outcome == Outcome.INIT_OOPS;
    }

    /** Returns the symbols that the kernel refused with EINVAL because of their version. */
    Set<String> versionRefusals() {
        Set<String> both = new TreeSet<>(crc);
        both.addAll(noVersion);
        return both;
    }

    /** Returns whether the kernel logged this line. The module's name before the message is not compared. */
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
