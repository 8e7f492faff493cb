package dev.weaklink.standin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the scripts of the stand-in with shellcheck. */
class StandInScriptsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "make-image.sh",
                "image/mlnx_add_kernel_support.sh",
                "image/create_mlnx_ofed_installers.pl",
                "image/installer",
                "image/docs/faults.sh",
                "source/install.pl"
            })
    void passShellcheck(String script) throws IOException {
        ExternalTool shellcheck = ExternalTool.orSkip("shellcheck");
        String file = StandInImage.FIXTURE.resolve(script).toString();
        assertThat(shellcheck.run("--external-sources", file)).isEmpty();
    }
}
