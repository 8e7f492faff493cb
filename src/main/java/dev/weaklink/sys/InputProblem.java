package dev.weaklink.sys;

import java.util.List;

/**
 * A part of the input that cannot be used; the rest is still processed.
 *
 * @param subject the path as given, or inside the root directory, with a line number if applicable; else a name, such
 *     as a release or a symbol; not escaped
 * @param message the problem, in one line
 * @param harmless true if the results are the same without the problem, for example because depmod ignores the file too
 */
public record InputProblem(String subject, String message, boolean harmless) {
    public InputProblem(String subject, String message) {
        this(subject, message, false);
    }

    public static boolean matter(List<InputProblem> problems) {
        for (InputProblem problem : problems) {
            if (!problem.harmless()) {
                return true;
            }
        }
        return false;
    }
}
