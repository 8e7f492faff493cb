package dev.weaklink.realkernel;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Runs {@code weaklink check … --format ndjson} against one installed kernel. */
final class Check {
    /** The exit codes of a check with verdicts: compatible, incompatible, undetermined. */
    private static final List<Integer> VERDICT_CODES = List.of(0, 1, 3);

    private Check() {}

    /** Checks each module separately. */
    static List<VerdictLine> alone(Kernel target, Collection<Path> modules) {
        return check(target, modules, List.of("--alone"));
    }

    /** Checks each module separately, for a machine with this signature policy. */
    static List<VerdictLine> under(String policy, Kernel target, Collection<Path> modules) {
        return check(target, modules, List.of("--alone", "--signature-policy", policy));
    }

    /** Checks all modules as if they were installed together. */
    static List<VerdictLine> together(Kernel target, Collection<Path> modules) {
        return check(target, modules, List.of());
    }

    /** Checks all modules as if they were installed together, against only the headers of a kernel. */
    static List<VerdictLine> withHeaders(String headers, Collection<Path> modules) {
        return check(modules, List.of("--kernel", headers));
    }

    private static List<VerdictLine> check(Kernel target, Collection<Path> modules, List<String> options) {
        List<String> all = new ArrayList<>(List.of("--root", target.root().toString(), "--kernel", target.release()));
        all.addAll(options);
        return check(modules, all);
    }

    private static List<VerdictLine> check(Collection<Path> modules, List<String> options) {
        List<String> arguments = new ArrayList<>(List.of("check", "--format", "ndjson"));
        arguments.addAll(options);
        modules.forEach(module -> arguments.add(module.toString()));
        WeaklinkRunner.Run run = WeaklinkRunner.run(arguments);
        if (!VERDICT_CODES.contains(run.exitCode())) {
            throw new AssertionError(
                    "weaklink %s: exit code %d%n%s".formatted(arguments, run.exitCode(), run.stderr()));
        }
        List<String> lines = run.stdout();
        if (lines.size() < 2
                || !isOf(lines.get(0), "weaklink.target/1")
                || !isOf(lines.get(lines.size() - 1), "weaklink.summary/1")) {
            throw new AssertionError("not a target, verdicts and a summary: " + lines);
        }
        return lines.subList(1, lines.size() - 1).stream()
                .map(VerdictLine::parse)
                .toList();
    }

    private static boolean isOf(String line, String schema) {
        return line.startsWith("{\"schema\":\"" + schema + "\"");
    }
}
