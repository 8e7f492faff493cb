package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What whole commands say and leave behind on the images in {@code test-fixtures/cases/command}.
 */
class CommandCasesTest {
  private static final String ROOT = "ROOT";
  private static final int LENGTH = 90;
  private static final List<String> WITHOUT_ROOT = List.of("completion", "help", "version");
  private static final String TIME = "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z?";

  static List<String> commands() throws IOException {
    return ImageCase.names("command");
  }

  @ParameterizedTest
  @MethodSource("commands")
  void command(String name, @TempDir Path directory) throws IOException {
    Path root = Files.createDirectories(directory.resolve(padding(directory)).resolve("image"));
    ImageCase asked = ImageCase.read("command", name);
    for (String program : asked.words("needs")) {
      ExternalTool.orSkip(program);
    }
    StringBuilder text = new StringBuilder();
    asked.build(
        root,
        entry -> {
          try {
            switch (entry.words().get(0)) {
              case "run" -> text.append(run(entry, root, asked.nodes()));
              case "show" -> entry.rest().forEach(path -> text.append(show(root, path)));
              default -> {}
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    String answered = text.toString().replace(root.toString(), ROOT).replaceAll(TIME, "TIME");
    assertThat(answered).isEqualTo(asked.expected(answered));
  }

  /** Lines break and columns begin at the same places wherever temporary files are. */
  private static String padding(Path directory) {
    return "-".repeat(Math.max(1, LENGTH - directory.toString().length()));
  }

  /** What was printed, errors marked, and the exit status; of a document what is pointed at. */
  private static String run(ImageCase.Entry entry, Path root, String nodes) throws IOException {
    List<String> words = new ArrayList<>(entry.rest());
    words.replaceAll(word -> word.replace(ROOT, root.toString()));
    if (!WITHOUT_ROOT.contains(words.get(0))) {
      words.addAll(words.get(0).equals("store") ? 2 : 1, List.of("--root", root.toString()));
    }
    byte[] input = nodes.getBytes(StandardCharsets.UTF_8);
    WholeRun run = WholeRun.reading(input, words.toArray(new String[0]));
    StringBuilder text = new StringBuilder("$ weaklink " + String.join(" ", entry.rest()) + "\n");
    text.append(run.out().startsWith("{") ? fields(run.out(), entry.lines()) : run.out());
    run.err().lines().forEach(line -> text.append("2> ").append(line).append('\n'));
    return text.append("exit status ").append(run.status()).append("\n\n").toString();
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

  /** What a link says, what a file or a directory holds. */
  private static String show(Path root, String place) {
    Path path = root.resolve(place);
    try {
      String text = "/" + place;
      if (Files.isSymbolicLink(path)) {
        text += " -> " + Files.readSymbolicLink(path) + "\n";
      } else if (Files.isDirectory(path)) {
        try (var names = Files.list(path)) {
          text +=
              ": "
                  + String.join(
                      ", ", names.map(Path::getFileName).map(Path::toString).sorted().toList())
                  + "\n";
        }
      } else if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        text += ":\n" + Files.readString(path).indent(2);
      } else {
        text += ": does not exist\n";
      }
      return text + "\n";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
