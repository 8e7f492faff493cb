package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import java.io.IOException;
import picocli.CommandLine.ParseResult;

/** {@code weaklink version}: the same as {@code --version}. */
final class VersionCommand implements Command {
    /**
     * The version in pom.xml; a test holds the two together. A constant, because reading it from the jar's manifest
     * costs start-up.
     */
    static final String NUMBER = "1.0.0";

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        console.print(line());
        return ExitCode.COMPATIBLE.number();
    }

    /** Version, commit if the build has said it, and Java. */
    static String line() {
        String java = System.getProperty("java.runtime.version");
        return "weaklink " + NUMBER + " (" + commit() + "Java " + java + ")\n";
    }

    /** What follows the plus sign in the jar's manifest, which a class archive has. */
    private static String commit() {
        String version = VersionCommand.class.getPackage().getImplementationVersion();
        String commit = version == null ? "" : version.substring(version.indexOf('+') + 1);
        return commit.isEmpty() || commit.equals(version) ? "" : "commit " + commit + ", ";
    }
}
