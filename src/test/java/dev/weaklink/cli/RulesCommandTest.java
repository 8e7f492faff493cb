package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command rules as a whole. */
class RulesCommandTest {
  private static final String SITE =
      """
      products:
        - id: acme
          title: ACME drivers
          recognise:
            packages: kmod-acme
            directories: extra/acme
          required: [acme_core, acme-net]
          provider: ["*.el9_5.*", "*.el9_4.*"]
          rebuild: {backend: dkms}
      ignore:
        - module: acme_test
          because: for tests only
        - unit: extra/acme
          kernel: "*+debug"
      pin:
        - unit: kmod-acme
          module: acme_net
          link: ask
          provider: "*.el9_5.*"
          because: see the handbook
      undetermined:
        - module: acme_*
          then: link
      symbols:
        - symbol: ib_*
          module: ib_core
          then: fail
      """;

  @TempDir private Path image;

  @BeforeEach
  void install() throws IOException {
    Files.createDirectories(image.resolve("etc/weaklink"));
    Files.writeString(image.resolve("etc/weaklink/acme.yaml"), SITE);
    for (String shipped : List.of("doca-ofed", "mlnx-en", "mlnx-ofed")) {
      Files.writeString(image.resolve("etc/weaklink/" + shipped + ".yaml"), "");
    }
    Files.writeString(
        image.resolve("etc/weaklink/generic.yaml"),
        "products:\n  - id: generic\n    title: everything else\n    link: yes\n");
  }

  private WholeRun rules(String... more) {
    List<String> words = new ArrayList<>(List.of("rules"));
    words.addAll(List.of(more));
    words.addAll(List.of("--root", image.toString()));
    return WholeRun.of(words.toArray(new String[0]));
  }

  @Test
  void everyDecisionAboutAModuleIsExplainedWithItsLine() {
    WholeRun run = rules("explain", "--package", "kmod-acme", "--module", "acme-net");

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .isEqualTo(
            """
            module acme-net, package kmod-acme
              product         acme  (/etc/weaklink/acme.yaml:5: package kmod-acme)
              ignored         no  (no rule)
              link            ask  (/etc/weaklink/acme.yaml:16) because: see the handbook
              pin             only builds for *.el9_5.*, link ask  (/etc/weaklink/acme.yaml:16) because: see the handbook
              undetermined    link  (/etc/weaklink/acme.yaml:22)
              provider        only *.el9_5.* or *.el9_4.*  (/etc/weaklink/acme.yaml:8)
              all-or-nothing  dependent  (no rule)
              required        2 modules  (/etc/weaklink/acme.yaml:7)
                              acme_core, acme_net
              may-break       none  (no rule)
              rebuild         dkms  (/etc/weaklink/acme.yaml:9)
            """);
    assertThat(run.status()).isZero();
  }

  @Test
  void whatHoldsOnSomeKernelsOnlyIsSaidToo() {
    WholeRun run = rules("explain", "--unit", "extra/acme/net");

    assertThat(run.out())
        .startsWith(
            """
            unit extra/acme/net
              product         acme  (/etc/weaklink/acme.yaml:6: directory extra/acme/net)
              ignored         no  (no rule)
              link            yes  (/etc/weaklink/generic.yaml:4)
              undetermined    do-not-link  (no rule)
            """)
        .endsWith(
            """
              On some kernels other rules come first; --kernel shows what they do:
                ignored         unit extra/acme, kernel *+debug  (/etc/weaklink/acme.yaml:13)
            """);
  }

  @Test
  void aKernelIsTakenIntoAccount() {
    assertThat(rules("explain", "--unit", "extra/acme", "--kernel", "5.14+debug").out())
        .startsWith("unit extra/acme, kernel 5.14+debug\n")
        .contains("  ignored         yes  (/etc/weaklink/acme.yaml:13)\n")
        .doesNotContain("On some kernels");
    assertThat(rules("explain", "--module", "acme_test").out())
        .contains("  product         generic  (no product recognises it)\n")
        .contains("  ignored         yes  (/etc/weaklink/acme.yaml:11) because: for tests only\n");
  }

