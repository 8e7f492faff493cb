package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderBehavior.Setting;
import dev.weaklink.kernel.LoaderBehaviorReader;
import dev.weaklink.kernel.LoaderBehaviorReader.LoaderEvidence;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.SignatureVerifier.KeyRing;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.EfiVariable;
import dev.weaklink.testing.Payloads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The signature policy and the keys of a running machine. */
class MachineTest {
    private static final String ENFORCE = "sys/module/module/parameters/sig_enforce";
    private static final String LOCKDOWN = "sys/kernel/security/lockdown";
    private static final String VARIABLES = "sys/firmware/efi/efivars/";
    private static final String DB = VARIABLES + "db-d719b2cb-3d3a-4596-a3bc-dad00e67656f";
    private static final String MOK = VARIABLES + "MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23";
    private static final String MOK_TABLE = "sys/firmware/efi/mok-variables/MokListRT";

    @TempDir
    Path top;

    @ParameterizedTest
    @CsvSource(
            value = {
                "N | [none] integrity confidentiality | permissive",
                "Y | [none] integrity confidentiality | enforced",
                "N | none [integrity] confidentiality | lockdown",
                "N | none integrity [confidentiality] | lockdown",
                "Y | none [integrity] confidentiality | enforced",
                "N |                                  | permissive",
                "  | none [integrity] confidentiality | lockdown"
            },
            delimiter = '|')
    void usesTheStrictestPolicyInForce(@Nullable String enforce, @Nullable String lockdown, String policy)
            throws IOException {
        write(ENFORCE, enforce);
        write(LOCKDOWN, lockdown);

        MachinePolicy read = MachinePolicy.read(root());

        assertThat(read).isNotNull();
        assertThat(read.policy()).isEqualTo(policy);
    }

    @Test
    void findsNoPolicyIfTheMachineShowsNone() throws IOException {
        assertThat(MachinePolicy.read(root())).isNull();
    }

    @Test
    void assumesThePolicyOfTheRunningKernelForOthers() throws IOException {
        write(ENFORCE, "Y");
        write("proc/sys/kernel/osrelease", "6.1.0-1-amd64");
        MachinePolicy machine = MachinePolicy.read(root());
        LoaderBehavior rules = rules(Map.of());

        assertThat(machine).isNotNull();
        assertThat(policy(machine.applied(rules, "6.1.0-1-amd64")))
                .isEqualTo(new Setting("enforced", false, "/" + ENFORCE));
        assertThat(policy(machine.applied(rules, "6.1.0-2-amd64")))
                .isEqualTo(new Setting("enforced", true, "/" + ENFORCE + " of the running kernel"));
    }

    @Test
    void prefersTheUsersPolicyToTheMachines() throws IOException {
        write(ENFORCE, "Y");
        MachinePolicy machine = MachinePolicy.read(root());
        LoaderBehavior rules = rules(Map.of(LoaderRule.SIGNATURE_POLICY, "permissive"));

        assertThat(machine).isNotNull();
        assertThat(machine.applied(rules, "6.1.0-1-amd64")).isEqualTo(rules);
    }

    @Test
    void enrolledKeysAreReadFromTheFirmwaresVariables() throws IOException {
        byte[] attributes = {7, 0, 0, 0};
        write(
                DB,
                Payloads.concat(
                        attributes, new EfiVariable().x509(new byte[] {1}).toBytes()));
        write(
                MOK,
                Payloads.concat(
                        attributes, new EfiVariable().x509(new byte[] {2}).toBytes()));

        KeyRing keys = EnrolledKeys.read(root());

        assertThat(keys.complete()).isTrue();
        assertThat(keys.certificates().stream().map(EncodedCertificate::der))
                .containsExactly(new byte[] {1}, new byte[] {2});
    }

    @Test
    void prefersTheTableOfMachineOwnerKeysToTheVariable() throws IOException {
        write(MOK, new byte[3]);
        write(MOK_TABLE, new EfiVariable().x509(new byte[] {3}).toBytes());

        assertThat(EnrolledKeys.read(root()).certificates().stream().map(EncodedCertificate::der))
                .containsExactly(new byte[] {3});
    }

    @Test
    void findsNoKeysWithoutFirmwareVariables() throws IOException {
        assertThat(EnrolledKeys.read(root()).certificates()).isEmpty();
        assertThat(EnrolledKeys.read(root()).complete()).isTrue();
    }

    @Test
    void assumesAnyKeyInAnUnreadableVariable() throws IOException {
        Files.createDirectories(top.resolve(DB));

        assertThat(EnrolledKeys.read(root()).complete()).isFalse();
    }

    private static LoaderBehavior rules(Map<LoaderRule, String> given) {
        return LoaderBehaviorReader.read(new LoaderEvidence(null, null, null, null, null, given));
    }

    private static Setting policy(LoaderBehavior rules) {
        return rules.setting(LoaderRule.SIGNATURE_POLICY);
    }

    private Root root() throws IOException {
        return Root.of(top);
    }

    private void write(String path, @Nullable String line) throws IOException {
        if (line != null) {
            write(path, (line + "\n").getBytes(StandardCharsets.US_ASCII));
        }
    }

    private void write(String path, byte[] contents) throws IOException {
        Path file = top.resolve(path);
        Files.createDirectories(file.getParent());
        Files.write(file, contents);
    }
}
