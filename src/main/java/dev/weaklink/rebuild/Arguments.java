package dev.weaklink.rebuild;

import dev.weaklink.sys.NotDoneException;
import java.util.ArrayList;
import java.util.List;

/**
 * The words of a command line, put together one by one and never joined: no shell of ours sees them. Build scripts of
 * others do hand words on to shells, to make and to rpm's macros, and split them there; so only values that mean the
 * same everywhere are let through.
 */
final class Arguments {
    private static final String IN_NAMES = "._+~:-";
    private static final String IN_PATHS = "._+~:-/@,=";

    private final List<String> words = new ArrayList<>();

    Arguments(String... first) {
        fixed(first);
    }

    /** Arguments that the program itself knows. */
    Arguments fixed(String... known) {
        words.addAll(List.of(known));
        return this;
    }

    /** An option and a name: a release, a version, a distribution. */
    Arguments option(String option, String name) throws NotDoneException {
        return fixed(option, name(name));
    }

    /** An option and an absolute path. */
    Arguments pathOption(String option, String path) throws NotDoneException {
        return fixed(option, path(path));
    }

    /** An absolute path by itself. */
    Arguments file(String path) throws NotDoneException {
        return fixed(path(path));
    }

    /** Arguments that somebody gave by hand for the program itself. */
    Arguments further(List<String> given) throws NotDoneException {
        for (String word : given) {
            if (word.isEmpty() || !consistsOf(word, IN_PATHS)) {
                throw new NotDoneException(
                        "'" + word + "' cannot be handed to a build: only letters, digits and " + IN_PATHS);
            }
        }
        words.addAll(given);
        return this;
    }

    List<String> list() {
        return List.copyOf(words);
    }

    /** The name, if it is harmless as a word of its own: no blank, no quote, no leading dash. */
    static String name(String value) throws NotDoneException {
        if (value.isEmpty() || value.startsWith("-") || !consistsOf(value, IN_NAMES)) {
            throw new NotDoneException(
                    "'" + value + "' cannot be handed to a build: only letters, digits and " + IN_NAMES);
        }
        return value;
    }

    /** The path, if it is absolute and harmless. */
    static String path(String value) throws NotDoneException {
        if (!value.startsWith("/") || !consistsOf(value, IN_PATHS)) {
            throw new NotDoneException(
                    value + ": build scripts break on such a path; give one of letters, digits and " + IN_PATHS);
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
