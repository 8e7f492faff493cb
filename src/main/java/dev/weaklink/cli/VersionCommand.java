package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import java.io.IOException;
import picocli.CommandLine.ParseResult;

final class VersionCommand implements Command {
    /**
     * The version, which a test compares with pom.xml. A constant avoids reading the jar's manifest, which would slow
     * down start-up.
     */
    static final String NUMBER = "1.0.0";

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        console.print(line());
        return ExitCode.COMPATIBLE.number();
    }

    static String line() {
        String java = System.getProperty("java.runtime.version");
        return "weaklink " + NUMBER + " (" + commit() + "Java " + java + ")\n";
    }

    private static String commit() {
        String version = VersionCommand.class.getPackage().getImplementationVersion();
        String commit = version == null ? "" : version.substring(version.indexOf('+') + 1);
        return commit.isEmpty() || commit.equals(version) ? "" : "commit " + commit + ", ";
    }
}
