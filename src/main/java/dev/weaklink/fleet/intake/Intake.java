package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.intake.InputFiles.InputFile;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.codec.Streams;
import dev.weaklink.sys.IoReason;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Reads what nodes reported, from files, directories and standard input, packed or not. */
public final class Intake {
  /** Means standard input, as an argument. */
  public static final String STDIN = "-";

  private static final String STDIN_NAME = "standard input";
  private static final int BUFFER_SIZE = 64 << 10;
  private static final int MAGIC_LENGTH = 6;

  /** How far to look for the end of the first line; a document's has one character. */
  private static final int PEEK = 512;

  private final Receiver receiver;
  private final int maxLine;

  /** {@code expected}: nodes that should answer, empty if that is not known. */
  public Intake(NodeVisitor visitor, Set<String> expected) {
    this(visitor, expected, Lines.MAX_LENGTH);
  }

  Intake(NodeVisitor visitor, Set<String> expected, int maxLine) {
    this.receiver = new Receiver(visitor, expected);
    this.maxLine = maxLine;
  }

  /** The tables of modules that came with the nodes; complete when all input is read. */
  public ModuleTables tables() {
    return receiver.tables();
  }

  /**
   * Nodes that did not answer, and why, in words that are the same for many: those that were
   * expected, and those that messages of clush, pdsh, ssh, srun, Ansible and Salt name. When all
   * input is read.
   */
  public SortedMap<String, String> silent() {
    return receiver.noAnswers().all();
  }

  /** Reads one input to its end: a file, a directory of files, or {@link #STDIN}. */
  public void read(String input, InputStream stdin) {
    receiver.begin(input);
    if (input.equals(STDIN)) {
      readStdin(stdin);
      return;
    }
    List<InputFile> files;
    try {
      files = InputFiles.of(Path.of(input), receiver);
    } catch (InvalidPathException e) {
      receiver.problem(0, "is not a path");
      return;
    }
    for (InputFile file : files) {
      receiver.begin(file.path().toString());
      readFile(file);
    }
  }

  private void readStdin(InputStream stdin) {
    receiver.begin(STDIN_NAME);
    // Not closed: it is the caller's.
    read(new BufferedInputStream(stdin, BUFFER_SIZE), null);
  }

  private void readFile(InputFile file) {
    if (!Files.isRegularFile(file.path())) {
      receiver.problem(0, Files.exists(file.path()) ? "not a regular file" : "no such file");
      return;
    }
    try (InputStream raw = Files.newInputStream(file.path())) {
      read(new BufferedInputStream(raw, BUFFER_SIZE), file.node());
    } catch (IOException e) {
      receiver.problem(0, "cannot be read: " + IoReason.of(e));
    }
  }

  private void read(BufferedInputStream raw, @Nullable String fallback) {
    try (InputStream decoded = Streams.decoded(raw, Limits.DEFAULT)) {
      boolean plain = decoded == raw;
      readText(plain ? raw : new BufferedInputStream(decoded, BUFFER_SIZE), fallback);
    } catch (IOException e) {
      receiver.problem(0, IoReason.of(e) + "; the rest is lost");
    }
  }

  private void readText(BufferedInputStream in, @Nullable String fallback) throws IOException {
    if (isDocument(in)) {
      new DocumentIntake(receiver, fallback).read(in);
    } else {
      new TextIntake(receiver, fallback).read(new Lines(in, maxLine));
      receiver.finishTexts();
    }
  }

  /** Whether the first thing in it is a brace that is alone on its line. */
  private static boolean isDocument(BufferedInputStream in) throws IOException {
    in.mark(PEEK);
    byte[] beginning = in.readNBytes(PEEK);
    in.reset();
    String text = new String(beginning, StandardCharsets.ISO_8859_1).stripLeading();
    int end = text.indexOf('\n');
    return end > 0 && text.substring(0, end).strip().equals("{");
  }
}
