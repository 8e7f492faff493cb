package dev.weaklink.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.LoaderBehaviorReader.LoaderEvidence;
import dev.weaklink.kernel.LoaderTraces.LoaderTrace;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that the traces in an image decide, regardless of version and configuration. */
class ImageRulesTest {
    private static final String DEBIAN = "Linux version 6.1.0 (debian-kernel@lists.debian.org) (gcc)";

    private String release = "6.1.0-53-amd64";
    private String banner = "Linux version 6.1.0 (me@home) (gcc (Debian 12.2.0) 12.2.0)";
    private final Set<LoaderTrace> found = EnumSet.noneOf(LoaderTrace.class);
    private final Map<LoaderRule, String> given = new EnumMap<>(LoaderRule.class);
    private int entrySize = -1;

    private LoaderBehavior.Setting setting(LoaderRule rule) {
        LoaderTraces traces = new LoaderTraces(banner, found, entrySize);
        LoaderEvidence evidence = new LoaderEvidence(
                release, RulesFromEvidence.config(RulesFromEvidence.DEBIAN_CONFIG), null, null, traces, given);
        return LoaderBehaviorReader.read(evidence).setting(rule);
    }

    private void assertSeen(LoaderRule rule, String value) {
        assertThat(setting(rule).value()).as(rule.id()).isEqualTo(value);
        assertThat(setting(rule).assumed()).as(rule.id()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "MODVERSIONS, MODVERSIONS",
        "FORCE_LOAD, FORCE_LOAD",
        "STRUCT_SIZE, STRUCT_SIZE",
        "EXTENDED_VERSIONS, EXTENDED_VERSIONS",
        "INHERITED_TAINT, INHERIT_TAINT",
        "SIGNATURES, SIGNATURES",
        "VERMAGIC, VERMAGIC",
    })
    void derivesRulesFromMessagesInTheImage(LoaderTrace trace, LoaderRule rule) {
        assertSeen(rule, "no");
        found.add(trace);
        assertSeen(rule, "yes");
    }

    @Test
    void readsLivePatchingFromTheKernelsMessage() {
        assertSeen(LoaderRule.LIVEPATCH, "yes");
        found.add(LoaderTrace.NO_LIVEPATCH);
        assertSeen(LoaderRule.LIVEPATCH, "no");
    }

    @Test
    void readsThePerCpuReserveFromTheImage() {
        release = "6.12.117+deb13-amd64";
        assertSeen(LoaderRule.PER_CPU_RESERVE, "8k");
        found.add(LoaderTrace.ALLOCATION_PROFILING);
        assertSeen(LoaderRule.PER_CPU_RESERVE, "64k");
    }

    @Test
    void namespacesAreEnforcedWarnedAboutOrUnknown() {
        assertSeen(LoaderRule.NAMESPACES, "none");
        found.add(LoaderTrace.NAMESPACES_WARNED);
        assertSeen(LoaderRule.NAMESPACES, "warn");
        found.add(LoaderTrace.NAMESPACES_ENFORCED);
        assertSeen(LoaderRule.NAMESPACES, "enforce");
    }

    @ParameterizedTest
    @CsvSource({
        "5.15.0, false, false, accept, false",
        "5.15.0, true, false, refuse, false",
        "6.4.0, true, false, refuse, false",
        "6.4.0, true, true, accept, false",
    })
    void readsTheRuleForBtfFromItsMessages(
            String version, boolean checked, boolean tolerated, String value, boolean assumed) {
        release = version;
        if (checked) {
            found.add(LoaderTrace.BTF_CHECKED);
        }
        if (tolerated) {
            found.add(LoaderTrace.BTF_TOLERATED);
        }
        assertThat(setting(LoaderRule.BTF_MISMATCH).value()).isEqualTo(value);
        assertThat(setting(LoaderRule.BTF_MISMATCH).assumed()).isEqualTo(assumed);
    }

    @Test
    void usesTheConfigurationForBtfMismatchFrom5_18To6_2() {
        found.add(LoaderTrace.BTF_CHECKED);

        assertSeen(LoaderRule.BTF_MISMATCH, "accept");
        assertThat(setting(LoaderRule.BTF_MISMATCH).evidence()).isEqualTo("CONFIG_MODULE_ALLOW_BTF_MISMATCH");
    }

    @Test
    void expectsTrampolinesWithFunctionTracing() {
        release = "6.12.117+deb13-arm64";
        found.add(LoaderTrace.TRAMPOLINE);
        assertThat(setting(LoaderRule.TRAMPOLINES).assumed()).isTrue();
        found.add(LoaderTrace.FUNCTION_TRACING);
        assertSeen(LoaderRule.TRAMPOLINES, "core");
        found.add(LoaderTrace.INIT_TRAMPOLINE);
        assertSeen(LoaderRule.TRAMPOLINES, "init");
    }

    @Test
    void derivesTheLayoutOfVersionsFromTheSizeOfAnEntry() {
        entrySize = 64;
        assertSeen(LoaderRule.VERSIONS_LAYOUT, "classic");
        entrySize = 8;
        assertSeen(LoaderRule.VERSIONS_LAYOUT, "packed");
    }

    @Test
    void bannerNotCompilerNamesTheDistribution() {
        release = "6.1.0-home";
        assertThat(setting(LoaderRule.MISSING_VERSION).value()).isEqualTo("accept");
        banner = DEBIAN;
        assertSeen(LoaderRule.MISSING_VERSION, "refuse");
    }

    @Test
    void userSettingsOverrideTheImage() {
        given.put(LoaderRule.FORCE_LOAD, "yes");
        assertSeen(LoaderRule.FORCE_LOAD, "yes");
    }
}
