package dev.weaklink.cli;

import dev.weaklink.check.CheckedImage;
import dev.weaklink.check.InitramfsChecker;
import dev.weaklink.check.InitramfsChecker.Request;
import dev.weaklink.check.report.InitramfsJson;
import dev.weaklink.check.report.InitramfsTable;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.InputProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink initramfs check}: does it hold the modules that are installed? */
final class InitramfsCheckCommand implements Command {
  private static final String KERNEL = "--kernel";

  @Override
  public void declare(CommandSpec spec) {
    spec.addPositional(Options.operands("IMAGE"));
    spec.addOption(Options.value("RELEASE", KERNEL));
    Options.addRoot(spec);
    Options.addJobs(spec);
    spec.addOption(TableOrJson.option());
    Options.addColor(spec);
    Options.addVerbose(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    boolean json = TableOrJson.isJson(parsed);
    TableOptions options =
        ColorChoice.table(parsed, console, Options.isSet(parsed, Options.VERBOSE));
    Request request =
        new Request(
            Options.root(parsed),
            parsed.matchedPositionalValue(0, List.<String>of()),
            Options.text(parsed, KERNEL),
            Options.jobs(parsed));
    List<InputProblem> problems = new ArrayList<>();
    List<CheckedImage> images;
    try {
      images = new InitramfsChecker().inspect(request, problems);
    } catch (IOException e) {
      console.message(String.valueOf(e.getMessage()));
      return ExitCode.UNUSABLE.number();
    }
    console.report(problems);
    if (json) {
      for (CheckedImage image : images) {
        InitramfsJson.write(image, console.out());
      }
    } else {
      console.print(new InitramfsTable(options).render(images, problems.isEmpty()));
    }
    return exitCode(images, problems).number();
  }

  private static ExitCode exitCode(List<CheckedImage> images, List<InputProblem> problems) {
    boolean unknown = !problems.isEmpty();
    boolean renew = false;
    int read = 0;
    for (CheckedImage image : images) {
      renew |= image.isToBeRenewed();
      unknown |= image.isUnknown();
      read += image.failure() == null ? 1 : 0;
    }
    if (renew) {
      return ExitCode.INCOMPATIBLE;
    }
    if (read == 0) {
      return ExitCode.UNUSABLE;
    }
    return unknown ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
  }
}
