package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.NotDoneException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests the preparation only: the builds need root, see src/test/scripts/rebuild-try.sh. */
class CommandTrialsTest {
    @Test
    void refusesFilesInDirectoriesThatATrialDoesNotShare() throws IOException {
        Path image = Files.createTempFile(Path.of("/tmp"), "image", ".tgz");
        try {
            assertThatThrownBy(() -> CommandTrials.checkReadable(image))
                    .isInstanceOf(NotDoneException.class)
                    .hasMessage(image
                            + ": a trial build cannot see files in /tmp; move the file elsewhere, such as to /srv");
        } finally {
            Files.delete(image);
        }
    }

    @Test
    void refusesFilesThatOnlyTheirOwnerCanRead() throws IOException {
        Path image = Files.createTempFile(Path.of("target").toRealPath(), "image", ".tgz");
        try {
            assertThatThrownBy(() -> CommandTrials.checkReadable(image))
                    .isInstanceOf(NotDoneException.class)
                    .hasMessage(image + ": the unprivileged user of a trial build cannot read " + image + "; copy "
                            + image + " to a directory such as /srv, and let everybody read the copy: chmod -R a+rX");
        } finally {
            Files.delete(image);
        }
    }

    @Test
    void acceptsFilesThatEverybodyCanRead() {
        assertThatCode(() -> CommandTrials.checkReadable(Path.of("/usr/bin/env")))
                .doesNotThrowAnyException();
    }

    @Test
    void recommendsTheTrialOfEachBackend() {
        assertThat(CommandTrials.advice("mlnx", "6.1.0-1-amd64", ""))
                .isEqualTo("not built by DKMS; to try an installation image: weaklink rebuild --try --kernel"
                        + " 6.1.0-1-amd64 --bundle IMAGE");
        assertThat(CommandTrials.advice("command", "6.1", "acme; id"))
                .isEqualTo("not built by DKMS; to try the build command of the site's rules: weaklink rebuild --try"
                        + " --kernel 6.1 --backend command --product 'acme; id'");
        assertThat(CommandTrials.advice("", "6.1", ""))
                .isEqualTo("not built by DKMS; weaklink does not know how these modules are built");
    }
}
