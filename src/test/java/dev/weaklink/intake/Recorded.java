package dev.weaklink.intake;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What an intake found. */
final class Recorded implements NodeVisitor {
  final Map<String, NodeInventory> nodes = new LinkedHashMap<>();
  final List<String> problems = new ArrayList<>();

  static Recorded ofText(String text) {
    return ofBytes(text.getBytes(StandardCharsets.UTF_8));
  }

  static Recorded ofBytes(byte[] bytes) {
    return ofStream(new ByteArrayInputStream(bytes), Lines.MAX_LENGTH);
  }

  static Recorded ofStream(InputStream in, int maxLine) {
    Recorded recorded = new Recorded();
    new Intake(recorded, maxLine).read(Intake.STDIN, in);
    return recorded;
  }

  static Recorded ofFiles(Path... files) {
    Recorded recorded = new Recorded();
    Intake intake = new Intake(recorded);
    for (Path file : files) {
      intake.read(file.toString(), InputStream.nullInputStream());
    }
    return recorded;
  }

  @Override
  public void node(String name, NodeInventory inventory) {
    nodes.put(name, inventory);
  }

  @Override
  public void problem(IntakeProblem problem) {
    problems.add(problem.place() + ": " + problem.message());
  }
}
