package dev.weaklink.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Diagnosis.Cause;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrialFailureTest {
    private static final String WORK = "/var/lib/weaklink/trials/run-1/work";

    private static TrialFailure of(Cause cause, String line, String next) {
        return TrialFailure.of(
                new Diagnosis(cause, line, "", next),
                Duration.ofMinutes(10),
                List.of(WORK + "/dkms/acme/1.0/build/", WORK + "/", "/var/lib/weaklink/trials/run-1/headers"));
    }

    @Test
    void namesTheTimeLimit() {
        assertThat(of(Cause.TIME_LIMIT, "the build took too long and was killed", "give it more time")
                        .line())
                .isEqualTo("the build took too long and was killed (--time-limit: 10 minutes)");
    }

    @Test
    void saysThatMemoryWasRefused() {
        TrialFailure failure = of(Cause.MEMORY, "cc1: out of memory allocating 65536 bytes", "");

        assertThat(failure.line()).isEqualTo("the build was refused memory: cc1: out of memory allocating 65536 bytes");
        assertThat(failure.next()).contains("8 GiB");
    }

    @Test
    void namesAnExistingDirectoryWhenTheDiskIsFull() {
        TrialFailure failure =
                of(Cause.SPACE, "it used too much of the disk", "make room below " + WORK + ", or --work");

        assertThat(failure.next())
                .startsWith("make room below /var/lib/weaklink/trials;")
                .doesNotContain("run-1", "--work");
    }

    @Test
    void removesTheTrialsDirectoriesFromPaths() {
        TrialFailure failure = of(
                Cause.BROKEN_BUILD_TREE,
                WORK + "/dkms/acme/1.0/build/acme.c: error",
                "/var/lib/weaklink/trials/run-1/headers/usr/src/linux-headers-6.12: a program is missing");

        assertThat(failure.line()).isEqualTo("acme.c: error");
        assertThat(failure.next()).isEqualTo("/usr/src/linux-headers-6.12: a program is missing");
    }

    /** The log is removed with the trial's directory. */
    @Test
    void namesTheCommandThatPrintsTheOutputOfAnUnknownFailure() {
        assertThat(of(Cause.UNKNOWN, "make: *** [all] Error 1", "see the log").next())
                .isEqualTo("to see the whole output, repeat the trial with -v, as in: weaklink rebuild --try"
                        + " --kernel K -v");
    }

    @Test
    void namesTheCauseOfAFailureWithoutALine() {
        assertThat(of(Cause.NOT_FOR_THIS_KERNEL, "", "its source says it is not for 6.1"))
                .isEqualTo(new TrialFailure("its source says it is not for 6.1", ""));
        assertThat(of(Cause.UNKNOWN, "", "see the log").line()).isEqualTo("the build failed without a message");
    }
}
