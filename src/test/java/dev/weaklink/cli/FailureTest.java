package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.Samples;
import dev.weaklink.cli.Console.ResultStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Bugs in the program, and standard outputs that cannot be written. */
class FailureTest {
    private static final class Failing extends OutputStream {
        private final String message;

        Failing(String message) {
            this.message = message;
        }

        @Override
        public void write(int b) throws IOException {
            throw new IOException(message);
        }
    }

    @Test
    void returnsTheVerdictSilentlyIfTheReaderLeaves() {
        Run run = new Run(Samples.report(Samples.compatible("a")))
                .writingTo(new ResultStream(new Failing("Broken pipe")));

        assertThat(run.with("check", "m")).isZero();

        assertThat(run.err()).isEmpty();
    }

    @Test
    void reportsAFullDiskInOneLine() {
        Run run = new Run(Samples.report(Samples.compatible("a")))
                .writingTo(new ResultStream(new Failing("No space left on device")));

        assertThat(run.with("check", "m")).isEqualTo(2);

        assertThat(run.err()).isEqualTo("weaklink: cannot write the result: No space left on device\n");
    }

    @Test
    void namesTheFileOfAnError() {
        Run run = new Run(Samples.report(Samples.compatible("a"))).writingTo(new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new FileSystemException("/srv/symvers", null, "Input/output error");
            }
        });

        assertThat(run.with("check", "m")).isEqualTo(2);

        assertThat(run.err()).isEqualTo("weaklink: /srv/symvers: Input/output error\n");
    }

    @Test
    void sendsAChangingCommandWithoutPermissionToRoot() {
        AccessDeniedException denied = new AccessDeniedException("/run/weaklink/lock");
        assertThat(failing(denied, "apply"))
                .isEqualTo("weaklink: /run/weaklink/lock: permission denied; run weaklink as root\n");
        assertThat(failing(denied, "check")).isEqualTo("weaklink: /run/weaklink/lock: permission denied\n");
    }

    private static String failing(AccessDeniedException denied, String command) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        OutputStream out = new OutputStream() {
            @Override
            public void write(int value) {}

            @Override
            public void flush() throws IOException {
                throw denied;
            }
        };
        Console console =
                new Console(InputStream.nullInputStream(), out, new PrintStream(err, true), Map.of(), new Run(null));
        Weaklink weaklink = new Weaklink(console, name -> CommandTree.command("version"));
        assertThat(weaklink.run(command)).isEqualTo(2);
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void writesUntilTheReaderCloses() throws IOException {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        ResultStream stream = new ResultStream(target);

        stream.write(new byte[] {1, 2, 3}, 1, 2);
        stream.write(4);

        assertThat(target.toByteArray()).containsExactly(2, 3, 4);
    }

    @Test
    void reportsABugInOneLineThatNamesDebug() {
        Run run = new Run(null);

        assertThat(run.with("check", "m")).isEqualTo(2);

        assertThat(run.err())
                .isEqualTo("weaklink: internal error: java.lang.IllegalStateException: no answer; run the"
                        + " command with --debug and report its output\n");
    }

    private static int failing(Error error, String command, ByteArrayOutputStream err) {
        Console console = new Console(
                InputStream.nullInputStream(),
                OutputStream.nullOutputStream(),
                new PrintStream(err, true),
                Map.of(),
                new Run(null));
        return new Weaklink(console, name -> {
                    throw error;
                })
                .run(command);
    }

    @Test
    void reportsAnErrorOfTheJvmInOneLineWithoutAVerdict() {
        for (Error error : List.of(new StackOverflowError(), new NoClassDefFoundError("x"), new OutOfMemoryError())) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            assertThat(failing(error, "check", err)).isEqualTo(2);
            assertThat(err.toString(StandardCharsets.UTF_8))
                    .startsWith("weaklink: ")
                    .hasLineCount(1);
        }
    }

    @Test
    void exitsWith5AfterAnErrorOfTheJvmInAChangingCommand() {
        for (String command : List.of("apply", "hold", "rebuild", "repair", "store", "undo")) {
            assertThat(failing(new StackOverflowError(), command, new ByteArrayOutputStream()))
                    .isEqualTo(5);
        }
    }

    @Test
    void printsAStackTraceWithDebug() {
        Run run = new Run(null);

        assertThat(run.with("check", "m", "--debug")).isEqualTo(2);

        assertThat(run.err()).contains("\tat dev.weaklink.cli.CheckCommand");
    }
}
