package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.ProofResult;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Pkcs7;
import dev.weaklink.testing.SignatureTrailer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernel's answer under each policy (kernel/module/signing.c:module_sig_check). */
class SignaturePolicyTest {
    private static final SignatureTrailer SIGNED = SignatureTrailer.pkcs7(Pkcs7.TYPICAL.toBytes());
    private static final SignatureTrailer UNSUPPORTED = SignatureTrailer.pkcs7(
            Pkcs7.TYPICAL.algorithms(Pkcs7.MD2, Pkcs7.RSA).toBytes());

    @ParameterizedTest
    @ValueSource(strings = {"permissive", "enforced", "lockdown"})
    void loadsAVerifiedModule(String policy) {
        assertThat(judge("6.1", policy, ProofResult.VERIFIED)
                        .isCompatible()
                        .verdict()
                        .unchecked())
                .doesNotContain("signature");
    }

    @ParameterizedTest
    @ValueSource(strings = {"permissive", "enforced", "lockdown"})
    void refusesAChangedModuleWithoutAMessage(String policy) {
        for (String version : List.of("4.18", "5.4", "6.1")) {
            judge(version, policy, ProofResult.WRONG)
                    .isRefused("EKEYREJECTED", Layer.SIGNATURE)
                    .silently();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "5.4, Loading of unsigned module is rejected",
        "5.5, m: Loading of unsigned module is rejected",
        "5.10, m: Loading of unsigned module is rejected",
        "5.11, m: loading of unsigned module is rejected",
        "5.12, Loading of unsigned module is rejected",
        "6.12, Loading of unsigned module is rejected"
    })
    void printsTheKernelsMessageForAnUnsignedModule(String version, String line) {
        judge(version, "enforced", SignatureTrailer.NONE)
                .isRefused("EKEYREJECTED", Layer.SIGNATURE)
                .saying(line);
    }

    @Test
    void printsTheKernelsMessagesForOtherReasons() {
        judge("6.1", "enforced", ProofResult.UNKNOWN_KEY)
                .isRefused("EKEYREJECTED", Layer.SIGNATURE)
                .saying("Loading of module with unavailable key is rejected");
        judge("6.1", "enforced", UNSUPPORTED)
                .isRefused("EKEYREJECTED", Layer.SIGNATURE)
                .saying("Loading of module with unsupported crypto is rejected");
        judge("6.1", "enforced", SignatureTrailer.of(1, new byte[9])).isRefused("EKEYREJECTED");
    }

    @Test
    void refusesAnEmptyFileUnderAnyPolicy() {
        Judged.alone(kernel("6.1", "enforced").build(), Judged.read(new byte[0]), List.of())
                .isRefused("EINVAL", Layer.ELF);
        Judged.alone(kernel("6.1", "enforced").build(), Judged.read(new byte[9]), List.of())
                .isRefused("EKEYREJECTED", Layer.SIGNATURE);
    }

    @Test
    void refusesUntrustedModulesUnderLockdown() {
        String line = "Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7";

        judge("6.1", "lockdown", SignatureTrailer.NONE)
                .isRefused("EPERM", Layer.SIGNATURE)
                .saying(line);
        judge("6.1", "lockdown", ProofResult.UNKNOWN_KEY)
                .isRefused("EPERM", Layer.SIGNATURE)
                .saying(line);
        judge("6.1", "lockdown", UNSUPPORTED)
                .isRefused("EPERM", Layer.SIGNATURE)
                .saying(line);
    }

    @Test
    void returnsEnokeyUpTo53() {
        for (String version : List.of("4.14", "5.3")) {
            judge(version, "enforced", SignatureTrailer.NONE)
                    .isRefused("ENOKEY", Layer.SIGNATURE)
                    .silently();
            judge(version, "lockdown", ProofResult.UNKNOWN_KEY)
                    .isRefused("ENOKEY", Layer.SIGNATURE)
                    .silently();
        }
        judge("4.18", "lockdown", SignatureTrailer.NONE)
                .isRefused("ENOKEY", Layer.SIGNATURE)
                .saying("Lockdown: Loading of untrusted modules is restricted; see man kernel_lockdown.7");
    }

