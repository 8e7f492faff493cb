package dev.weaklink.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.LoaderBehaviorReader.LoaderEvidence;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The evidence that a test provides, and the rules derived from it; "assumed" marks a rule without evidence. */
abstract class RulesFromEvidence {
    static final String DEBIAN_CONFIG = """
      CONFIG_CC_VERSION_TEXT="gcc-12 (Debian 12.2.0-14+deb12u1) 12.2.0"
      CONFIG_MODULE_FORCE_LOAD=y
      CONFIG_MODVERSIONS=y
      CONFIG_MODULE_SIG=y
      # CONFIG_MODULE_SIG_FORCE is not set
      # CONFIG_MODULE_ALLOW_MISSING_NAMESPACE_IMPORTS is not set
      CONFIG_DEBUG_INFO_BTF_MODULES=y
      CONFIG_MODULE_ALLOW_BTF_MISMATCH=y
      """;
    static final String FIVE_COLUMNS = "0x00000001\ta\tvmlinux\tEXPORT_SYMBOL\t\n";

    @Nullable
    String release;

    @Nullable
    KernelConfig config;

    @Nullable
    Symvers symvers;

    @Nullable
    KernelModule ownModule;

    final Map<LoaderRule, String> given = new EnumMap<>(LoaderRule.class);

    void assertSeen(LoaderRule rule, String value) {
        assertThat(rules().setting(rule).value()).as(rule.id()).isEqualTo(value);
        assertThat(rules().setting(rule).assumed()).as(rule.id() + " assumed").isFalse();
    }

    void assertAssumed(LoaderRule rule, String value) {
        assertThat(rules().setting(rule).value()).as(rule.id()).isEqualTo(value);
        assertThat(rules().setting(rule).assumed()).as(rule.id() + " assumed").isTrue();
    }

    LoaderBehavior rules() {
        return LoaderBehaviorReader.read(new LoaderEvidence(release, config, symvers, ownModule, given));
    }

    static ModuleBuilder typical() {
        return ModuleBuilder.typical(Machine.X86_64, "m");
    }

    static KernelModule read(ModuleBuilder module) {
        byte[] bytes = module.build();
        return ModuleReader.read(Origin.file("m.ko"), bytes, bytes.length);
    }

    static KernelConfig config(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new KernelConfig(bytes, bytes.length);
    }

    static Symvers symvers(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return SymversReader.read(bytes, bytes.length);
    }
}
