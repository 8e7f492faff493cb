package dev.weaklink.rebuild;

import dev.weaklink.sys.NotDoneException;
import java.util.ArrayList;
import java.util.List;

/**
 * The arguments of a command. weaklink runs the command without a shell, but build scripts may pass their arguments on
 * to shells, to make and to rpm's macros. Names, paths and the user's arguments may therefore contain only letters,
 * digits and a few other characters.
 */
final class Arguments {
    private static final String IN_NAMES = "._+~:-";
    private static final String IN_PATHS = "._+~:-/@,=";

    private final List<String> words = new ArrayList<>();

    Arguments(String... first) {
        fixed(first);
    }

    Arguments fixed(String... known) {
        words.addAll(List.of(known));
        return this;
    }

    Arguments option(String option, String name) throws NotDoneException {
        return fixed(option, name(name));
    }

    Arguments pathOption(String option, String path) throws NotDoneException {
        return fixed(option, path(path));
    }

    Arguments file(String path) throws NotDoneException {
        return fixed(path(path));
    }

    Arguments further(List<String> given) throws NotDoneException {
        for (String word : given) {
            if (word.isEmpty() || !consistsOf(word, IN_PATHS)) {
                throw new NotDoneException(
                        "'" + word + "' cannot be an argument of a build; use only letters, digits and " + IN_PATHS);
            }
        }
        words.addAll(given);
        return this;
    }

    List<String> list() {
        return List.copyOf(words);
    }

    /**
     * Returns the name. Throws {@link NotDoneException} if the name is empty, starts with a dash, or contains a
     * character other than letters, digits and {@link #IN_NAMES}.
     */
    static String name(String value) throws NotDoneException {
        if (value.isEmpty() || value.startsWith("-") || !consistsOf(value, IN_NAMES)) {
            throw new NotDoneException("'" + value + "' cannot be an argument of a build; it must not begin"
                    + " with a dash, and may contain only letters, digits and " + IN_NAMES);
        }
        return value;
    }

    static String path(String value) throws NotDoneException {
        if (!value.startsWith("/") || !consistsOf(value, IN_PATHS)) {
            throw new NotDoneException(
                    value + ": build scripts need an absolute path of letters, digits and " + IN_PATHS);
        }
        return value;
    }

    private static boolean consistsOf(String value, String others) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean plain = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
            if (!plain && others.indexOf(c) < 0) {
                return false;
            }
        }
        return true;
    }
}
