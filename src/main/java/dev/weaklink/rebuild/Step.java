package dev.weaklink.rebuild;

import dev.weaklink.sys.ShellWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A program to run.
 *
 * @param title the purpose, for people
 * @param words the program and its arguments
 * @param environment the environment variables to set in addition to those of the build
 * @param directory the absolute path of the directory in which the program starts; null for the build's work directory
 * @param subject the package that the step builds separately, so that a failure does not stop the other packages; empty
 *     if a failure of the step ends the build
 * @param needs the packages that this step needs: the subjects of earlier steps, or the names of packages that DKMS
 *     does not have
 * @param instead the step to run if this one fails; null if there is none
 */
public record Step(
        String title,
        List<String> words,
        Map<String, String> environment,
        @Nullable String directory,
        String subject,
        List<String> needs,
        @Nullable Step instead) {
    public Step {
        words = List.copyOf(words);
        environment = new TreeMap<>(environment);
        needs = List.copyOf(needs);
    }

    public Step(String title, List<String> words, Map<String, String> environment, @Nullable String directory) {
        this(title, words, environment, directory, "", List.of(), null);
    }

    static Step of(String title, Arguments words) {
        return new Step(title, words.list(), Map.of(), null);
    }

    public Step through(List<String> first) {
        List<String> all = new ArrayList<>(first);
        all.addAll(words);
        return new Step(title, all, environment, directory, subject, needs, instead);
    }

    Step building(String label, List<String> before) {
        return new Step(title, words, environment, directory, label, before, instead);
    }

    /** Returns a step with further arguments. If the new step fails, this step runs instead. */
    public Step trying(String otherTitle, List<String> further) {
        List<String> all = new ArrayList<>(words);
        all.addAll(further);
        return new Step(otherTitle, all, environment, directory, subject, needs, this);
    }

    public Step withoutAlternative() {
        return new Step(title, words, environment, directory, subject, needs, null);
    }

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
