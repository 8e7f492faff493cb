package dev.weaklink.realkernel;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/** Signed modules with a changed signature, descriptor or marker. */
final class SignatureCases {
    /** The offsets in struct module_signature. */
    private static final int ALGO = 0;

    private static final int ID_TYPE = 2;
    private static final int SIG_LEN = 8;

    private final Mutations mutations;
    private final byte[] signed;
    private final int elfLength;
    private final int descriptor;

    private SignatureCases(Mutations mutations) {
        this.mutations = mutations;
        signed = mutations.original("dummy");
        elfLength = mutations.edit("dummy").unsigned().length;
        descriptor = signed.length - ModuleEditor.SIGNATURE_MARKER.length - ModuleEditor.SIGNATURE_DESCRIPTOR;
    }

    static void addTo(Mutations mutations) {
        SignatureCases cases = new SignatureCases(mutations);
        cases.addPayloads();
        cases.addDescriptors();
        cases.addTrailers();
    }

    private void addPayloads() {
        patched("sig_native", file -> {});
        mutations.change("sig_strip", editor -> {});
        patched("sig_payload_flip", file -> file[indexOf(file, "alias=") + 6] ^= 1);
        patched("sig_pkcs7_garbage", file -> Arrays.fill(file, elfLength, elfLength + 16, (byte) -1));
        patched("sig_rsa_flip", file -> file[descriptor - 8] ^= (byte) 0xff);
        unsignedThen("sig_of_other", mutations.edit("cmac").signature());
    }

    private void addDescriptors() {
        patched("sig_idtype_pgp", file -> file[descriptor + ID_TYPE] = 0);
        patched("sig_idtype_x509", file -> file[descriptor + ID_TYPE] = 1);
        patched("sig_algo_nonzero", file -> file[descriptor + ALGO] = 1);
        patched("sig_len_huge", file -> file[descriptor + SIG_LEN] = 0x7f);
    }

    private void addTrailers() {
        mutations.add("sig_trailing_nl", "dummy", join(signed, new byte[] {'\n'}));
        mutations.add("sig_marker_cut", "dummy", Arrays.copyOf(signed, signed.length - 1));
        unsignedThen("sig_marker_only", ModuleEditor.SIGNATURE_MARKER);
    }

    private void patched(String name, Consumer<byte[]> patch) {
        byte[] file = signed.clone();
        patch.accept(file);
        mutations.add(name, "dummy", file);
    }

    private void unsignedThen(String name, byte[] trailer) {
        mutations.add(name, "dummy", join(mutations.edit("dummy").unsigned(), trailer));
    }

    private static int indexOf(byte[] file, String text) {
        return new String(file, StandardCharsets.ISO_8859_1).indexOf(text);
    }

    private static byte[] join(byte[] first, byte[] second) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(first);
        out.writeBytes(second);
        return out.toByteArray();
    }
}
