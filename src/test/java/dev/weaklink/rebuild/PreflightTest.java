package dev.weaklink.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.dkms.DkmsTree;
import dev.weaklink.rules.Rules;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What stands in the way is named with what removes it. */
class PreflightTest {
  private static final String KERNEL = "6.1.0-55-amd64";
  private static final Platform DEBIAN = new Platform("debian", List.of(), "12");
  private static final Evidence EVIDENCE =
      new Evidence(DEBIAN, List.of(), DkmsTree.EMPTY, List.of(), null, null, Rules.NONE);
  private static final Set<String> PROGRAMS =
      Set.of("gcc", "make", "setsid", "dpkg-buildpackage", "dh", "fakeroot", "dkms");

  private static Job job(List<String> packages, Map<String, List<String>> needs) {
    return new Job(
        new Job.Place(KERNEL, "/build", "/work", null),
        new Job.Settings(null, false, true),
        null,
        packages,
        "/src/x.dsc",
        Job.OwnCommand.NONE,
        needs);
  }

  private static Surroundings here(String... missing) {
    return new Surroundings(
        true,
        PROGRAMS,
        -1,
        KERNEL,
        0,
        0,
        null,
        new Surroundings.Signing(false, false, false, null),
        null,
        List.of("createrepo"),
        List.of(missing));
  }

  @Test
  void aPackageThatDpkgBuildpackageInsistsOnIsNamedWithItsCommand() {
    Backend deb = Backends.named("deb");
    assertThat(deb).isNotNull();
    Job job = job(List.of(), Map.of());
    assertThat(deb.debianPackages(job)).containsExactly("build-essential");
    assertThat(Preflight.examine(deb, job, EVIDENCE, here())).isEmpty();
    assertThat(Preflight.examine(deb, job, EVIDENCE, here("build-essential")))
        .containsExactly(
            Obstacle.blocks(
                "package", "not installed: build-essential", "apt-get install build-essential"));
  }

  @Test
  void whatDkmsCannotBuildForWantOfAnotherPackageIsSaidBefore() {
    Backend dkms = Backends.named("dkms");
    assertThat(dkms).isNotNull();
    Job job =
        job(List.of("b/1", "a/1", "c/1"), Map.of("a/1", List.of("b/1"), "c/1", List.of("spl")));
    assertThat(Preflight.examine(dkms, job, EVIDENCE, here()))
        .containsExactly(
            Obstacle.warns(
                "dependency",
                "c/1: needs spl, which DKMS does not have; it will not be built",
                "install DKMS's package of spl"));
  }
}
