package dev.weaklink.system.initramfs;

import dev.weaklink.system.initramfs.InitramfsImage.ImageLimits;
import dev.weaklink.system.initramfs.InitramfsImage.InitramfsReader;
import dev.weaklink.testing.FuzzTarget;
import dev.weaklink.testing.Packing;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Fuzzes initramfs images: sequences of plain and compressed archives. */
public final class InitramfsTarget implements FuzzTarget {
    private static final ImageLimits LIMITS = new ImageLimits(1 << 24, 16 << 20, 2_000, 8 << 10);

    @Override
    public void take(byte[] bytes) {
        try {
            new InitramfsReader(LIMITS, null).read(new BufferedInputStream(new ByteArrayInputStream(bytes)));
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            if (message.indexOf('\n') >= 0) {
                throw new IllegalStateException("more than a line: " + message);
            }
        }
    }

    @Override
    public List<byte[]> seeds() {
        byte[] early = new CpioWriter()
                .file("kernel/x86/microcode/GenuineIntel.bin", 40)
                .end();
        byte[] archive =
                new CpioWriter().file("lib/modules/6.1/kernel/a.ko", 60).end();
        List<byte[]> seeds = new ArrayList<>();
        for (Packing packing : Packing.values()) {
            seeds.add(packing.pack(archive));
        }
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(early);
        both.writeBytes(Packing.GZIP.pack(archive));
        seeds.add(both.toByteArray());
        return seeds;
    }
}
