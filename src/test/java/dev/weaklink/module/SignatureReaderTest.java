package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.ModuleSignature.ProofResult;
import dev.weaklink.module.ModuleSignature.SignatureKind;
import dev.weaklink.module.ModuleSignature.SignatureProblem;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Pkcs7;
import dev.weaklink.testing.SignatureTrailer;
import dev.weaklink.testing.SignatureTrailer.Descriptor;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests kernel/module_signature.c:mod_check_sig, and the outer structure of the PKCS#7 message. */
class SignatureReaderTest {
    private static final byte[] TYPICAL = Pkcs7.TYPICAL.toBytes();
    private static final String SIGNED_DATA = HexFormat.of().formatHex(TYPICAL);

    @Test
    void readsTheSignerOfSignedData() {
        ModuleSignature signature = signature(pkcs7(SIGNED_DATA));

        assertThat(signature.kind()).isEqualTo(SignatureKind.PKCS7);
        assertThat(signature.problem()).isEqualTo(SignatureProblem.NONE);
        assertThat(signature.length()).isEqualTo(TYPICAL.length);
        assertThat(signature.proof().result()).isEqualTo(ProofResult.NOT_LOOKED_AT);
        assertSigner(signature, "sha256", "rsa", "CN=Test key", "7a:7d");
    }

    @Test
    void readsASignerNamedByItsKey() {
        assertSigner(
                signature(SignatureTrailer.pkcs7(Pkcs7.TYPICAL.version(3).toBytes())), "sha256", "rsa", null, "0a:0b");
    }

    @Test
    void readsLengthsInLongForm() {
        // The outer length is one byte in long form.
        String content = SIGNED_DATA.substring(6);
        String length = SIGNED_DATA.substring(4, 6);

        assertThat(SIGNED_DATA).startsWith("3081");
        assertThat(signature(pkcs7("3082" + "00" + length + content)).problem()).isEqualTo(SignatureProblem.NONE);
        assertThat(signature(pkcs7("3084" + "000000" + length + content)).problem())
                .isEqualTo(SignatureProblem.NONE);
    }

    /** Appends bytes to a message; asn1_ber_decoder stops at the end of the grammar. */
    @Test
    void ignoresBytesBehindTheMessage() {
        assertThat(signature(pkcs7(SIGNED_DATA + "0000")).problem()).isEqualTo(SignatureProblem.NONE);
    }

    @Test
    void refusesWhatTheKernelsParserRefuses() {
        assertProblem(SignatureProblem.ATTRIBUTES, Pkcs7.TYPICAL.withAttributes());
        assertProblem(SignatureProblem.ATTACHED, Pkcs7.TYPICAL.withContent());
        assertProblem(
                SignatureProblem.UNSUPPORTED,
                Pkcs7.TYPICAL.algorithms(Pkcs7.SHA256, Pkcs7.SHA256_WITH_RSA).withAttributes());
        assertProblem(
                SignatureProblem.UNSUPPORTED,
                Pkcs7.TYPICAL.algorithms(Pkcs7.MD2, Pkcs7.RSA).withContent());
        Pkcs7 lattice = Pkcs7.TYPICAL.algorithms(Pkcs7.SHA256, Pkcs7.ML_DSA_65);
        assertProblem(SignatureProblem.NONE, lattice);
        assertProblem(SignatureProblem.WAIVABLE, lattice.withAttributes());
        assertProblem(SignatureProblem.ATTACHED, lattice.withAttributes().withContent());
        assertProblem(SignatureProblem.UNEXPECTED, Pkcs7.TYPICAL.version(2));
        assertThat(signature(pkcs7("300f06092a864886f70d010701a0023000")).problem())
                .isEqualTo(SignatureProblem.UNEXPECTED);
        assertProblem(SignatureProblem.UNSUPPORTED, Pkcs7.TYPICAL.algorithms(Pkcs7.MD2, Pkcs7.RSA));
        assertProblem(SignatureProblem.UNSUPPORTED, Pkcs7.TYPICAL.algorithms(Pkcs7.SHA256, Pkcs7.SHA256_WITH_RSA));
    }

