package dev.weaklink.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rules.Attributed.RuleOrigin;
import dev.weaklink.rules.Product.LinkPolicy;
import dev.weaklink.rules.Product.UndeterminedPolicy;
import dev.weaklink.rules.Rules.Pin;
import dev.weaklink.rules.Rules.ProductMatch;
import dev.weaklink.rules.Rules.RuleUnit;
import dev.weaklink.rules.Rules.Severity;
import dev.weaklink.rules.yaml.RulesReader;
import dev.weaklink.rules.yaml.RulesReader.RulesResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The decisions of rules about modules, units, kernels and symbols. */
class RulesTest {
    private static final String EL95 = "5.14.0-503.11.1.el9_5.x86_64";

    @TempDir
    private Path directory;

    private Rules rules(String text) throws IOException {
        RulesResult result = RulesReader.readFiles(List.of(Files.writeString(directory.resolve("x.yaml"), text)));
        assertThat(result).isInstanceOf(RulesResult.Good.class);
        return ((RulesResult.Good) result).rules();
    }

    @ParameterizedTest
    @CsvSource({
        "kmod-mlnx-ofa_kernel,          extra/foo,                  foo,        mlnx-ofed",
        "mlnx-ofa_kernel-kmp-default,   updates/mlnx-ofa_kernel,    ib_core,    mlnx-ofed",
        "kmod-mlnx-en,                  extra/mlnx-ofa_kernel,      mlx_compat, mlnx-en",
        "kmod-knem,                     extra/knem,                 knem,       generic",
        "doca-ofed-3.4-dkms,            updates/dkms,               mlx_compat, doca-ofed",
        "linux-modules-doca-ofed-3.4-generic, ,                     mlx5_core,  doca-ofed",
        ",                              extra/mlnx-ofa_kernel/core, ib_core,    mlnx-ofed",
        ",                              updates/dkms,               mlx_compat, mlnx-ofed",
        ",                              updates/dkms,               mlx5_core,  generic",
        "kmod-zfs,                      extra/zfs,                  zfs,        generic",
    })
    void recognisesTheProductByPackageDirectoryOrModules(
            String packageName, String place, String module, String product) throws IOException {
        RuleUnit unit = new RuleUnit("unit", packageName, place);
        assertThat(rules("").productOf(unit, List.of("other", module)).product().id())
                .isEqualTo(product);
    }

    @Test
    void recordsTheLineThatRecognisedAProduct() throws IOException {
        Rules rules = rules("products:\n  - id: a\n    recognise:\n      modules:\n        - x\n        - b-*\n");
        ProductMatch match = rules.productOf(new RuleUnit("extra", null, "extra"), List.of("b_c"));
        assertThat(match.product().id()).isEqualTo("a");
        assertThat(match.origin().line()).isEqualTo(6);
        assertThat(match.evidence()).isEqualTo("module b_c");
    }

    @Test
    void moduleUnitAndKernelTogetherSelectIgnoredModules() throws IOException {
        Rules rules = rules("""
            ignore:
              - module: [foo, bar-*]
                kernel: "*.debug"
                because: nobody needs it
              - unit: extra/vendor
              - kernel: 4.18.*
            """);
        RuleUnit other = RuleUnit.ofPackage("kmod-other");
        assertThat(rules.isIgnored("foo", other, EL95 + ".debug").value()).isTrue();
        assertThat(rules.isIgnored("bar_x", other, EL95 + ".debug").because()).isEqualTo("nobody needs it");
        assertThat(rules.isIgnored("foo", other, EL95).value()).isFalse();
        assertThat(rules.isIgnored("foo", other, EL95).origin()).isEqualTo(RuleOrigin.NO_RULE);
        assertThat(rules.isIgnored("foo", other, null).value()).isFalse();
        assertThat(rules.isIgnored("a", new RuleUnit("extra/vendor/x", null, "extra/vendor/x"), EL95)
                        .value())
                .isTrue();
        assertThat(rules.isIgnored("a", new RuleUnit("extra/vendors", null, "extra/vendors"), EL95)
                        .value())
                .isFalse();
        assertThat(rules.isIgnored(null, null, "4.18.0-1").origin().line()).isEqualTo(6);
    }

    @Test
    void appliesPinsOfProvidersAndLinks() throws IOException {
        Rules rules = rules("""
            pin:
              - unit: kmod-zfs
                provider: "*.el9_5.*"
              - module: lustre
                link: no
                because: LU-9731
            """);
        RuleUnit zfs = RuleUnit.ofPackage("kmod-zfs");
        Attributed<Pin> pin = rules.pinOf("zfs", zfs, EL95);
        assertThat(pin).isNotNull();
        assertThat(pin.value().allowsProvider(EL95)).isTrue();
        assertThat(pin.value().allowsProvider("5.14.0-570.12.1.el9_6.x86_64")).isFalse();
        assertThat(rules.linkPolicy("zfs", zfs, EL95, rules.generic()).value()).isEqualTo(LinkPolicy.YES);
        Attributed<LinkPolicy> lustre = rules.linkPolicy("lustre", null, EL95, rules.generic());
        assertThat(lustre.value()).isEqualTo(LinkPolicy.NO);
        assertThat(lustre.because()).isEqualTo("LU-9731");
        assertThat(lustre.origin().line()).isEqualTo(4);
        assertThat(rules.pinOf("lustre", null, EL95).value().allowsProvider("any"))
                .isTrue();
        assertThat(rules.pinOf("other", null, EL95)).isNull();
    }

    @Test
    void prefersARuleAboutUndeterminedModulesToTheProduct() throws IOException {
        Rules rules = rules("""
            undetermined:
              - module: legacy_*
                then: link
            """);
        assertThat(rules.undetermined("legacy-x", null, EL95, rules.generic()).value())
                .isEqualTo(UndeterminedPolicy.LINK);
        Attributed<UndeterminedPolicy> other = rules.undetermined("x", null, EL95, rules.generic());
        assertThat(other.value()).isEqualTo(UndeterminedPolicy.DO_NOT_LINK);
        assertThat(other.origin().file()).isEqualTo("rules/generic.yaml");
    }

    @Test
    void appliesTheFirstRuleAboutASymbol() throws IOException {
        Rules rules = rules("""
            symbols:
              - {symbol: ib_alloc_*, then: pass}
              - {module: ib-core, then: fail}
              - {module: drivers/net/**, namespace: NET_*, then: note}
              - {namespace: CRYPTO_INTERNAL, then: fail}
            """);
        assertThat(rules.severity("ib_alloc_mr", "ib_core", null).value()).isEqualTo(Severity.PASS);
        assertThat(rules.severity("ib_x", "ib_core", null).value()).isEqualTo(Severity.FAIL);
        assertThat(rules.severity("ib_x", "drivers/infiniband/core/ib_core", null)
                        .value())
                .isEqualTo(Severity.FAIL);
        assertThat(rules.severity("n", "drivers/net/phy/libphy", "NET_PHY").value())
                .isEqualTo(Severity.NOTE);
        assertThat(rules.severity("n", "drivers/net/phy/libphy", null).value()).isEqualTo(Severity.PASS);
        assertThat(rules.severity("c", "vmlinux", "CRYPTO_INTERNAL").value()).isEqualTo(Severity.FAIL);
        assertThat(rules.severity("c", null, null)).isEqualTo(Attributed.byDefault(Severity.PASS));
    }
}
