package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.loader.SymbolStep.NamespaceRule;
import dev.weaklink.loader.VersionCheck.VersionLookup;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import dev.weaklink.module.VersionTable.Layout;
import dev.weaklink.testing.ModuleArbitraries;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decisions that several steps use: licenses, namespaces, version entries. */
class StepDecisionsTest {
    @Provide
    Arbitrary<String> gplCompatible() {
        return ModuleArbitraries.gplCompatibleLicenses();
    }

    @Provide
    Arbitrary<String> others() {
        return ModuleArbitraries.otherLicenses();
    }

    @Provide
    Arbitrary<List<String>> names() {
        return ModuleArbitraries.symbolNames().list().ofMaxSize(600);
    }

    @Property
    void licensesAreExactStrings(@ForAll("gplCompatible") String compatible, @ForAll("others") String other) {
        assertThat(License.isProprietary(modInfo("license=" + compatible), "m")).isFalse();
        assertThat(License.isProprietary(modInfo("license=" + other), "m")).isTrue();
        assertThat(License.isProprietary(modInfo("license=" + other, "license=" + compatible), "m"))
                .isTrue();
        assertThat(License.isProprietary(modInfo("license=" + compatible, "license=" + other), "m"))
                .isFalse();
    }

    @Test
    void treatsAMissingLicenseAsProprietary() {
        assertThat(License.isProprietary(modInfo("licence=GPL"), "m")).isTrue();
        assertThat(License.isProprietary(ModInfo.ABSENT, "m")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "NS, m, true",
        "OTHER, m, false",
        "ns, m, false",
        "'NS ', m, false",
        "module:m, m, true",
        "module:a-b, a_b, true",
        "module:a_b, a-b, true",
        "module:m, mm, false",
        "module:mm, m, false",
        "module:m*, mm, true",
        "module:m*, m, true",
        "module:m*, n, false",
        "module:*, anything, true",
        "'module:a,m', m, true",
        "'module:a,m*,z', mxyz, true",
        "'module:a,,z', z, true",
        "module:, m, false",
        "module:m*x, mx, false",
        "module:NS, m, false"
    })
    void permitsListedModulesToUseANamespaceFrom616On(String namespace, String module, boolean allowed) {
        LoaderBehavior rules = Kernels.version("6.16").build().rules();

        assertThat(NamespaceRule.allows(namespace, List.of("A", "NS", "module:NS"), module, rules))
                .isEqualTo(allowed);
    }

    @Test
    void treatsModuleNamespacesAsPlainNamesBefore616() {
        LoaderBehavior rules = Kernels.version("6.15").build().rules();

        assertThat(NamespaceRule.allows("module:m", List.of(), "m", rules)).isFalse();
        assertThat(NamespaceRule.allows("module:m", List.of("module:m"), "x", rules))
                .isTrue();
        assertThat(NamespaceRule.isForbiddenImport("module:m", rules)).isFalse();
    }

    @Property
    void findsTheFirstEntryOfANameInEachTable(
            @ForAll("names") List<String> first, @ForAll("names") List<String> second) {
        VersionLookup lookup = new VersionLookup();

        for (List<String> names : List.of(first, second, first)) {
            lookup.reset(table(names));
            SymbolNames wanted = symbols(names);
            for (int i = 0; i < names.size(); i++) {
                assertThat(lookup.find(wanted, i)).isEqualTo(names.indexOf(names.get(i)));
            }
            assertThat(lookup.find(symbols(List.of("no such name")), 0)).isEqualTo(-1);
        }
    }

    private static ModInfo modInfo(String... entries) {
        return new ModInfo(List.of(entries), true, true);
    }

    private static VersionTable table(List<String> names) {
        return new VersionTable(Layout.CLASSIC, symbols(names), new long[names.size()]);
    }

    private static SymbolNames symbols(List<String> names) {
        SymbolNames.SymbolNamesBuilder builder = new SymbolNames.SymbolNamesBuilder(names.size());
        names.forEach(builder::add);
        return builder.build();
    }
}
