package dev.weaklink.kernel;

import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.ModuleSpec.Versions;
import dev.weaklink.testing.SignatureTrailer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Derives rules from evidence; "assumed" marks a rule without evidence. */
class LoaderBehaviorReaderTest extends RulesFromEvidence {
    private static final String FOUR_COLUMNS = "0x00000001\ta\tvmlinux\tEXPORT_SYMBOL\n";
    private static final String NAMESPACE_THIRD = "0x00000001\ta\t\tvmlinux\tEXPORT_SYMBOL\n";
    private static final String NO_CRCS = "0x00000000\ta\tvmlinux\tEXPORT_SYMBOL\t\n";

    @Test
    void debianByItsConfiguration() {
        release = "6.1.0-53-amd64";
        config = config(DEBIAN_CONFIG);

        assertSeen(LoaderRule.VERSION, "6.1");
        assertSeen(LoaderRule.MODVERSIONS, "yes");
        assertSeen(LoaderRule.MISSING_VERSION, "refuse");
        assertSeen(LoaderRule.FORCE_LOAD, "yes");
        assertSeen(LoaderRule.NAMESPACES, "enforce");
        assertSeen(LoaderRule.SIGNATURES, "yes");
        assertSeen(LoaderRule.BTF_MISMATCH, "accept");
        assertAssumed(LoaderRule.STRUCT_SIZE, "no");
        assertAssumed(LoaderRule.EXTENDED_VERSIONS, "no");
        assertAssumed(LoaderRule.INHERIT_TAINT, "yes");
        assertAssumed(LoaderRule.VERSIONS_LAYOUT, "classic");
    }

    @ParameterizedTest
    @CsvSource({
        "6.1.0-53-amd64, 6.1, no",
        "6.1.0-53-cloud-amd64, 6.1, no",
        "6.1.0-50-4kc-malta, 6.1, no",
        "6.12.100+deb12-amd64, 6.12, yes",
        "5.10.0-46-686-pae, 5.10, no"
    })
    void debianByItsReleaseOnly(String name, String version, String structSize) {
        release = name;

        assertSeen(LoaderRule.VERSION, version);
        assertAssumed(LoaderRule.MISSING_VERSION, "refuse");
        assertAssumed(LoaderRule.FORCE_LOAD, "yes");
        assertAssumed(LoaderRule.MODVERSIONS, "yes");
        assertAssumed(LoaderRule.NAMESPACES, "enforce");
        assertAssumed(LoaderRule.STRUCT_SIZE, structSize);
        assertAssumed(LoaderRule.VERMAGIC, "yes");
    }

    @ParameterizedTest
    @CsvSource({"y, 6.12.0, refuse", "n, 6.12.0, accept"})
    void derivesEqualSectionsFromKallsyms(String kallsyms, String name, String choice) {
        release = name;
        assertAssumed(LoaderRule.EQUAL_SECTIONS, "refuse");
        config = config("CONFIG_KALLSYMS=" + kallsyms + "\n");
        assertSeen(LoaderRule.EQUAL_SECTIONS, choice);
        release = "6.11.0";
        assertAssumed(LoaderRule.EQUAL_SECTIONS, "accept");
    }

    @ParameterizedTest
    @CsvSource({"6.9.0, y, 8k", "6.10.0, y, 64k", "6.10.0, n, 8k", "7.2.0, n, 8k"})
    void readsThePerCpuReserveFromTheConfiguration(String name, String profiling, String choice) {
        release = name;
        config = config("CONFIG_MEM_ALLOC_PROFILING=" + profiling + "\n");
        assertSeen(LoaderRule.PER_CPU_RESERVE, choice);
    }

    @Test
    void assumesThePerCpuReserveWithoutConfigurationOrVersion() {
        release = "6.12.0";
        assertAssumed(LoaderRule.PER_CPU_RESERVE, "8k");
        release = null;
        assertAssumed(LoaderRule.PER_CPU_RESERVE, "8k");
    }

    @Test
    void expectsNoTrampolinesWithoutFunctionTracing() {
        release = "6.18.0";
        assertAssumed(LoaderRule.TRAMPOLINES, "init");
        config = config("CONFIG_DYNAMIC_FTRACE=n\n");
        assertSeen(LoaderRule.TRAMPOLINES, "none");
    }

    @Test
    void assumesDebianIfOnlyTheReleaseNamesIt() {
        release = "6.1.0-53-amd64";
        config = config("CONFIG_CC_VERSION_TEXT=\"gcc (GCC) 13.2.0\"\n");

        assertAssumed(LoaderRule.MISSING_VERSION, "refuse");
    }

