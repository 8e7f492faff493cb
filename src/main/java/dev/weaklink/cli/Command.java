package dev.weaklink.cli;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** A subcommand: what it accepts, what else its manual says, and what it does. */
interface Command {
  /**
   * Says what it accepts. By calls and not by annotations, whose reflection costs start-up.
   *
   * @param spec a new one without a name
   */
  void declare(CommandSpec spec);

  /** What it accepts, and what all commands do. */
  default CommandSpec spec() {
    CommandSpec spec = CommandSpec.create();
    declare(spec);
    Options.addCommon(spec);
    return spec;
  }

  /** What its manual says apart from the options. */
  Manual manual();

  /** Commands of its own by name, in the order of its help; most have none. */
  default Map<String, Command> commands() {
    return Map.of();
  }

  /**
   * Does it.
   *
   * @param parsed what was typed, valid for {@link #spec()}
   * @return the exit status
   * @throws UsageException if what was typed makes no sense after all
   * @throws IOException if the result cannot be written
   */
  int run(ParseResult parsed, Console console, Services services) throws IOException;

  /**
   * The parts of a manual that are no options; shown below the options in help texts and as
   * sections of their own in manual pages.
   *
   * @param examples command lines and what they do
   * @param files paths and what they are
   * @param environment variables and what they do
   */
  record Manual(List<Entry> examples, List<Entry> files, List<Entry> environment) {
    /** Nothing to add. */
    static final Manual NONE = new Manual();

    /** Examples only. */
    Manual(Entry... examples) {
      this(List.of(examples), List.of(), List.of());
    }

    Manual files(Entry... paths) {
      return new Manual(examples, List.of(paths), environment);
    }

    Manual environment(Entry... variables) {
      return new Manual(examples, files, List.of(variables));
    }
  }

  /** A term and its explanation. */
  record Entry(String term, String text) {}
}