    @Test
    void refusesAMessageThatIsTruncatedAnywhere() {
        for (int length = 0; length < TYPICAL.length; length++) {
            assertThat(signature(SignatureTrailer.pkcs7(Arrays.copyOf(TYPICAL, length)))
                            .problem())
                    .as("%d bytes", length)
                    .isEqualTo(SignatureProblem.UNPARSABLE);
        }
    }

    @Test
    void refusesAMessageOfMoreThan64Kib() {
        byte[] longest = Arrays.copyOf(TYPICAL, 65_535);
        byte[] longer = Arrays.copyOf(TYPICAL, 65_536);

        assertThat(signature(SignatureTrailer.pkcs7(longest)).problem()).isEqualTo(SignatureProblem.NONE);
        assertThat(signature(SignatureTrailer.pkcs7(longer)).problem()).isEqualTo(SignatureProblem.TOO_LONG);
    }

    private static void assertProblem(SignatureProblem problem, Pkcs7 message) {
        assertThat(signature(SignatureTrailer.pkcs7(message.toBytes())).problem())
                .isEqualTo(problem);
    }

    private static void assertSigner(
            ModuleSignature signature, String digest, String algorithm, @Nullable String name, String id) {
        Signer signer = signature.signer();
        assertThat(signer).isNotNull();
        assertThat(signer.digest()).isEqualTo(digest);
        assertThat(signer.algorithm()).isEqualTo(algorithm);
        assertThat(signer.name()).isEqualTo(name);
        assertThat(signer.id()).isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "30",
                "3000",
                "3080",
                "308400",
                "3085000000000f06092a864886f70d010702a0023000",
                "3084ffffffff06092a864886f70d010702a0023000",
                "300e06092a864886f70d010702a0023000",
                "301006092a864886f70d010702a0023000",
                "310f06092a864886f70d010702a0023000",
                "deadbeef"
            })
    void refusesOtherBytesAsAMessage(String hex) {
        assertThat(signature(pkcs7(hex)).problem()).isEqualTo(SignatureProblem.UNPARSABLE);
    }

    static Stream<Arguments> nonZeroFields() {
        return Stream.of(
                Arguments.of("algo", new Descriptor(1, 0, 2, 0, 0, 0, TYPICAL.length)),
                Arguments.of("hash", new Descriptor(0, 1, 2, 0, 0, 0, TYPICAL.length)),
                Arguments.of("signer_len", new Descriptor(0, 0, 2, 1, 0, 0, TYPICAL.length)),
                Arguments.of("key_id_len", new Descriptor(0, 0, 2, 0, 1, 0, TYPICAL.length)),
                Arguments.of("pad[0]", new Descriptor(0, 0, 2, 0, 0, 0x010000, TYPICAL.length)),
                Arguments.of("pad[2]", new Descriptor(0, 0, 2, 0, 0, 0x000001, TYPICAL.length)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("nonZeroFields")
    void reportsNonZeroFields(String field, Descriptor descriptor) {
        assertThat(signature(pkcs7(SIGNED_DATA).with(descriptor)).problem())
                .isEqualTo(SignatureProblem.NON_ZERO_PARAMS);
    }

    @Test
    void reportsALengthThatLeavesNothingOfTheFile() {
        byte[] module = ModuleBuilder.typical(Machine.X86_64, "m").build();
        SignatureTrailer trailer = SignatureTrailer.pkcs7(new byte[0]);

        assertThat(signature(trailer.announcing(module.length)).problem()).isEqualTo(SignatureProblem.LENGTH);
        assertThat(signature(trailer.announcing(0xffffffffL)))
                .isEqualTo(new ModuleSignature(SignatureKind.PKCS7, SignatureProblem.LENGTH, 0xffffffffL));
        assertThat(signature(trailer.announcing(module.length - 1)).problem()).isEqualTo(SignatureProblem.UNPARSABLE);
    }

    @Test
    void countsTheNamesOfAnX509Trailer() {
        SignatureTrailer trailer =
                SignatureTrailer.x509(new byte[3], new byte[4], HexFormat.of().parseHex("aabb"));

        assertThat(signature(trailer).kind()).isEqualTo(SignatureKind.X509);
        assertThat(signature(trailer).problem()).isEqualTo(SignatureProblem.NONE);
        assertThat(signature(trailer).length()).isEqualTo(2);
        assertSigner(signature(trailer), "sha256", "rsa", "\0\0\0", "00:00:00:00");
    }

    @Test
    void endsTheElfPartBeforeAPkcs7Signature() {
        byte[] elf = ModuleBuilder.typical(Machine.X86_64, "m").build();
        byte[] signed = ModuleBuilder.typical(Machine.X86_64, "m")
                .signed(pkcs7(SIGNED_DATA))
                .build();

        assertThat(SignatureReader.read(signed, signed.length).elfLength()).isEqualTo(elf.length);
    }

    /** Tests kernel/module/signing.c:mod_verify_sig, which shortens the module only after mod_check_sig. */
    @Test
    void removesOnlyTheMarkerOfAnUnknownTrailer() {
        SignatureTrailer x509 = SignatureTrailer.x509(new byte[3], new byte[4], new byte[5]);
        byte[] signed = ModuleBuilder.typical(Machine.X86_64, "m").signed(x509).build();

        assertThat(SignatureReader.read(signed, signed.length).elfLength())
                .isEqualTo(signed.length - "~Module signature appended~\n".length());
    }

    @Test
    void reportsUnknownKindsOfIds() {
        assertThat(signature(SignatureTrailer.of(0, new byte[4])).kind()).isEqualTo(SignatureKind.PGP);
        assertThat(signature(SignatureTrailer.of(3, new byte[4])).kind()).isEqualTo(SignatureKind.HASHES);
        assertThat(signature(SignatureTrailer.of(255, new byte[4])).kind()).isEqualTo(SignatureKind.UNKNOWN);
    }

    @Test
    void ignoresAMarkerWithNothingBeforeIt() {
        byte[] marker = SignatureTrailer.MARKER_ONLY.toBytes();

        assertThat(SignatureReader.read(marker, marker.length).signature()).isEqualTo(ModuleSignature.UNSIGNED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 11, 12})
    void reportsAMarkerWithoutRoomForADescriptor(int room) {
        byte[] marker = SignatureTrailer.MARKER_ONLY.toBytes();
        byte[] file = new byte[room + marker.length];
        System.arraycopy(marker, 0, file, room, marker.length);

        assertThat(SignatureReader.read(file, file.length).signature().problem())
                .isEqualTo(SignatureProblem.LENGTH);
        assertThat(SignatureReader.read(file, file.length).elfLength()).isEqualTo(room);
    }

    @Test
    void ignoresAMarkerThatIsNotAtTheEnd() {
        byte[] signed = ModuleBuilder.typical(Machine.X86_64, "m")
                .signed(pkcs7(SIGNED_DATA))
                .build();
        byte[] longer = Arrays.copyOf(signed, signed.length + 1);

        assertThat(SignatureReader.read(longer, longer.length))
                .isEqualTo(new SignatureReader.Trailer(ModuleSignature.UNSIGNED, longer.length));
    }

    private static SignatureTrailer pkcs7(String hex) {
        return SignatureTrailer.pkcs7(HexFormat.of().parseHex(hex));
    }

    private static ModuleSignature signature(SignatureTrailer trailer) {
        byte[] file = ModuleBuilder.typical(Machine.X86_64, "m").signed(trailer).build();
        return SignatureReader.read(file, file.length).signature();
    }
}
