package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class HelpCommand implements Command {
    @Override
    public void declare(CommandSpec spec) {
        spec.addPositional(Options.operands("0..*", "0..*", "COMMAND", CommandTree.NAMES));
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        CommandLine command = CommandTree.whole();
        for (String name : Options.names(parsed)) {
            command = command.getSubcommands().get(name);
            if (command == null) {
                throw new UsageException(CommandTree.noCommand(name));
            }
        }
        HelpText.writeAll(command, console.out());
        return ExitCode.COMPATIBLE.number();
    }
}
