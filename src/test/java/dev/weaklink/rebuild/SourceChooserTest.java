package dev.weaklink.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.DkmsBuild.State;
import dev.weaklink.rules.Rules;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is built by what, by the traces there are. */
class SourceChooserTest {
  private static final Platform RHEL = new Platform("rhel", List.of("fedora"), "9.4");
  private static final Product OFED = new Product(Product.Kind.MLNX_OFED, "24.10", "ofed_info");
  private static final DkmsBuild ZFS = new DkmsBuild("zfs", "2.2.6", "", State.ADDED, "");

  private static Source chosen(Evidence evidence, @Nullable String product) {
    return new SourceChooser(evidence).of(product);
  }

  private static Evidence evidence(List<Product> products, List<DkmsBuild> dkms) {
    return new Evidence(RHEL, products, dkms, List.of(), null, null, Rules.NONE);
  }

  private static Product doca(String version) {
    return new Product(Product.Kind.DOCA, version, "/usr/share/doca-host");
  }

  @Test
  void mlnxOfedIsRebuiltFromItsImageUnlessDkmsHasIt() {
    assertThat(chosen(evidence(List.of(OFED), List.of()), null).backend()).isEqualTo("mlnx");
    DkmsBuild kernel = new DkmsBuild("mlnx-ofed-kernel", "24.10", "", State.ADDED, "");
    Source source = chosen(evidence(List.of(OFED), List.of(kernel)), null);
    assertThat(source.backend()).isEqualTo("dkms");
    assertThat(source.packages()).containsExactly("mlnx-ofed-kernel/24.10");
  }

  @Test
  void docaHasItsOwnToolUntilItIsBuiltByDkmsOnly() {
    for (String version : List.of("2.9.1", "3.1", "3.2.5")) {
      Evidence with =
          new Evidence(
              RHEL, List.of(doca(version)), List.of(), List.of(), "/opt/tool", null, Rules.NONE);
      assertThat(chosen(with, null).backend()).as(version).isEqualTo("doca");
    }
    for (String version : List.of("3.3", "3.10.0", "4.0")) {
      Evidence with =
          new Evidence(
              RHEL, List.of(doca(version)), List.of(), List.of(), "/opt/tool", null, Rules.NONE);
      assertThat(chosen(with, null).backend()).as(version).isEmpty();
    }
  }

  @Test
  void aPackageOfDkmsIsFoundWithAndWithoutItsVersion() {
    Evidence both = evidence(List.of(OFED), List.of(ZFS));
    assertThat(chosen(both, "zfs").packages()).containsExactly("zfs/2.2.6");
    assertThat(chosen(both, "zfs/2.2.6").packages()).containsExactly("zfs/2.2.6");
    assertThat(chosen(both, "zfs/2.2").reason())
        .isEqualTo("no product 'zfs/2.2' is installed here; there are: mlnx-ofed, zfs/2.2.6");
    assertThat(chosen(both, null).backend()).isEqualTo("mlnx");
  }

  @Test
  void aUnitGoesByItsOwnTracesBeforeThoseOfTheWholeSystem() {
    SourceChooser chooser = new SourceChooser(evidence(List.of(OFED), List.of(ZFS)));
    assertThat(chooser.ofUnit("zfs", null, List.of()).backend()).isEqualTo("dkms");
    assertThat(chooser.ofUnit("extra/mlnx-ofa_kernel", null, List.of()).backend())
        .isEqualTo("mlnx");
    assertThat(
            chooser
                .ofUnit("extra/lustre", null, List.of("/lib/modules/K/extra/lustre/l.ko"))
                .backend())
        .isEmpty();
  }

  @Test
  void anOlderReleaseOfTheSameDistributionIsTold() {
    Bundle older =
        new Bundle(
            "/b",
            Bundle.Form.DIRECTORY,
            "",
            "MLNX_OFED_LINUX",
            "24.10",
            "rhel9.2",
            true,
            null,
            false,
            0,
            List.of());
    assertThat(DistroChoice.of(older, RHEL)).isEqualTo("rhel9.2");
    assertThat(DistroChoice.of(older, new Platform("rocky", List.of("rhel"), "9.2"))).isNull();
    assertThat(DistroChoice.of(older, new Platform("rhel", List.of(), "8.10"))).isNull();
    assertThat(new Platform("sles", List.of("suse"), "15.5").bundleName()).isEqualTo("sles15sp5");
  }

  @Test
  void packagesOfTheSameModulesHaveOneSubject() {
    assertThat(
            ModulePackages.subjects(
                List.of(
                    "kmod-iser-24.10-OFED.24.10.1.rhel9u4.x86_64.rpm",
                    "iser-kmp-default-24.10_k5.14.21-1.x86_64.rpm",
                    "mlnx-ofa_kernel-modules-24.10-OFED.1.kver.5.14.0_1.x86_64.rpm",
                    "kmod-knem-mlnx-1.1.4-1.x86_64.rpm",
                    "mlnx-ofed-kernel-modules_24.10-1_amd64.deb",
                    "mlnx-ofa_kernel-24.10-1.x86_64.rpm",
                    "kmod-iser-24.10-1.src.rpm")))
        .containsExactly("iser", "knem", "mlnx-ofa_kernel", "mlnx-ofed-kernel");
  }

  @Test
  void aPackageThatIsGoneFromTheResultIsMissed() {
    List<String> before = List.of("kmod-iser-1-1.x86_64.rpm", "kmod-xpmem-1-1.x86_64.rpm");
    List<String> after = List.of("kmod-iser-1-1.202601010101.x86_64.rpm");
    Completeness completeness =
        Completeness.of(before, after, List.of(), List.of("ib_iser"), List.of());
    assertThat(completeness.packages()).containsExactly("xpmem");
    assertThat(completeness.isComplete()).isFalse();
  }
}
