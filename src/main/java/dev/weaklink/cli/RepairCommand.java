package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.LinkChanges;
import dev.weaklink.links.LinkDefects;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.Repair;
import dev.weaklink.links.plan.CheckedLink;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.status.StatusText;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class RepairCommand implements Command {
    private static final String DRY_RUN = "--dry-run";

    private final TransactionSettings transactions;

    RepairCommand(TransactionSettings transactions) {
        this.transactions = transactions;
    }

    @Override
    public void declare(CommandSpec spec) {
        spec.addPositional(Options.operands("LINK"));
        spec.addOption(Options.flag(DRY_RUN));
        PlanOptions.addKernel(spec);
        Options.addRoot(spec);
        Options.addNoInitramfs(spec);
        TrustOptions.addTo(spec);
        Options.addJobs(spec);
        Options.addNoCache(spec);
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        List<String> named = parsed.matchedPositionalValue(0, List.<String>of());
        PlanRequest request = PlanOptions.request(parsed, console, null);
        if (!Options.isSet(parsed, DRY_RUN)) {
            return repair(request, named, parsed, console);
        }
        LinkDefects result = new LinkManager().audit(request);
        console.report(result.allProblems());
        Repair repair = Repair.of(result, named);
        write(repair, result.root(), console);
        boolean nothing = repair.removed().isEmpty() && repair.depmod().isEmpty();
        return (nothing ? result.exitCode() : ExitCode.INCOMPATIBLE).number();
    }

    private static void write(Repair repair, Root root, Console console) throws IOException {
        if (!repair.unknown().isEmpty()) {
            throw new UsageException(String.join(", ", repair.unknown())
                    + ": no such link; 'weaklink status -v"
                    + root.words()
                    + "' lists the links");
        }
        StringBuilder text = new StringBuilder();
        for (CheckedLink link : repair.removed()) {
            text.append(StatusText.removal(link));
        }
        for (String kernel : repair.depmodOnly()) {
            text.append("depmod ").append(Escape.text(kernel)).append('\n');
        }
        if (text.isEmpty()) {
            text.append(
                    switch (repair.audit().exitCode()) {
                        case COMPATIBLE -> "no link to remove, and modules.dep is up to date\n";
                        case INCOMPATIBLE ->
                            "no link removed: repair removes only links that are certainly useless; to list all links:"
                                    + " weaklink status -v"
                                    + root.words()
                                    + "; to remove one: weaklink repair LINK"
                                    + root.words()
                                    + "\n";
                        default -> "";
                    });
        }
        console.print(text.toString());
    }

    private int repair(PlanRequest request, List<String> named, ParseResult parsed, Console console)
            throws IOException {
        boolean quiet = Options.isSet(parsed, Options.QUIET);
        try {
            Repair repair = new LinkChanges(transactions)
                    .repair(
                            request,
                            named,
                            PlanOptions.title("repair", parsed),
                            !Options.isSet(parsed, Options.NO_INITRAMFS),
                            new TransactionMessages(console));
            request.reading().cache().save();
            LinkDefects audit = repair.audit();
            console.report(repair.depmod().isEmpty() ? audit.allProblems() : audit.problemsLeft());
            TransactionMessages.write(repair.recovered(), console);
            write(repair, audit.root(), console);
            console.out().flush();
            TransactionMessages.report(repair.outcome(), !quiet, Options.root(parsed), console);
            return repair.outcome().initramfsFailures().isEmpty()
                    ? repair.exitCode().number()
                    : ExitCode.BROKEN.number();
        } catch (NotDoneException e) {
            return TransactionMessages.failed(e, console).number();
        }
    }
}
