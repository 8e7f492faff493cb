package dev.weaklink.format.archive;

import dev.weaklink.format.archive.PackageFile.EntryVisitor;
import dev.weaklink.format.archive.PackageFile.OpenPackage;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.testing.FuzzTarget;
import dev.weaklink.testing.Packing;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Packages of every format. Checks that each visited entry has a path and the stated number of bytes. */
public final class PackageTarget implements FuzzTarget {
    private static final PackageLimits LIMITS = new PackageLimits(2_000, 1 << 20, 4 << 20, 64 << 20, 250, 4, 8 << 10);

    @Override
    public void take(byte[] bytes) throws Exception {
        byte[] head = Arrays.copyOf(bytes, PackageFormat.HEAD_LENGTH);
        PackageFormat format = PackageFormat.of(head, Math.min(bytes.length, PackageFormat.HEAD_LENGTH));
        PackageBudget budget = new PackageBudget(LIMITS);
        InputStream in = new BufferedInputStream(new ByteArrayInputStream(bytes));
        try (OpenPackage open = format.open(in, budget)) {
            open.walk(new PackageWalk(new Reading(), budget, open.info()));
        } catch (IOException e) {
            requireOneLine(e.getMessage());
        }
    }

    static void requireOneLine(String message) {
        if (message != null && message.indexOf('\n') >= 0) {
            throw new IllegalStateException("more than a line: " + message);
        }
    }

    @Override
    public List<byte[]> seeds() {
        byte[] module = Samples.MODULE_TEXT.getBytes(StandardCharsets.US_ASCII);
        byte[] payload = new CpioWriter().file("." + Samples.MODULE, module).bytes();
        RpmWriter rpm = RpmWriter.named("kmod-m").files("/lib/modules/6.1/extra/", List.of("m.ko"), module.length);
        return List.of(
                rpm.bytes(payload),
                rpm.bytes(Packing.GZIP.pack(payload)),
                Samples.deb(Packing.NONE, Packing.NONE),
                Samples.deb(Packing.GZIP, Packing.XZ),
                Samples.deb(Packing.ZSTD, Packing.BZIP2),
                Samples.deb(Packing.NONE, Packing.LZMA),
                Samples.ipk(),
                Samples.apk(),
                Samples.apk3(),
                Apk3Writer.deflated(Samples.apk3()),
                Samples.data(),
                new TarWriter()
                        .file("a.rpm", rpm.bytes(payload))
                        .file("b.tar", Samples.data())
                        .bytes());
    }

    private static final class Reading implements EntryVisitor {
        @Override
        public boolean wants(String path) {
            return true;
        }

        @Override
        public void visit(PackageEntry entry) throws IOException {
            if (!entry.path().startsWith("/") || entry.path().contains("/../")) {
                throw new IllegalStateException("a path that is none: " + entry.path());
            }
            long count = entry.contents().transferTo(java.io.OutputStream.nullOutputStream());
            if (count != entry.size()) {
                throw new IllegalStateException(count + " bytes instead of " + entry.size());
            }
        }

        @Override
        public void problem(String subject, String message) {
            requireOneLine(message);
        }
    }
}
