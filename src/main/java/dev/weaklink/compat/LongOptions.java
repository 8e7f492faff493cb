package dev.weaklink.compat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A parser of arguments with the rules of getopt_long(3). Long options may be abbreviated if unambiguous, options and
 * operands may be mixed, and {@code --} ends the options.
 */
final class LongOptions {
    private enum Argument {
        NONE,
        /** An argument that is only accepted as {@code --option=VALUE}. */
        OPTIONAL,
        REQUIRED
    }

    /**
     * An option among the arguments, by its full name without dashes.
     *
     * @param value the option's argument, null if it has none
     */
    record Given(String name, @Nullable String value) {}

    /**
     * The parsed arguments.
     *
     * @param error the first error, null if the arguments are valid
     */
    record Parsed(
            List<Given> options,
            List<String> operands,
            @Nullable String error) {}

    private final Map<String, Argument> options = new LinkedHashMap<>();
    private final Map<Character, String> letters;

    /**
     * Defines the accepted options.
     *
     * @param letters one-letter options without arguments, each with the long option that it abbreviates
     * @param names long options without dashes, in the order in which messages list them. As in getopt(3), a trailing
     *     colon means a required argument, two colons an optional one
     */
    LongOptions(Map<Character, String> letters, String... names) {
        this.letters = letters;
        for (String name : names) {
            Argument argument =
                    name.endsWith("::") ? Argument.OPTIONAL : name.endsWith(":") ? Argument.REQUIRED : Argument.NONE;
            options.put(name.replace(":", ""), argument);
        }
    }

    Parsed parse(List<String> words) {
        List<Given> given = new ArrayList<>();
        List<String> operands = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("--")) {
                operands.addAll(words.subList(i + 1, words.size()));
                break;
            }
            String error = null;
            if (word.startsWith("--")) {
                String next = i + 1 < words.size() ? words.get(i + 1) : null;
                error = longOption(word.substring(2), next, given);
                i += error == null && tookNext(word, given) ? 1 : 0;
            } else if (word.startsWith("-") && word.length() > 1) {
                error = shortOptions(word, given);
            } else {
                operands.add(word);
            }
            if (error != null) {
                return new Parsed(given, operands, error);
            }
        }
        return new Parsed(given, operands, null);
    }

    private boolean tookNext(String word, List<Given> given) {
        String name = given.get(given.size() - 1).name();
        return word.indexOf('=') < 0 && options.get(name) == Argument.REQUIRED;
    }

    private @Nullable String longOption(String typed, @Nullable String next, List<Given> given) {
        int equals = typed.indexOf('=');
        String prefix = equals < 0 ? typed : typed.substring(0, equals);
        String value = equals < 0 ? null : typed.substring(equals + 1);
        List<String> matches = matches(prefix);
        if (matches.isEmpty()) {
            return "unrecognized option '--" + prefix + "'";
        }
        if (matches.size() > 1) {
            return "option '--" + prefix + "' is ambiguous; possibilities: " + quoted(matches);
        }
        String name = matches.get(0);
        Argument argument = options.get(name);
        if (argument == Argument.NONE && value != null) {
            return "option '--" + name + "' doesn't allow an argument";
        }
        if (argument == Argument.REQUIRED && value == null) {
            if (next == null) {
                return "option '--" + name + "' requires an argument";
            }
            value = next;
        }
        given.add(new Given(name, value));
        return null;
    }

    private List<String> matches(String prefix) {
        List<String> matches = new ArrayList<>();
        for (String name : options.keySet()) {
            if (name.equals(prefix)) {
                return List.of(name);
            }
            if (name.startsWith(prefix)) {
                matches.add(name);
            }
        }
        return matches;
    }

    private static String quoted(List<String> names) {
        return "'--" + String.join("' '--", names) + "'";
    }

    private @Nullable String shortOptions(String word, List<Given> given) {
        for (int i = 1; i < word.length(); i++) {
            String name = letters.get(word.charAt(i));
            if (name == null) {
                return "invalid option -- '" + word.charAt(i) + "'";
            }
            given.add(new Given(name, null));
        }
        return null;
    }
}