    @Test
    void redHat7() {
        release = "3.10.0-1160.el7.x86_64";

        assertSeen(LoaderRule.VERSION, "3.10");
        assertAssumed(LoaderRule.MISSING_VERSION, "refuse");
        assertAssumed(LoaderRule.SIGNATURE_KIND, "x509");
        assertAssumed(LoaderRule.NAMESPACES, "none");
        assertAssumed(LoaderRule.INHERIT_TAINT, "no");
        assertAssumed(LoaderRule.BTF_MISMATCH, "accept");
    }

    @Test
    void redHat8() {
        release = "4.18.0-553.el8_10.x86_64";

        assertAssumed(LoaderRule.MISSING_VERSION, "accept");
        assertAssumed(LoaderRule.SIGNATURE_KIND, "pkcs7");
        assertAssumed(LoaderRule.NAMESPACES, "none");
        assertAssumed(LoaderRule.INHERIT_TAINT, "no");
    }

    @Test
    void mlDsaByConfiguration() {
        release = "7.2.13-arch1";
        assertAssumed(LoaderRule.ML_DSA, "plain");
        config = config("# CONFIG_CRYPTO_MLDSA is not set\n");
        assertSeen(LoaderRule.ML_DSA, "unverified");
        config = config("CONFIG_CRYPTO_MLDSA=m\n");
        assertSeen(LoaderRule.ML_DSA, "plain");
        config = config("CONFIG_CRYPTO_MLDSA=y\nCONFIG_PKCS7_WAIVE_AUTHATTRS_REJECTION_FOR_MLDSA=y\n");
        assertSeen(LoaderRule.ML_DSA, "attributes");
        release = "6.19.1-arch1";
        assertAssumed(LoaderRule.ML_DSA, "no");
    }

    @Test
    void redHat9() {
        release = "5.14.0-570.el9.x86_64";
        config = config("""
            CONFIG_RHEL_DIFFERENCES=y
            CONFIG_MODVERSIONS=y
            CONFIG_MODULE_FORCE_LOAD=y
            CONFIG_MODULE_SIG=y
            # CONFIG_MODULE_ALLOW_BTF_MISMATCH is not set
            """);

        assertAssumed(LoaderRule.MISSING_VERSION, "accept");
        assertSeen(LoaderRule.FORCE_LOAD, "yes");
        assertSeen(LoaderRule.BTF_MISMATCH, "refuse");
        assertAssumed(LoaderRule.NAMESPACES, "enforce");
        assertAssumed(LoaderRule.INHERIT_TAINT, "yes");
        assertAssumed(LoaderRule.STRUCT_SIZE, "no");
    }

    @Test
    void redHat9WithoutItsConfiguration() {
        release = "5.14.0-570.el9.x86_64";

        assertAssumed(LoaderRule.FORCE_LOAD, "yes");
        assertAssumed(LoaderRule.BTF_MISMATCH, "refuse");
    }

    @Test
    void ubuntu2404ByOneOfItsModules() {
        release = "6.8.0-31-generic";
        ownModule = read(typical().versions(Versions.Layout.PACKED));

        assertSeen(LoaderRule.VERSIONS_LAYOUT, "packed");
        assertAssumed(LoaderRule.MISSING_VERSION, "accept");
    }

    @ParameterizedTest
    @CsvSource({
        "5.15.0-100-generic, classic",
        "6.2.0-39-generic, packed",
        "6.8.0-31-lowlatency, packed",
        "6.11.0-8-generic, classic"
    })
    void ubuntuByItsReleaseOnly(String name, String layout) {
        release = name;

        assertAssumed(LoaderRule.VERSIONS_LAYOUT, layout);
    }

    @Test
    void readsTheLayoutOfVersionsFromAnUbuntuKernelsOwnModule() {
        release = "6.5.0-14-generic";
        ownModule = read(typical());

        assertSeen(LoaderRule.VERSIONS_LAYOUT, "classic");
    }

    @Test
    void openWrtStripsItsModules() {
        release = "6.6.52";
        ownModule = read(ModuleBuilder.minimal(Machine.MIPSEL, "m")
                .modInfo("license=GPL")
                .modInfo("depends="));

        assertSeen(LoaderRule.VERMAGIC, "no");
        assertSeen(LoaderRule.MODVERSIONS, "no");
        assertAssumed(LoaderRule.FORCE_LOAD, "no");
    }

    @Test
    void derivesVermagicAndVersionsFromAModule() {
        release = "6.6.52";
        ownModule = read(typical());

        assertSeen(LoaderRule.VERMAGIC, "yes");
        assertSeen(LoaderRule.MODVERSIONS, "yes");
    }

    @Test
    void ignoresVersionsThatAreNotLoaded() {
        release = "6.6.52";
        ownModule = read(typical().versions(Presence.NOT_ALLOCATED));

        assertSeen(LoaderRule.MODVERSIONS, "no");
    }

