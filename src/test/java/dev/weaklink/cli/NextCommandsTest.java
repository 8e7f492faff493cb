package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.ImageCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The commands that weaklink prints as next steps. Each must work as printed, and so must the commands that it prints
 * in turn.
 */
@Tag("slow")
class NextCommandsTest {
    private static final Pattern NEXT = Pattern.compile(
            "(?m)(?:(?:Next|Then): |^  |to install: +|to undo: +|take it back: |to finish it: |then run )"
                    + "weaklink ([a-z]+(?: [^;\\n]*)?)");

    /** A next step that is a command of weaklink. Other steps are for a person, such as a vendor's build. */
    private static final Pattern NAMED = Pattern.compile("Next: (.*then run )?weaklink ");

    /** The parts of messages about preconditions that a person has to meet first. */
    private static final List<String> TO_BE_GIVEN =
            List.of("--bundle", "installation image", "fix the rules first", "not installed");

    private static final int MOST = 12;

    @TempDir
    Path directory;

    static List<String> images() throws IOException {
        List<String> all = new ArrayList<>();
        for (String kind : List.of("plan", "rebuild")) {
            ImageCase.names(kind).forEach(name -> all.add(kind + "/" + name));
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("images")
    void everyPrintedCommandWorks(String name) throws IOException {
        ExternalTool.orSkip("depmod");
        Path root = Files.createDirectory(directory.resolve("image")).toRealPath();
        String[] parts = name.split("/");
        ImageCase asked = ImageCase.read(parts[0], parts[1]);
        asked.build(root);
        StringBuilder first = new StringBuilder("plan");
        asked.words("ask").forEach(kernel -> first.append(" --kernel ").append(kernel));
        Set<String> seen = new LinkedHashSet<>();
        WholeRun plan = run(first + " --root " + root);
        Deque<String> left = new ArrayDeque<>(commands(plan));
        assertThat(left.isEmpty())
                .as("%s", plan)
                .isNotEqualTo(NAMED.matcher(plan.out()).find());
        while (!left.isEmpty() && seen.size() < MOST) {
            String command = left.removeFirst();
            if (seen.add(command)) {
                WholeRun run = run(command);
                boolean isUnusable = run.status() == 2 && TO_BE_GIVEN.stream().noneMatch(run.err()::contains);
                assertThat(isUnusable).as("weaklink %s: %s", command, run.err()).isFalse();
                left.addAll(commands(run));
            }
        }
        assertThat(seen).allMatch(command -> command.contains(root.toString()));
    }

    private static List<String> commands(WholeRun run) {
        List<String> commands = new ArrayList<>();
        Matcher matcher = NEXT.matcher(run.out() + run.err());
        while (matcher.find()) {
            commands.add(matcher.group(1));
        }
        return commands;
    }

    /** Runs the command with stand-ins for programs that only print a version. */
    private WholeRun run(String command) throws IOException {
        Path bin = Files.createDirectories(directory.resolve("bin"));
        for (String program : List.of("dkms", "rpmbuild", "dpkg-buildpackage", "dh")) {
            Path file = Files.writeString(bin.resolve(program), "#!/bin/sh\necho 11\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        String path = bin + ":/usr/sbin:/usr/bin:/sbin:/bin";
        return WholeRun.with(Map.of("PATH", path), words(command).toArray(new String[0]));
    }

    /** Splits a command into words like a shell. */
    private static List<String> words(String command) {
        List<String> words = new ArrayList<>();
        Matcher matcher = Pattern.compile("(?:'[^']*'|\\\\'|[^' ])+").matcher(command);
        while (matcher.find()) {
            words.add(matcher.group().replace("'\\''", "\0").replace("'", "").replace('\0', '\''));
        }
        return words;
    }
}
