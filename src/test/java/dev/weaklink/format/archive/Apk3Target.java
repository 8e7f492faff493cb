package dev.weaklink.format.archive;

import dev.weaklink.testing.FuzzTarget;
import dev.weaklink.testing.Payloads;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Packages of apk's third format. The packages are not compressed, so that a changed byte changes the list. The magic
 * is added, so that no input is lost for lack of it.
 */
public final class Apk3Target implements FuzzTarget {
    private static final byte[] MAGIC = "ADB.pckg".getBytes(StandardCharsets.US_ASCII);

    private final PackageTarget reader = new PackageTarget();

    @Override
    public void take(byte[] bytes) throws Exception {
        reader.take(Payloads.concat(MAGIC, bytes));
    }

    @Override
    public List<byte[]> seeds() {
        byte[] links = Apk3Writer.named("m", "1")
                .directory("lib")
                .file("empty", "")
                .hardlink("hard", "lib/empty")
                .symlink("soft", "/lib")
                .device("null")
                .file("other", new byte[3], Apk3Writer.digest("SHA-1", new byte[2]))
                .bytes();
        return List.of(
                withoutMagic(Samples.apk3()),
                withoutMagic(links),
                withoutMagic(HostileApk3.OUTSIDE.bytes()),
                withoutMagic(HostileApk3.CYCLE.bytes()),
                withoutMagic(HostileApk3.DISORDER.bytes()),
                AdbWriter.extendedBlock(AdbBlocks.VALUES, new AdbWriter().withRoot(0)));
    }

    private static byte[] withoutMagic(byte[] apk) {
        return Arrays.copyOfRange(apk, MAGIC.length, apk.length);
    }
}
