package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.ModuleSignature.Kind;
import dev.weaklink.module.ModuleSignature.Problem;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SignatureTrailer;
import dev.weaklink.testing.SignatureTrailer.Descriptor;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** kernel/module_signature.c:mod_check_sig, and the outer shape of what it announces. */
class SignatureReaderTest {
  /** SEQUENCE of 15 bytes: OBJECT IDENTIFIER signedData, then [0] with an empty SEQUENCE. */
  private static final String SIGNED_DATA = "300f" + "06092a864886f70d010702" + "a0023000";

  @Test
  void aMessageOfSignedDataIsFine() {
    assertThat(signature(pkcs7(SIGNED_DATA)))
        .isEqualTo(new ModuleSignature(Kind.PKCS7, Problem.NONE, 17));
  }

  @Test
  void lengthsInLongForm() {
    String content = SIGNED_DATA.substring(4);

    assertThat(signature(pkcs7("30810f" + content)).problem()).isEqualTo(Problem.NONE);
    assertThat(signature(pkcs7("3084" + "0000000f" + content)).problem()).isEqualTo(Problem.NONE);
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
        "300f06092a864886f70d010701a0023000",
        "deadbeef"
      })
  void otherBytesAreNoSuchMessage(String hex) {
    assertThat(signature(pkcs7(hex)).problem()).isEqualTo(Problem.UNPARSABLE);
  }

  static Stream<Arguments> nonZeroFields() {
    return Stream.of(
        Arguments.of("algo", new Descriptor(1, 0, 2, 0, 0, 0, 17)),
        Arguments.of("hash", new Descriptor(0, 1, 2, 0, 0, 0, 17)),
        Arguments.of("signer_len", new Descriptor(0, 0, 2, 1, 0, 0, 17)),
        Arguments.of("key_id_len", new Descriptor(0, 0, 2, 0, 1, 0, 17)),
        Arguments.of("pad[0]", new Descriptor(0, 0, 2, 0, 0, 0x010000, 17)),
        Arguments.of("pad[2]", new Descriptor(0, 0, 2, 0, 0, 0x000001, 17)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("nonZeroFields")
  void fieldsThatMustBeZero(String field, Descriptor descriptor) {
    assertThat(signature(pkcs7(SIGNED_DATA).with(descriptor)).problem())
        .isEqualTo(Problem.NON_ZERO_PARAMS);
  }

  @Test
  void aLengthThatLeavesNothingOfTheFileIsAProblem() {
    byte[] module = ModuleBuilder.typical(Machine.X86_64, "m").build();
    SignatureTrailer trailer = SignatureTrailer.pkcs7(new byte[0]);

    assertThat(signature(trailer.announcing(module.length)).problem()).isEqualTo(Problem.LENGTH);
    assertThat(signature(trailer.announcing(0xffffffffL)))
        .isEqualTo(new ModuleSignature(Kind.PKCS7, Problem.LENGTH, 0xffffffffL));
    assertThat(signature(trailer.announcing(module.length - 1)).problem())
        .isEqualTo(Problem.UNPARSABLE);
  }

  @Test
  void theNamesOfAnX509TrailerCountToo() {
    SignatureTrailer trailer =
        SignatureTrailer.x509(new byte[3], new byte[4], HexFormat.of().parseHex("aabb"));

    assertThat(signature(trailer)).isEqualTo(new ModuleSignature(Kind.X509, Problem.NONE, 2));
  }

  @Test
  void theElfPartEndsWhereAPkcs7SignatureStarts() {
    byte[] elf = ModuleBuilder.typical(Machine.X86_64, "m").build();
    byte[] signed = ModuleBuilder.typical(Machine.X86_64, "m").signed(pkcs7(SIGNED_DATA)).build();

    assertThat(SignatureReader.read(signed, signed.length).elfLength()).isEqualTo(elf.length);
  }

  /** kernel/module/signing.c:mod_verify_sig shortens the module only after mod_check_sig. */
  @Test
  void ofAnotherTrailerOnlyTheMarkerIsTakenAway() {
    SignatureTrailer x509 = SignatureTrailer.x509(new byte[3], new byte[4], new byte[5]);
    byte[] signed = ModuleBuilder.typical(Machine.X86_64, "m").signed(x509).build();

    assertThat(SignatureReader.read(signed, signed.length).elfLength())
        .isEqualTo(signed.length - "~Module signature appended~\n".length());
  }

  @Test
  void unknownKindsOfIds() {
    assertThat(signature(SignatureTrailer.of(0, new byte[4])).kind()).isEqualTo(Kind.PGP);
    assertThat(signature(SignatureTrailer.of(3, new byte[4])).kind()).isEqualTo(Kind.UNKNOWN);
    assertThat(signature(SignatureTrailer.of(255, new byte[4])).kind()).isEqualTo(Kind.UNKNOWN);
  }

  @Test
  void aMarkerWithNothingBeforeItIsNoMarker() {
    byte[] marker = SignatureTrailer.MARKER_ONLY.toBytes();

    assertThat(SignatureReader.read(marker, marker.length).signature())
        .isEqualTo(ModuleSignature.UNSIGNED);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 11, 12})
  void aMarkerWithoutRoomForADescriptorIsAProblem(int room) {
    byte[] marker = SignatureTrailer.MARKER_ONLY.toBytes();
    byte[] file = new byte[room + marker.length];
    System.arraycopy(marker, 0, file, room, marker.length);

    assertThat(SignatureReader.read(file, file.length).signature().problem())
        .isEqualTo(Problem.LENGTH);
    assertThat(SignatureReader.read(file, file.length).elfLength()).isEqualTo(room);
  }

  @Test
  void aMarkerThatIsNotAtTheEndDoesNotCount() {
    byte[] signed = ModuleBuilder.typical(Machine.X86_64, "m").signed(pkcs7(SIGNED_DATA)).build();
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
