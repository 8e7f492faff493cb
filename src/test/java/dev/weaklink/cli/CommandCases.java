package dev.weaklink.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.report.Schemas;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.ImageCase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The output of whole commands and their changes to images, which the cases define as text. */
abstract class CommandCases {
    static final String ROOT = "ROOT";
    private static final String BUNDLE = "BUNDLE";
    private static final int LENGTH = 90;
    private static final List<String> WITHOUT_ROOT = List.of("completion", "help", "version");
    static final String TIME = "20[0-9]{2}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+Z?)?";

    final StringBuilder text = new StringBuilder();
    final Map<String, String> environment = new HashMap<>();

    /**
     * Returns a directory whose path has always the same length, so that lines break and columns begin at the same
     * positions.
     */
    static Path place(Path directory) throws IOException {
        String padding = "-".repeat(Math.max(1, LENGTH - directory.toString().length()));
        return Files.createDirectory(directory.resolve(padding));
    }

    void play(ImageCase asked, Path root, @Nullable RebuildPlace place) throws IOException {
        for (String needed : asked.words("needs")) {
            if (needed.equals("root")) {
                assumeThat(System.getProperty("user.name")).isEqualTo("root");
            } else {
                ExternalTool.orSkip(needed);
            }
        }
        asked.build(root, entry -> {
            try {
                switch (entry.words().get(0)) {
                    case "run" -> run(entry, root, place, asked.nodes());
                    case "show" -> entry.rest().forEach(path -> show(root, path));
                    case "fault" -> environment.put("STANDIN_FAULT", String.join("", entry.rest()));
                    case "set" ->
                        environment.put(
                                entry.words().get(1), entry.words().get(2).replace(ROOT, root.toString()));
                    case "ready" -> ready(entry.rest(), root, place);
                    default -> {}
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Moves modules of the image to the directory from which the stand-in for a build system copies its results. */
    private static void ready(List<String> files, Path root, @Nullable RebuildPlace place) throws IOException {
        for (String file : files) {
            Path module = root.resolve(file);
            Files.move(
                    module,
                    requireNonNull(place).ready().resolve(module.getFileName()),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /**
     * Appends the output, with errors marked, and the exit status. Of a JSON document, appends only the selected
     * values.
     */
    private void run(ImageCase.Entry entry, Path root, @Nullable RebuildPlace place, String nodes) throws IOException {
        List<String> words = new ArrayList<>(entry.rest());
        words.replaceAll(word -> word.replace(ROOT, root.toString()));
        if (place != null) {
            words.replaceAll(word -> word.replace(BUNDLE, place.bundle().toString()));
        }
        boolean dialect = !words.isEmpty() && CommandTree.isRaw(words.get(0));
        if (!words.isEmpty() && !WITHOUT_ROOT.contains(words.get(0))) {
            String option = dialect ? "--basedir" : "--root";
            words.addAll(words.get(0).equals("store") ? 2 : 1, List.of(option, root.toString()));
        }
        String said = dialect ? String.join("\n", entry.lines()).replace(ROOT, "" + root) : nodes;
        byte[] input = said.getBytes(StandardCharsets.UTF_8);
        WholeRun run = WholeRun.reading(input, environment, words.toArray(new String[0]));
        text.append(("$ weaklink " + String.join(" ", entry.rest())).strip() + "\n");
        text.append(run.out().startsWith("{") ? fields(run.out(), entry.lines()) : run.out());
        run.err().lines().forEach(line -> text.append("2> ").append(line).append('\n'));
        text.append("exit status ").append(run.status()).append("\n\n");
    }

    private static String fields(String json, List<String> pointers) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        StringBuilder text = new StringBuilder();
        for (String document : json.split("\n")) {
            assertThat(Schemas.problems(document)).isEmpty();
            JsonNode node = mapper.readTree(document);
            for (String pointer : pointers) {
                text.append(pointer).append(": ").append(node.at(pointer)).append('\n');
            }
            text.append(pointers.isEmpty() ? document + "\n" : "");
        }
        return text.toString();
    }

    /** Appends the target of a link, or the contents of a file or directory. */
    private void show(Path root, String place) {
        Path path = root.resolve(place);
        text.append("/" + place);
        try {
            if (Files.isSymbolicLink(path)) {
                text.append(" -> " + Files.readSymbolicLink(path) + "\n\n");
            } else if (Files.isDirectory(path)) {
                try (var files = Files.list(path)) {
                    List<String> names =
                            files.map(file -> "" + file.getFileName()).sorted().toList();
                    text.append(": " + String.join(", ", names) + "\n\n");
                }
            } else if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                text.append(":\n" + Files.readString(path).indent(2) + "\n");
            } else {
                text.append(": does not exist\n\n");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
