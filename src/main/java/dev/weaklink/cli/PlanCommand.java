package dev.weaklink.cli;

import dev.weaklink.check.CauseSource;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.PlanResult;
import java.io.IOException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class PlanCommand implements Command {
    private final CauseSource causes;

    PlanCommand(CauseSource causes) {
        this.causes = causes;
    }

    @Override
    public void declare(CommandSpec spec) {
        PlanOptions.addTo(spec, OutputForm.OF_MODULES);
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        PlanRequest request = PlanOptions.request(parsed, console, causes);
        PlanResult result = new LinkManager().plan(request);
        int status =
                PlanOptions.write(result, parsed, console, result.exitCode().number());
        request.reading().cache().save();
        return status;
    }
}