    @Test
    void unknownAlgorithmIsFatalUpTo53() {
        judge("5.3", "permissive", UNSUPPORTED).isRefused("ENOPKG", Layer.SIGNATURE);
        judge("5.4", "permissive", UNSUPPORTED).isCompatible();
    }

    @Test
    void loadsUntrustedModulesWithoutEnforcement() {
        judge("6.1", "permissive", SignatureTrailer.NONE).isCompatible();
        judge("6.1", "permissive", ProofResult.UNKNOWN_KEY).isCompatible();
    }

    @ParameterizedTest
    @EnumSource(
            value = ProofResult.class,
            names = {"NOT_LOOKED_AT", "NO_CERTIFICATE", "UNREADABLE"})
    void isUndeterminedAboutAnUnknownSignatureIfItMatters(ProofResult result) {
        for (String policy : List.of("enforced", "lockdown")) {
            assertThat(judge("6.1", policy, result).isUndetermined().verdict().unchecked())
                    .contains("signature");
        }
        assertThat(judge("6.1", "permissive", result).isCompatible().verdict().unchecked())
                .contains("signature");
    }

    @Test
    void requestsACertificateIfNoneIsKnown() {
        Judged judged = judge("6.1", "enforced", ProofResult.NO_CERTIFICATE);

        assertThat(judged.verdict().findings().get(0).detail()).contains("CN=Test key", "7a:7d", "--cert", "--kernel");
    }

    @Test
    void refusesMalformedSignaturesUnderAnyPolicy() {
        judge("6.1", "permissive", pkcs7(Pkcs7.TYPICAL.withAttributes()))
                .isRefused("EKEYREJECTED", Layer.SIGNATURE)
                .saying("PKCS7: Invalid module sig (has authattrs)");
        judge("6.1", "permissive", pkcs7(Pkcs7.TYPICAL.withContent())).isRefused("EBADMSG", Layer.SIGNATURE);
        judge("6.1", "permissive", pkcs7(Pkcs7.TYPICAL.version(2))).isRefused("EINVAL", Layer.SIGNATURE);
        judge("6.1", "permissive", SignatureTrailer.pkcs7(new byte[65_536])).isRefused("EMSGSIZE", Layer.SIGNATURE);
    }

    @Test
    void judgesTrailersOfOldKernels() {
        SignatureTrailer trailer = SignatureTrailer.x509(new byte[2], new byte[3], new byte[8]);
        TargetKernel kernel = kernel("3.10", "enforced").build();
        KernelModule module = Judged.read(module(trailer).spec());

        Judged.alone(kernel, proven(module, ProofResult.VERIFIED), List.of()).isCompatible();
        Judged.alone(kernel, proven(module, ProofResult.UNKNOWN_KEY), List.of()).isRefused("ENOKEY", Layer.SIGNATURE);
        Judged.alone(kernel, proven(module, ProofResult.WRONG), List.of()).isRefused("EKEYREJECTED", Layer.SIGNATURE);
    }

    private static SignatureTrailer pkcs7(Pkcs7 message) {
        return SignatureTrailer.pkcs7(message.toBytes());
    }

    private static Judged judge(String version, String policy, SignatureTrailer trailer) {
        return Judged.alone(kernel(version, policy), module(trailer));
    }

    private static Judged judge(String version, String policy, ProofResult result) {
        KernelModule module = proven(Judged.read(module(SIGNED).spec()), result);
        return Judged.alone(kernel(version, policy).build(), module, List.of());
    }

    private static Kernels kernel(String version, String policy) {
        return Kernels.version(version).rule(LoaderRule.SIGNATURE_POLICY, policy);
    }

    private static ModuleBuilder module(SignatureTrailer trailer) {
        return ModuleBuilder.typical(Machine.X86_64, "m").signed(trailer);
    }

    private static KernelModule proven(KernelModule module, ProofResult result) {
        return module.with(module.signature().with(new Proof(result, "CN=somebody")));
    }
}
