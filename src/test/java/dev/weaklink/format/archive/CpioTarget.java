package dev.weaklink.format.archive;

import dev.weaklink.testing.FuzzTarget;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Cpio archives. */
public final class CpioTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) {
        try {
            CpioReader cpio = new CpioReader(new ByteArrayInputStream(bytes));
            while (cpio.next() != null) {
                cpio.contents().transferTo(OutputStream.nullOutputStream());
            }
        } catch (IOException e) {
            PackageTarget.requireOneLine(e.getMessage());
        }
    }

    @Override
    public List<byte[]> seeds() {
        return List.of(
                new CpioWriter()
                        .directory("lib")
                        .file("lib/m.ko", new byte[10])
                        .symlink("lib/n.ko", "m.ko")
                        .bytes(),
                new CpioWriter()
                        .entry("lib/m.ko", 0100644, 7, 2, 3, new byte[3])
                        .bytes());
    }
}
