package dev.weaklink.testing;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes signature lists in the format of UEFI variables (UEFI specification, 32.4.1). */
public final class EfiVariable {
    private static final byte[] X509 = Der.hex("a159c0a5e494a74a87b5ab155c2bf072");
    private static final byte[] SHA256 = Der.hex("2616c4c14c509240aca941f936934328");
    private static final int OWNER = 16;
    private static final int HEADER = 28;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Adds a list of certificates, which must have the same size. */
    public EfiVariable x509(byte[]... certificates) {
        return list(X509, certificates);
    }

    /** Adds a list of {@code count} digests. */
    public EfiVariable hashes(int count) {
        byte[][] digests = new byte[count][32];
        return list(SHA256, digests);
    }

    private EfiVariable list(byte[] type, byte[]... signatures) {
        int each = OWNER + signatures[0].length;
        ByteBuffer sizes = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
        sizes.putInt(HEADER + each * signatures.length).putInt(0).putInt(each);
        out.writeBytes(type);
        out.writeBytes(sizes.array());
        for (byte[] signature : signatures) {
            out.writeBytes(new byte[OWNER]);
            out.writeBytes(signature);
        }
        return this;
    }

    public byte[] toBytes() {
        return out.toByteArray();
    }
}
