package dev.weaklink.cli;

import dev.weaklink.manage.LinkManager;
import dev.weaklink.manage.PlanRequest;
import dev.weaklink.manage.PlanResult;
import java.io.IOException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink plan}: what should happen with the out-of-tree modules on every kernel. */
final class PlanCommand implements Command {
  @Override
  public void declare(CommandSpec spec) {
    spec.usageMessage()
        .header("Show which weak-updates links to make, and what must be rebuilt.")
        .description(
            "Looks at every out-of-tree module of the root, in whichever kernel's extra or updates"
                + " directory it lies, and says for each installed kernel what should happen: keep,"
                + " link, replace, unlink, rebuild, or blocked, and why.",
            "A module is linked only if the kernel's loader would accept it with the other links in"
                + " place, and if no module of the kernel that loads now would stop loading. Of"
                + " several builds the one for the newest kernel that is not newer is taken.",
            "Nothing is changed.")
        .exitCodeList(PlanOptions.exitCodes("there is nothing to do"));
    PlanOptions.addTo(spec, OutputForm.OF_MODULES);
    OutputFile.addTo(spec);
  }

  @Override
  public Manual manual() {
    return new Manual(
            new Entry("weaklink plan", "Every installed kernel."),
            new Entry(
                "weaklink plan --kernel 5.14.0-570.el9.x86_64 --units",
                "One line for each product on that kernel."))
        .files(
            new Entry("/lib/modules/RELEASE/extra, updates", "Where modules are looked for."),
            new Entry("/lib/modules/RELEASE/weak-updates", "Where links are made."),
            new Entry("/etc/depmod.d", "Whether depmod would choose a link that is made."),
            Options.CACHE_PLACE)
        .environment(Options.CACHE_VARIABLE);
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    PlanRequest request = PlanOptions.request(parsed, console);
    PlanResult result = new LinkManager().plan(request);
    int status = PlanOptions.write(result, parsed, console, result.exitCode().number());
    request.reading().cache().save();
    return status;
  }
}
