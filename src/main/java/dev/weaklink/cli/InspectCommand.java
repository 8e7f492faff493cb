package dev.weaklink.cli;

import dev.weaklink.check.ModuleInspector;
import dev.weaklink.check.SingleModule;
import dev.weaklink.check.report.DefectWords;
import dev.weaklink.check.report.ModuleJson;
import dev.weaklink.check.report.ModuleTable;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.KernelModule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink inspect}: everything the loader would look at in a module. */
final class InspectCommand implements Command {
  private final ModuleInspector inspector;

  InspectCommand() {
    this(new SingleModule());
  }

  InspectCommand(ModuleInspector inspector) {
    this.inspector = inspector;
  }

  private static final String ADVICE =
      "; give a kernel module (.ko), or get this one again from where it came";

  @Override
  public void declare(CommandSpec spec) {
    spec.addPositional(Options.operands("0..*", "1..*", "MODULE", List.of()));
    Options.addRoot(spec);
    spec.addOption(TableOrJson.option());
    Options.addColor(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    boolean json = TableOrJson.isJson(parsed);
    ModuleTable table = new ModuleTable(ColorChoice.table(parsed, console, true));
    Path root = Options.root(parsed);
    ExitCode code = ExitCode.COMPATIBLE;
    for (String argument : parsed.matchedPositionalValue(0, List.<String>of())) {
      ModuleInspector.Inspected inspected = read(root, argument, console);
      if (inspected == null) {
        code = ExitCode.UNUSABLE;
        continue;
      }
      String reason = whyNoModule(inspected.module());
      if (reason != null) {
        code = ExitCode.UNUSABLE;
        console.message(argument + ": " + reason + ADVICE);
      }
      if (json) {
        ModuleJson.write(inspected.module(), inspected.names(), console.out());
      } else if (reason == null) {
        console.print(table.render(inspected.module(), inspected.names()));
      }
    }
    return code.number();
  }

  /** Null for an ELF file, whatever else is wrong with it. */
  private static @Nullable String whyNoModule(KernelModule module) {
    if (module.defects().isEmpty()) {
      return null;
    }
    ElfDefect first = module.defects().get(0);
    return first.kind().compareTo(ElfDefect.Kind.BAD_MAGIC) > 0 ? null : DefectWords.of(first);
  }

  private ModuleInspector.@Nullable Inspected read(
      @Nullable Path root, String argument, Console console) {
    try {
      return inspector.read(root, argument);
    } catch (IOException e) {
      console.message(String.valueOf(e.getMessage()));
      return null;
    }
  }
}
