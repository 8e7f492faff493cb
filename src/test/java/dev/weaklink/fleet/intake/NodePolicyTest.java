package dev.weaklink.fleet.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.StableId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodePolicyTest {
    @ParameterizedTest
    @CsvSource({
        ",,,PERMISSIVE",
        "disabled,,,PERMISSIVE",
        "unsupported,,false,PERMISSIVE",
        "enabled,,,SECURE_BOOT",
        "enabled,,false,SECURE_BOOT",
        "enabled,none,false,PERMISSIVE",
        "enabled,integrity,false,LOCKDOWN",
        "disabled,confidentiality,false,LOCKDOWN",
        ",integrity,,LOCKDOWN",
        "enabled,integrity,true,ENFORCED",
        ",none,true,ENFORCED",
        ",,true,ENFORCED",
        ",unheard of,,PERMISSIVE"
    })
    void derivesThePolicyFromTheNodesReport(
            @Nullable String secureBoot, @Nullable String lockdown, @Nullable Boolean enforced, NodePolicy policy) {
        assertThat(NodePolicy.of(secureBoot, lockdown, enforced)).isEqualTo(policy);
        assertThat(StableId.of(policy.id(), List.of(NodePolicy.values()))).isEqualTo(policy);
    }
}
