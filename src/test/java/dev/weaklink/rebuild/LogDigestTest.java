package dev.weaklink.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.LogDigest.LogText;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the line that shows the cause; whole logs are in {@code test-fixtures/cases/failure}. */
class LogDigestTest {
    private static final Job.BuildPlace PLACE =
            new Job.BuildPlace("6.1.0-55-amd64", "/usr/src/linux-headers-6.1.0-55-amd64", "/work", null);
    private static final Platform DEBIAN = new Platform("debian", List.of(), "12");

    private static Diagnosis read(Platform platform, LogText... logs) {
        return new LogDigest(PLACE, platform).read(List.of(logs), 1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
          /bin/sh: 1: ./tools/objtool/objtool: not found                    | broken-build-tree
          bash: line 1: ./scripts/basic/fixdep: No such file or directory   | broken-build-tree
          /bin/sh: scripts/mod/modpost: not found                           | broken-build-tree
          a.c:3:10: fatal error: linux/x.h: No such file or directory       | api-change
          ERROR: modpost: "rdma_x" [a.ko] undefined!                        | api-change
          make: gcc-12: No such file or directory                           | missing-compiler
          gcc: error: unrecognized command-line option '-ftrivial'          | other-compiler
          error: unknown warning option '-Wimplicit-fallthrough=5'; did you | other-compiler
          dpkg-checkbuilddeps: error: Unmet build dependencies: debhelper   | missing-package
          mkisofs command not found                                         | missing-package
          Failed to create /srv/x.iso                                       | space
          tar: write error: No space left on device                         | space
          Error! Your kernel headers for kernel 6.1.0-55-amd64 cannot be found | missing-headers
          make: *** /lib/modules/6.1/build: No such file or directory.  Stop. | missing-headers
          make[3]: *** [/k/scripts/Makefile.build:255: /b/stats.o] Terminated | killed
          Error! Invalid dkms.conf file.                                    | bad-configuration
          sign-file: /k/mok.priv: No such file or directory                 | signing
          Path to MLNX_OFED/mlnx-en directory is not defined.               | usage
          """)
    void findsTheLineWithTheCause(String line, String cause) {
        Diagnosis diagnosis = read(DEBIAN, new LogText("", List.of("before", line, "after")));
        assertThat(diagnosis.cause().id()).isEqualTo(cause);
        assertThat(diagnosis.line()).isEqualTo(line);
        assertThat(diagnosis.next()).isNotBlank();
    }
}
