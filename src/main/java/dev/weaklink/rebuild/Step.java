package dev.weaklink.rebuild;

import dev.weaklink.sys.ShellWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One program that is run.
 *
 * @param title what it does, for people
 * @param words the program and its arguments, as they are handed over
 * @param environment variables it gets in addition to those of this process
 * @param directory absolute path of where it starts; null means the work directory
 * @param subject the package it builds by itself, so that others are built even if it fails; empty if what follows
 *     needs it
 * @param needs what has to be built before: subjects of other steps, or names of what is missing
 */
public record Step(
        String title,
        List<String> words,
        Map<String, String> environment,
        @Nullable String directory,
        String subject,
        List<String> needs) {
    public Step {
        words = List.copyOf(words);
        environment = new TreeMap<>(environment);
        needs = List.copyOf(needs);
    }

    /** One that what follows needs. */
    public Step(String title, List<String> words, Map<String, String> environment, @Nullable String directory) {
        this(title, words, environment, directory, "", List.of());
    }

    static Step of(String title, Arguments words) {
        return new Step(title, words.list(), Map.of(), null);
    }

    /** The same, run by another program that is given these words first. */
    public Step through(List<String> first) {
        List<String> all = new ArrayList<>(first);
        all.addAll(words);
        return new Step(title, all, environment, directory, subject, needs);
    }

    /** The same, which builds a package by itself. */
    Step building(String label, List<String> before) {
        return new Step(title, words, environment, directory, label, before);
    }

    /** What one would type into a POSIX shell to the same effect. */
    public String commandLine() {
        StringBuilder line = new StringBuilder();
        if (directory != null) {
            line.append("cd ").append(ShellWord.of(directory)).append(" && ");
        }
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            line.append(variable.getKey())
                    .append('=')
                    .append(ShellWord.of(variable.getValue()))
                    .append(' ');
        }
        for (int i = 0; i < words.size(); i++) {
            line.append(i == 0 ? "" : " ").append(ShellWord.of(words.get(i)));
        }
        return line.toString();
    }
}
