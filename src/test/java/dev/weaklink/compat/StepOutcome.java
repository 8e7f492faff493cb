package dev.weaklink.compat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The outcome of one run of a tool, in a form that can be compared with the outcome of another tool.
 *
 * @param status the exit status
 * @param lines the compared lines of output, sorted, because the scripts often print in the order of a hash table
 * @param links the target of each link below a weak-updates directory, and the lines of modules.dep about the links
 */
record StepOutcome(int status, List<String> lines, TreeMap<String, String> links) {
    static StepOutcome of(int status, Stream<String> lines, Path modules) throws IOException {
        return new StepOutcome(status, lines.sorted().toList(), onDisk(modules));
    }

    /** Returns the targets of links by path, and the lines of modules.dep that name a link. */
    private static TreeMap<String, String> onDisk(Path modules) throws IOException {
        TreeMap<String, String> found = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(modules)) {
            for (Path path : paths.toList()) {
                String place = modules.relativize(path).toString();
                if (Files.isSymbolicLink(path)) {
                    found.put("link " + place, Files.readSymbolicLink(path).toString());
                } else if (place.endsWith("/modules.dep")) {
                    for (String line : Files.readAllLines(path)) {
                        found.put("dep " + place + " " + line.substring(0, line.indexOf(':')), line);
                    }
                }
            }
        }
        return found;
    }

    /** Returns whether the links are the same, ignoring modules.dep. */
    boolean sameLinks(StepOutcome other) {
        return linksOnly().equals(other.linksOnly());
    }

    private TreeMap<String, String> linksOnly() {
        return new TreeMap<>(links.subMap("link ", "link!"));
    }

    /** Returns the differences from the outcome of the real tool, one line each. */
    List<String> differencesFrom(StepOutcome real) {
        List<String> differences = new ArrayList<>();
        if (status != real.status) {
            differences.add("status: " + real.status + " there, " + status + " here");
        }
        without(real.lines, lines).forEach(line -> differences.add("said there only: " + line));
        without(lines, real.lines).forEach(line -> differences.add("said here only: " + line));
        List<String> there = entries(real);
        List<String> here = entries(this);
        without(there, here).forEach(entry -> differences.add("on disk there only: " + entry));
        without(here, there).forEach(entry -> differences.add("on disk here only: " + entry));
        return differences;
    }

    private static List<String> entries(StepOutcome outcome) {
        return outcome.links.entrySet().stream()
                .map(entry -> entry.getKey() + " -> " + entry.getValue())
                .toList();
    }

    private static List<String> without(List<String> lines, List<String> others) {
        List<String> left = new ArrayList<>(lines);
        others.forEach(left::remove);
        return left;
    }
}
