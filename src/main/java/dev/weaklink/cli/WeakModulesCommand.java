package dev.weaklink.cli;

import dev.weaklink.cli.Command.RawCommand;
import dev.weaklink.compat.RedHatDialect;
import dev.weaklink.compat.SuseDialect;
import dev.weaklink.links.transaction.TransactionSettings;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code weaklink weak-modules}: declares the options for the manual page. {@code RedHatDialect} parses the arguments.
 */
final class WeakModulesCommand implements RawCommand {
    private final TransactionSettings transactions;

    WeakModulesCommand(TransactionSettings transactions) {
        this.transactions = transactions;
    }

    @Override
    public void declare(CommandSpec spec) {
        spec.addOption(Options.flag("--add-modules"));
        spec.addOption(Options.flag("--remove-modules"));
        spec.addOption(kernel("--add-kernel"));
        spec.addOption(kernel("--remove-kernel"));
        spec.addOption(Options.flag("--no-initramfs"));
        spec.addOption(Options.flag("--verbose"));
        spec.addOption(Options.flag("--dry-run"));
        spec.addOption(Options.flag("--delete-modules"));
        spec.addOption(Options.value("DIR", "--basedir"));
        spec.addOption(Options.value("PATH", "--dracut"));
        spec.addOption(Options.value("PROG", "--check-initramfs-prog"));
        spec.addOption(Options.flag("-h", Options.HELP));
    }

    private static OptionSpec kernel(String name) {
        return OptionSpec.builder(name)
                .type(String.class)
                .arity("0..1")
                .paramLabel("K")
                .build();
    }

    @Override
    public int run(List<String> words, Console console) throws IOException {
        return new RedHatDialect(console.streams(RedHatDialect.NAME), transactions).run(words);
    }

    /**
     * {@code weaklink weak-modules2}: declares the options for the manual page. {@code SuseDialect} parses the
     * arguments.
     */
    static final class WeakModules2Command implements RawCommand {
        private final TransactionSettings transactions;

        WeakModules2Command(TransactionSettings transactions) {
            this.transactions = transactions;
        }

        @Override
        public void declare(CommandSpec spec) {
            spec.addOption(action("NVR", "1", "--add-kmp"));
            spec.addOption(action("NVR", "1", "--remove-kmp"));
            spec.addOption(action("K", "0..1", "--add-kernel"));
            spec.addOption(action("K", "0..1", "--remove-kernel"));
            spec.addOption(action("K", "1", "--add-kernel-modules"));
            spec.addOption(action("K", "1", "--remove-kernel-modules"));
            spec.addOption(Options.flag("-v", "--verbose"));
            spec.addOption(Options.flag("--debug"));
            spec.addOption(Options.flag("--dry-run"));
            spec.addOption(Options.value("FILE", "--logfile"));
            spec.addOption(Options.value("DIR", "--basedir"));
            spec.addOption(Options.flag("--usage"));
            spec.addOption(Options.flag("-h", Options.HELP));
        }

        private static OptionSpec action(String label, String arity, String name) {
            return OptionSpec.builder(name)
                    .type(String.class)
                    .arity(arity)
                    .paramLabel(label)
                    .build();
        }

        @Override
        public int run(List<String> words, Console console) throws IOException {
            return new SuseDialect(console.streams(SuseDialect.NAME), console.environment(), transactions).run(words);
        }
    }
}
