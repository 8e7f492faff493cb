package dev.weaklink.cli;

import dev.weaklink.build.EvidenceReader;
import dev.weaklink.check.result.InputProblem;
import dev.weaklink.manage.PlanRequest;
import dev.weaklink.manage.PlanResult;
import dev.weaklink.rebuild.RebuildGroup;
import dev.weaklink.rebuild.RebuildGroups;
import dev.weaklink.report.Format;
import dev.weaklink.report.ModuleForms;
import dev.weaklink.report.ModuleResults;
import dev.weaklink.report.PlanJson;
import dev.weaklink.report.PlanTable;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.ShellWord;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** What {@code plan} and {@code apply} have in common. */
final class PlanOptions {
  private static final String KERNEL = "--kernel";
  private static final String UNITS = "--units";
  private static final String VERBOSE = "--verbose";
  static final String OVERRIDE = "--depmod-override";
  private static final String QUIET = "--quiet";

  private PlanOptions() {}

  static void addKernel(CommandSpec spec) {
    spec.addOption(
        Options.values(
            "K",
            List.of(),
            "The release of an installed kernel. Can be given several times. Default: every kernel"
                + " installed in the root.",
            KERNEL));
  }

  static void addTo(CommandSpec spec, List<Format> formats) {
    addKernel(spec);
    Options.addRoot(spec);
    TrustOptions.addTo(spec);
    spec.addOption(OutputForm.option(formats));
    spec.addOption(
        Options.flag(
            "One line for each product and kernel: OK, LINKED, CAN BE LINKED, LINKED, NOT USED,"
                + " NOT USED, NO BUILD, REBUILD NEEDED or UNDETERMINED.",
            UNITS));
    Options.addColor(spec);
    spec.addOption(Options.flag("Leave nothing out of the table.", "-v", VERBOSE));
    spec.addOption(Options.flag("Print no result; the exit status is the answer.", "-q", QUIET));
    Options.addJobs(spec);
    Options.addNoCache(spec);
    Options.addCommon(spec);
  }

  static PlanRequest request(ParseResult parsed, Console console) {
    return new PlanRequest(
        Options.root(parsed),
        Options.texts(parsed, KERNEL),
        TrustOptions.policy(parsed),
        TrustOptions.certificates(parsed),
        Options.reading(parsed, console),
        parsed.hasMatchedOption(OVERRIDE));
  }

  /**
   * Prints the problems and, unless it is not wanted, the plan.
   *
   * @param status the exit status, unless the plan could not be written
   * @return the exit status
   */
  static int write(PlanResult result, ParseResult parsed, Console console, int status)
      throws IOException {
    OutputForm form = OutputForm.of(parsed);
    TableOptions options = form.table(parsed, console, Options.isSet(parsed, VERBOSE));
    for (InputProblem problem : result.problems()) {
      console.message(problem.subject() + ": " + problem.message());
    }
    return Options.isSet(parsed, QUIET)
        ? status
        : form.write(out -> write(result, form.format(), options, parsed, out), console, status);
  }

  private static void write(
      PlanResult result, Format format, TableOptions options, ParseResult parsed, OutputStream out)
      throws IOException {
    switch (format) {
      case TABLE -> writeTable(result, options, parsed, out);
      case JSON -> PlanJson.write(result.plan(), rebuilds(result), result.problems(), out);
      default ->
          ModuleForms.write(
              format, ModuleResults.of(result.plan(), result.problems(), result.exitCode()), out);
    }
  }

  private static void writeTable(
      PlanResult result, TableOptions options, ParseResult parsed, OutputStream out)
      throws IOException {
    if (result.linkless() || result.plan().kernels().isEmpty()) {
      return;
    }
    PlanTable table = new PlanTable(options);
    String text =
        Options.isSet(parsed, UNITS)
            ? table.renderUnits(result.plan())
            : table.render(
                result.plan(),
                rebuilds(result),
                rootWords(Options.root(parsed)),
                words(parsed),
                result.problems().isEmpty());
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** How the modules were made is looked at only if one must be made anew. */
  private static List<RebuildGroup> rebuilds(PlanResult result) {
    return RebuildGroups.isNeeded(result.plan())
        ? RebuildGroups.of(result.plan(), EvidenceReader.read(result.root(), null))
        : List.of();
  }

  /** The words that made this run, for the history. */
  static String title(String command, ParseResult parsed) {
    boolean overrides = parsed.hasMatchedOption(OVERRIDE);
    return "weaklink " + command + (overrides ? " " + OVERRIDE : "") + words(parsed);
  }

  /** The options that decide what is planned, as they could be typed into a shell. */
  private static String words(ParseResult parsed) {
    StringBuilder words = new StringBuilder();
    for (String kernel : Options.texts(parsed, KERNEL)) {
      words.append(" --kernel ").append(ShellWord.of(kernel));
    }
    return words + TrustOptions.words(parsed) + rootWords(Options.root(parsed));
  }

  /** What a command line that is shown needs to be about the same root; empty for the machine's. */
  static String rootWords(@Nullable Path root) {
    return root == null ? "" : " --root " + ShellWord.of(root.toString());
  }

  /** Whether the result is one line for each product. */
  static boolean isByUnit(ParseResult parsed) {
    return Options.isSet(parsed, UNITS);
  }

  /** Whether people read the result. */
  static boolean isForPeople(ParseResult parsed) {
    return !Options.isSet(parsed, QUIET) && OutputForm.of(parsed).format() == Format.TABLE;
  }

  static Map<String, String> exitCodes(String done) {
    Map<String, String> codes = new LinkedHashMap<>();
    codes.put("0", done);
    codes.put("1", "something is left to be done: a link to be made, a module to be rebuilt");
    codes.put("2", "wrong usage, or no kernel could be looked at");
    codes.put("3", "nothing is to be done, but something could not be determined or read");
    return codes;
  }
}
