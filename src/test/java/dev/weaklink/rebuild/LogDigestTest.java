package dev.weaklink.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The one line that says why, and what to do, whoever wrote the log. */
class LogDigestTest {
  private static final Job.Place PLACE =
      new Job.Place("6.1.0-55-amd64", "/usr/src/linux-headers-6.1.0-55-amd64", "/work", null);
  private static final Platform DEBIAN = new Platform("debian", List.of(), "12");
  private static final Platform RHEL = new Platform("rhel", List.of(), "9.4");

  private static Diagnosis read(Platform platform, LogText... logs) {
    return new LogDigest(PLACE, platform).read(List.of(logs), 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          /bin/sh: 1: ./tools/objtool/objtool: not found                    | broken-build-tree
          bash: line 1: ./scripts/basic/fixdep: No such file or directory   | broken-build-tree
          /bin/sh: scripts/mod/modpost: not found                           | broken-build-tree
          a.c:3:10: fatal error: linux/x.h: No such file or directory       | api-change
          ERROR: modpost: "rdma_x" [a.ko] undefined!                        | api-change
          make: gcc-12: No such file or directory                           | missing-compiler
          gcc: error: unrecognized command-line option '-ftrivial'          | missing-compiler
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
  void oneLineTellsTheCause(String line, String cause) {
    Diagnosis diagnosis = read(DEBIAN, new LogText("", List.of("before", line, "after")));
    assertThat(diagnosis.cause().id()).isEqualTo(cause);
    assertThat(diagnosis.line()).isEqualTo(line);
    assertThat(diagnosis.next()).isNotBlank();
  }

  @Test
  void aBrokenBuildTreeIsInstalledAnewAsEachDistributionDoes() {
    LogText log = new LogText("", List.of("sh: tools/objtool/objtool: not found"));
    assertThat(read(DEBIAN, log).next())
        .endsWith("apt-get install --reinstall linux-headers-6.1.0-55-amd64");
    assertThat(read(RHEL, log).next()).endsWith("dnf reinstall kernel-devel-6.1.0-55-amd64");
    assertThat(read(new Platform("sles", List.of("suse"), "15.5"), log).next())
        .contains("zypper install --force kernel-amd64-devel=6.1.0-55");
    assertThat(read(Platform.UNKNOWN, log).next())
        .endsWith("reinstall it: the headers of 6.1.0-55-amd64");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      textBlock =
          """
          Unmet build dependencies: build-essential:native ! build-essential
          unmet build dependencies: debhelper-compat (= 13) libelf-dev ! debhelper libelf-dev
          Unmet build dependencies: a1 (>= 2) | b1 (>= 3) | c1 d1 ! a1 d1
          """)
  void whatDebianMissesIsNamedByPackage(String line, String packages) {
    LogText log = new LogText("", List.of("dpkg-checkbuilddeps: error: " + line));
    assertThat(read(DEBIAN, log).next()).isEqualTo("apt-get install " + packages);
  }

  @Test
  void whatIsNoNameOfAPackageIsNotProposedToBeTyped() {
    LogText log = new LogText("", List.of("Unmet build dependencies: $(reboot) -y"));
    assertThat(read(DEBIAN, log).next()).isEqualTo("install what is missing");
  }

  @Test
  void theDeepestLogThatSaysAnythingDecides() {
    Diagnosis diagnosis =
        read(
            DEBIAN,
            new LogText("", List.of("ERROR: Failed executing \"x\"", "ERROR: See /a")),
            new LogText("/a", List.of("Failed to build wl 1 RPM", "See /b")),
            new LogText("/b", List.of("make[1]: *** [x.o] Error 2")));
    assertThat(diagnosis.file()).isEqualTo("/b");
    assertThat(diagnosis.line()).isEqualTo("make[1]: *** [x.o] Error 2");
  }

  @Test
  void whereNoLineTellsAnythingTheLastWordsAreShown() {
    Diagnosis diagnosis =
        read(DEBIAN, new LogText("", List.of("hello")), new LogText("/a", List.of("bye", " ")));
    assertThat(diagnosis.cause()).isEqualTo(Cause.UNKNOWN);
    assertThat(diagnosis.line()).isEqualTo("bye");
    assertThat(diagnosis.file()).isEqualTo("/a");
    assertThat(diagnosis.next())
        .isEqualTo("exit status 1, and no log says why; look at the end of the log");
  }
}