    @ParameterizedTest
    @CsvSource({"1, x509", "2, pkcs7"})
    void derivesTheKindOfSignatureFromAModule(int idType, String kind) {
        release = "3.10.0";
        ownModule = read(typical().signed(SignatureTrailer.of(idType, new byte[] {0x30, 0})));

        assertSeen(LoaderRule.SIGNATURES, "yes");
        assertSeen(LoaderRule.SIGNATURE_KIND, kind);
    }

    @Test
    void derivesNothingAboutSignaturesFromAnUnsignedModule() {
        release = "6.6.52";
        ownModule = read(typical());

        assertAssumed(LoaderRule.SIGNATURES, "yes");
        assertAssumed(LoaderRule.SIGNATURE_KIND, "pkcs7");
    }

    @Test
    void derivesTheAgeFromNamespacesInSymvers() {
        symvers = symvers(FOUR_COLUMNS);
        assertAssumed(LoaderRule.VERSION, "4.18");
        assertSeen(LoaderRule.MODVERSIONS, "yes");
        assertAssumed(LoaderRule.NAMESPACES, "none");
        assertAssumed(LoaderRule.MISSING_VERSION, "accept");

        symvers = symvers(FIVE_COLUMNS);
        assertAssumed(LoaderRule.VERSION, "6.1");
        assertSeen(LoaderRule.MODVERSIONS, "yes");
        assertAssumed(LoaderRule.NAMESPACES, "enforce");
        assertAssumed(LoaderRule.MISSING_VERSION, "accept");
    }

    @Test
    void recognisesTheThirdColumnOf54And55() {
        symvers = symvers(NAMESPACE_THIRD);

        assertAssumed(LoaderRule.VERSION, "5.4");
        assertAssumed(LoaderRule.INHERIT_TAINT, "no");
    }

    @Test
    void derivesDisabledModversionsFromSymversWithoutCrcs() {
        symvers = symvers(NO_CRCS);

        assertSeen(LoaderRule.MODVERSIONS, "no");
    }

    @Test
    void derivesNothingFromAnEmptySymvers() {
        symvers = symvers("");

        assertAssumed(LoaderRule.MODVERSIONS, "yes");
        assertAssumed(LoaderRule.VERSION, "6.1");
    }

    @Test
    void prefersTheConfigurationToSymversAndModules() {
        release = "6.6.52";
        config = config("# CONFIG_MODVERSIONS is not set\n");
        symvers = symvers(FIVE_COLUMNS);
        ownModule = read(typical());

        assertSeen(LoaderRule.MODVERSIONS, "no");
    }

    @ParameterizedTest
    @CsvSource({
        "4.8, refuse, none, no, no, no, pkcs7",
        "4.9, accept, none, no, no, no, pkcs7",
        "4.2, refuse, none, no, no, no, x509",
        "5.3, accept, none, no, no, no, pkcs7",
        "5.4, accept, enforce, no, no, no, pkcs7",
        "5.8, accept, enforce, no, no, no, pkcs7",
        "5.9, accept, enforce, yes, no, no, pkcs7",
        "6.3, accept, enforce, yes, no, no, pkcs7",
        "6.4, accept, enforce, yes, yes, no, pkcs7",
        "6.13, accept, enforce, yes, yes, no, pkcs7",
        "6.14, accept, enforce, yes, yes, yes, pkcs7"
    })
    void upstreamByItsVersion(
            String version,
            String missing,
            String namespaces,
            String inherit,
            String structSize,
            String extended,
            String signatures) {
        release = version + ".7-custom";

        assertAssumed(LoaderRule.MISSING_VERSION, missing);
        assertAssumed(LoaderRule.NAMESPACES, namespaces);
        assertAssumed(LoaderRule.INHERIT_TAINT, inherit);
        assertAssumed(LoaderRule.STRUCT_SIZE, structSize);
        assertAssumed(LoaderRule.EXTENDED_VERSIONS, extended);
        assertAssumed(LoaderRule.SIGNATURE_KIND, signatures);
    }

    @Test
    void missingNamespaceImportsMayBeAllowed() {
        release = "6.6.52";
        config = config("CONFIG_MODULE_ALLOW_MISSING_NAMESPACE_IMPORTS=y\n");

        assertSeen(LoaderRule.NAMESPACES, "warn");
    }

    @Test
    void refusesEveryBtfMismatchBeforeTheOption() {
        release = "5.15.0";
        config = config("CONFIG_DEBUG_INFO_BTF_MODULES=y\n");
        assertSeen(LoaderRule.BTF_MISMATCH, "refuse");

        config = config("# CONFIG_DEBUG_INFO_BTF_MODULES is not set\n");
        assertSeen(LoaderRule.BTF_MISMATCH, "accept");
    }
}
