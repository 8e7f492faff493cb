package dev.weaklink.sys;

import java.util.List;

/**
 * Something given or found that cannot be used; the rest of the input goes on.
 *
 * @param subject what it is about: a path as given, or as seen from inside the root, with a line number where there is
 *     one. Unescaped
 * @param message what is wrong with it, in one line
 * @param harmless whether depmod passes over it, too, so that nothing is missing that a kernel would have
 */
public record InputProblem(String subject, String message, boolean harmless) {
    /** Something that may be missing. */
    public InputProblem(String subject, String message) {
        this(subject, message, false);
    }

    /** Whether something may be missing for one of these. */
    public static boolean matter(List<InputProblem> problems) {
        for (InputProblem problem : problems) {
            if (!problem.harmless()) {
                return true;
            }
        }
        return false;
    }
}