  @Test
  void allThatIsInForceIsListed() {
    assertThat(rules("list").out())
        .isEqualTo(
            """
            Products, in the order in which they are tried:
              acme  ACME drivers
                link yes, undetermined do-not-link, provider only *.el9_5.* or *.el9_4.*,
                  all-or-nothing dependent, required 2, may-break 0, rebuild dkms
              generic  everything else
                link yes, undetermined do-not-link, provider newest,
                  all-or-nothing dependent, required 0, may-break 0, rebuild unknown

            Ignored:
              module acme_test  (/etc/weaklink/acme.yaml:11) because: for tests only
              unit extra/acme, kernel *+debug  (/etc/weaklink/acme.yaml:13)

            Pinned:
              module acme_net, unit kmod-acme: only builds for *.el9_5.*, link ask  (/etc/weaklink/acme.yaml:16) because: see the handbook

            Where it is undetermined whether it loads:
              module acme_*: link  (/etc/weaklink/acme.yaml:22)

            Symbols:
              symbol ib_*, module ib_core: fail  (/etc/weaklink/acme.yaml:25)

            Files:
              /etc/weaklink/acme.yaml
              /etc/weaklink/doca-ofed.yaml
              /etc/weaklink/generic.yaml
              /etc/weaklink/mlnx-en.yaml
              /etc/weaklink/mlnx-ofed.yaml
            """);
  }

  @Test
  void filesInOrderAreCounted() {
    WholeRun run = rules("check");
    assertThat(run.out()).isEqualTo("5 files are valid\n");
    assertThat(run.status()).isZero();
  }

  @Test
  void aMistakeIsOneLineAndStatus2WhateverIsAsked() throws IOException {
    Files.writeString(
        image.resolve("etc/weaklink/acme.yaml"),
        "pin: [{modul: \"\\e[2J\"}]\nundetermined: [{module: a, then: on}]\n");
    for (String[] action :
        List.of(
            new String[] {"check"},
            new String[] {"list"},
            new String[] {"explain", "--module", "a"})) {
      WholeRun run = rules(action);
      assertThat(run.messages())
          .containsExactly(
              "/etc/weaklink/acme.yaml:1:8: there is no 'modul' in 'pin'; did you mean 'module'?",
              "/etc/weaklink/acme.yaml:2:34: 'then' takes do-not-link or link, not 'on'");
      assertThat(run.out()).isEmpty();
      assertThat(run.status()).isEqualTo(2);
    }
  }

  @Test
  void whatAFileSaysCannotControlTheTerminal() throws IOException {
    Files.writeString(
        image.resolve("etc/weaklink/acme.yaml"),
        "ignore: [{module: x, because: \"a\\e[2Jb\"}]\nundetermined: [{then: \"\\e[2J\"}]\n");
    assertThat(rules("list").err()).contains("not '\\x1b[2J'").doesNotContain("\u001b");
    Files.writeString(
        image.resolve("etc/weaklink/acme.yaml"), "ignore: [{module: x, because: \"a\\e[2Jb\"}]\n");
    assertThat(rules("list").out()).contains("a\\x1b[2Jb").doesNotContain("\u001b");
  }

  @Test
  void checkExplainsWhatItIsAskedAbout() {
    String explained = rules("explain", "--module", "acme_test").out();
    assertThat(explained).contains("acme.yaml:11) because: for tests only");
    assertThat(rules("check", "--module", "acme_test").out()).isEqualTo(explained);
    assertThat(rules("list", "--module", "acme_test").status()).isEqualTo(2);
  }

  @Test
  void givenFilesAreChecked() throws IOException {
    Path good = Files.writeString(image.resolve("good.yaml"), "ignore: [{module: a}]\n");
    Path bad = Files.writeString(image.resolve("bad.yaml"), "ignore: 1\n");

    assertThat(WholeRun.of("rules", "check", good.toString()).out())
        .isEqualTo("5 files are valid\n");
    WholeRun run = WholeRun.of("rules", "check", good.toString(), bad.toString());
    assertThat(run.messages()).containsExactly(bad + ":1:9: 'ignore' takes a list, not '1'");
    assertThat(run.status()).isEqualTo(2);
  }
}
