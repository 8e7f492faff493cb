package dev.weaklink.cli;

import dev.weaklink.check.CauseSource;
import dev.weaklink.check.CheckRequest;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class KernelOption {
    static final String KERNEL = "--kernel";

    private KernelOption() {}

    static void addForOthers(CommandSpec spec) {
        spec.addOption(Options.values("K", KERNEL));
        Options.addStore(spec);
        LoaderOverrides.addTo(spec);
        Options.addJobs(spec);
        Options.addNoCache(spec);
    }

    static List<String> kernels(ParseResult parsed) {
        return Options.texts(parsed, KERNEL);
    }

    static CheckRequest request(ParseResult parsed, Console console, CauseSource causes) {
        return new CheckRequest(
                Options.root(parsed),
                Options.names(parsed),
                kernels(parsed),
                Options.store(parsed),
                Options.isSet(parsed, CheckCommand.ALONE),
                false,
                Options.isSet(parsed, CheckCommand.EXPLAIN),
                TrustOptions.loader(parsed),
                TrustOptions.certificates(parsed),
                ReadingOptions.of(parsed, console, causes),
                console.in());
    }
}
