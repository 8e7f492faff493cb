package dev.weaklink.cli;

import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** A command that reads its words itself; what it declares is for manuals only. */
interface RawCommand extends Command {
  /**
   * Does what the words say.
   *
   * @param words what was typed behind the command's name
   * @return the exit status
   * @throws IOException if the result cannot be written
   */
  int run(List<String> words, Console console) throws IOException;

  /** Without what all others do. */
  @Override
  default CommandSpec spec() {
    CommandSpec spec = CommandSpec.create();
    declare(spec);
    return spec;
  }

  @Override
  default int run(ParseResult parsed, Console console) throws IOException {
    return run(parsed.originalArgs(), console);
  }
}
