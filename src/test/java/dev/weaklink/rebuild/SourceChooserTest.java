package dev.weaklink.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Evidence.RebuildProduct;
import dev.weaklink.rebuild.SourceChooser.Source;
import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.Attributed.RuleOrigin;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.rules.Rules;
import dev.weaklink.system.DkmsTree;
import dev.weaklink.system.DkmsTree.DkmsBuild;
import dev.weaklink.system.DkmsTree.DkmsBuild.DkmsState;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import dev.weaklink.testing.Records;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SourceChooserTest {
    private static final Platform RHEL = new Platform("rhel", List.of("fedora"), "9.4");
    private static final RebuildProduct OFED =
            new RebuildProduct(RebuildProduct.ProductKind.MLNX_OFED, "24.10", "ofed_info");
    private static final DkmsPackage ZFS = dkms("zfs", "2.2.6", "zfs");

    private static DkmsPackage dkms(String name, String version, String... modules) {
        return new DkmsPackage(name, version, true, List.of(), List.of(modules));
    }

    private static DkmsBuild installed(String name, String version, String... modules) {
        return new DkmsBuild(name, version, "K", DkmsState.INSTALLED, "", List.of(modules));
    }

    private static Source chosen(Evidence evidence, @Nullable String product) {
        return new SourceChooser(evidence).of(product);
    }

    private static Evidence evidence(List<RebuildProduct> products, List<DkmsPackage> dkms) {
        return evidence(products, new DkmsTree(dkms, List.of()));
    }

    private static Evidence evidence(List<RebuildProduct> products, DkmsTree dkms) {
        return new Evidence(RHEL, products, dkms, null, null, Rules.NONE, null);
    }

    private static RebuildProduct doca(String version) {
        return new RebuildProduct(RebuildProduct.ProductKind.DOCA_OFED, version, "/usr/share/doca-host");
    }

    @Test
    void usesDocasToolBeforeTheReleasesForDkmsOnly() {
        for (String version : List.of("2.9.1", "3.1", "3.2.5")) {
            Evidence with =
                    new Evidence(RHEL, List.of(doca(version)), DkmsTree.EMPTY, "/opt/tool", null, Rules.NONE, null);
            assertThat(chosen(with, null).backend()).as(version).isEqualTo("doca");
        }
        for (String version : List.of("3.3", "3.10.0", "4.0")) {
            Evidence with =
                    new Evidence(RHEL, List.of(doca(version)), DkmsTree.EMPTY, "/opt/tool", null, Rules.NONE, null);
            assertThat(chosen(with, null).backend()).as(version).isEmpty();
        }
    }

    @Test
    void prefersAUnitsOwnEvidenceToTheSystems() {
        DkmsTree tree = new DkmsTree(List.of(ZFS), List.of(installed("zfs", "2.2.6", "spl", "zfs")));
        SourceChooser chooser = new SourceChooser(evidence(List.of(OFED), tree));
        assertThat(chooser.ofUnit("spl", null, List.of("/lib/modules/K/extra/spl.ko.xz"))
                        .packages())
                .containsExactly("zfs/2.2.6");
        assertThat(chooser.ofUnit("zfs", null, List.of("/lib/modules/L/extra/zfs/zfs.ko"))
                        .backend())
                .as("of another kernel, and so of an rpm package of that name")
                .isEmpty();
        assertThat(chooser.ofUnit("extra/mlnx-ofa_kernel", null, List.of()).backend())
                .isEqualTo("mlnx");
        assertThat(chooser.ofUnit("extra/lustre", null, List.of("/lib/modules/K/extra/lustre/l.ko"))
                        .backend())
                .isEmpty();
    }

    @Test
    void findsDkmsPackagesByTheirModules() {
        DkmsTree tree = new DkmsTree(
                List.of(
                        dkms("acpi-call", "1.2.2", "acpi_call"),
                        dkms("mlnx-ofed-kernel", "24.10"),
                        dkms("ovpn-dco", "0.0+git1", "ovpn_dco_v2")),
                List.of(
                        installed("acpi-call", "1.2.2", "acpi_call"),
                        installed("mlnx-ofed-kernel", "24.10", "ib_core", "mlx5_core")));
        SourceChooser chooser = new SourceChooser(evidence(List.of(), tree));
        for (String[] one : new String[][] {
            {"acpi_call", "/lib/modules/K/updates/dkms/acpi_call.ko", "acpi-call/1.2.2"},
            {"mlx5_core", "/lib/modules/K/updates/dkms/mlx5_core.ko", "mlnx-ofed-kernel/24.10"},
            {"mlx5_core", "/lib/modules/K/extra/mlx5_core.ko.xz", "mlnx-ofed-kernel/24.10"},
            {"ovpn_dco_v2", "/lib/modules/L/updates/dkms/ovpn-dco-v2.ko", "ovpn-dco/0.0+git1"}
        }) {
            Source source = chooser.ofUnit(one[0], null, List.of(one[1]));
            assertThat(source.packages()).as(one[1]).containsExactly(one[2]);
            assertThat(source.product()).isEqualTo(one[2]);
        }
    }

    @Test
    void passesAnOlderReleaseOfTheSameDistribution() {
        Bundle older = new Bundle(
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
        assertThat(older.distroOn(RHEL)).isEqualTo("rhel9.2");
        assertThat(older.distroOn(new Platform("rocky", List.of("rhel"), "9.2")))
                .isNull();
        assertThat(older.distroOn(new Platform("rhel", List.of(), "8.10"))).isNull();
        assertThat(new Platform("sles", List.of("suse"), "15.5").bundleName()).isEqualTo("sles15sp5");
    }

    @Test
    void packagesOfTheSameModulesHaveOneSubject() {
        assertThat(ModulePackages.subjects(List.of(
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
    void reportsAPackageThatTheResultLacks() {
        List<String> before = List.of("kmod-iser-1-1.x86_64.rpm", "kmod-xpmem-1-1.x86_64.rpm");
        List<String> after = List.of("kmod-iser-1-1.202601010101.x86_64.rpm");
        Completeness completeness = Completeness.of(before, after, List.of(), List.of("ib_iser"), List.of());
        assertThat(completeness.packages()).containsExactly("xpmem");
        assertThat(completeness.isComplete()).isFalse();
    }

    @Test
    void recordsAllowedMissingModules() {
        BuiltModule older = new BuiltModule("wl_older", "wl", "/x", "", "", List.of(), false);
        BuiltModule core = new BuiltModule("wl_core", "wl", "/y", "", "", List.of(), false);
        Completeness missing = Completeness.of(
                List.of("kmod-iser-1-1.x86_64.rpm", "kmod-xpmem-1-1.x86_64.rpm"),
                List.of("kmod-iser-1-1.202601010101.x86_64.rpm"),
                List.of(older, core),
                List.of("wl_core"),
                List.of());
        assertThat(missing.missing()).containsExactly("wl_older", "xpmem");

        Completeness partly = missing.allowing(List.of("wl-older", "ib_iser"));
        assertThat(partly.isComplete()).isFalse();
        assertThat(partly.missing()).containsExactly("xpmem");
        assertThat(partly.allowed()).containsExactly("wl_older");

        assertThat(missing.allowing(List.of("xpmem", "wl_older")).isComplete()).isTrue();
    }

    @Test
    void rulesKnowAllBackends() {
        assertThat(RebuildHint.BACKENDS).isEqualTo(Backends.ids());
    }

    @Test
    void choosesByShippedRulesWithoutEvidence() {
        Evidence none = new Evidence(RHEL, List.of(), DkmsTree.EMPTY, null, null, ofed(), null);
        assertThat(new SourceChooser(none).of("mlnx-ofed").backend()).isEqualTo("mlnx");
        assertThat(new SourceChooser(none).of("acme").backend()).isEmpty();
        assertThat(new SourceChooser(none).of(null).backend()).isEmpty();
    }

    /** Returns rules with one rule that is shipped with the program. */
    private static Rules ofed() {
        Attributed<RebuildHint> hint = new Attributed<>(
                new RebuildHint("mlnx", null, List.of(), null), new RuleOrigin("rules/mlnx-ofed.yaml", 9));
        dev.weaklink.rules.Product generic = dev.weaklink.rules.Product.DEFAULT;
        dev.weaklink.rules.Product ofed = Records.with(generic, "id", "mlnx-ofed", "rebuild", hint);
        return new Rules(List.of(ofed), generic, List.of(), List.of(), List.of(), List.of(), List.of());
    }

    @Test
    void recognisesDebiansModulePackagesByTheRelease() {
        assertThat(ModulePackages.subjects(List.of("wl-modules-6.1.0-55-amd64_1.0_amd64.deb")))
                .containsExactly("wl");
    }

    @Test
    void countsInstalledModulesOfTheLastBuildAsTheProducts() {
        BuiltModule en = new BuiltModule("wl_en", "wl-en", "/x", "", "", List.of(), false);
        Completeness without = Completeness.of(List.of(), List.of(), List.of(en), List.of("wl_core"), List.of());
        assertThat(without.isComplete()).isTrue();
        Completeness with =
                Completeness.of(List.of(), List.of(), List.of(en), List.of("wl_core"), List.of("wl_core", "wl_en"));
        assertThat(with.modules()).containsExactly("wl_en");
        Completeness removed =
                Completeness.of(List.of(), List.of(), List.of(), List.of("wl_core"), List.of("wl_core", "wl_en"));
        assertThat(removed.isComplete()).isTrue();
    }
}
