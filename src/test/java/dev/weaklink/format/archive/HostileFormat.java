package dev.weaklink.format.archive;

import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;

/** Packages of every format around crafted entries. */
public enum HostileFormat {
    TAR {
        @Override
        public Path write(Path place, byte[] entries) throws IOException {
            return Files.write(place, entries);
        }
    },
    DEB {
        @Override
        public Path write(Path place, byte[] entries) throws IOException {
            byte[] deb = new ArWriter()
                    .member("debian-binary", "2.0\n")
                    .member("control.tar", Samples.control())
                    .member("data.tar.gz", entries)
                    .bytes();
            return Files.write(place, deb);
        }
    },
    IPK {
        @Override
        public Path write(Path place, byte[] entries) throws IOException {
            byte[] ipk = new TarWriter()
                    .file("./debian-binary", "2.0\n")
                    .file("./control.tar.gz", Packing.GZIP.pack(Samples.control()))
                    .file("./data.tar.gz", entries)
                    .bytes();
            return Files.write(place, Packing.GZIP.pack(ipk));
        }
    },
    APK {
        @Override
        public Path write(Path place, byte[] entries) throws IOException {
            byte[] info = Packing.GZIP.pack(
                    new TarWriter().file(".PKGINFO", "pkgname = m\n").withoutEnd());
            return Files.write(place, Payloads.concat(info, entries));
        }
    },
    OCI {
        @Override
        public Path write(Path place, byte[] entries) throws IOException {
            Path blobs = Files.createDirectories(place.resolve("blobs/sha256"));
            Files.writeString(place.resolve("oci-layout"), "{\"imageLayoutVersion\": \"1.0.0\"}");
            String manifest = "{\"layers\": [{\"digest\": \"" + blob(blobs, entries) + "\"}]}";
            String digest = blob(blobs, manifest.getBytes(StandardCharsets.UTF_8));
            Files.writeString(place.resolve("index.json"), "{\"manifests\": [{\"digest\": \"" + digest + "\"}]}");
            return place;
        }

        private String blob(Path blobs, byte[] content) throws IOException {
            String name = HexFormat.of().formatHex(Apk3Writer.digest("SHA-256", content));
            Files.write(blobs.resolve(name), content);
            return "sha256:" + name;
        }
    },
    RPM {
        @Override
        public Path write(Path place, byte[] entries) throws IOException {
            RpmWriter rpm = RpmWriter.named("kmod-m").files("/lib/modules/6.1/extra/", List.of("m.ko"), 1);
            return Files.write(place, rpm.bytes(entries));
        }

        @Override
        byte[] entry(String name, long size) {
            return new CpioWriter()
                    .entry(name, CpioWriter.FILE, 1, 1, Math.min(size, 0xfffffff0L), new byte[0])
                    .withoutTrailer();
        }

        @Override
        byte[] link(String name, String target) {
            return new CpioWriter().symlink(name, target).withoutTrailer();
        }

        @Override
        byte[] end() {
            return new CpioWriter().bytes();
        }
    };

    private static final int MANY = 1000;
    private static final int MEGABYTES = 10;

    /** The number of parts, enough for the limit on sizes to apply before the limit on the expansion of a stream. */
    private static final int ZEROS = 300;

    /** Writes a package with these compressed entries. */
    public abstract Path write(Path place, byte[] entries) throws IOException;

    /** Returns the header of a regular file, without the contents. */
    byte[] entry(String name, long size) {
        byte[] header = new byte[TarReader.RECORD];
        put(header, 0, name);
        put(header, 100, "0000644");
        put(header, 124, String.format("%011o", size));
        put(header, 257, "ustar\00000");
        header[156] = '0';
        return withChecksum(header);
    }

    byte[] link(String name, String target) {
        byte[] header = entry(name, 0);
        header[156] = '2';
        put(header, 157, target);
        return withChecksum(header);
    }

    byte[] end() {
        return new byte[2 * TarReader.RECORD];
    }

    private static byte[] withChecksum(byte[] header) {
        put(header, 148, "        ");
        int sum = 0;
        for (byte b : header) {
            sum += b & 0xff;
        }
        put(header, 148, String.format("%06o", sum) + "\0 ");
        return header;
    }

    private static void put(byte[] header, int offset, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, offset, bytes.length);
    }

    /** Returns files with absolute paths and paths with {@code ..}, and links that lead out of the package. */
    public byte[] traversal() {
        return Packing.GZIP.pack(Payloads.concat(
                entry("../../../escaped.ko", 0),
                entry("lib/../../escaped.ko", 0),
                entry("/escaped.ko", 0),
                link("lib/modules/6.1/extra/link.ko", "../../../../../../etc/passwd"),
                link("lib/modules/6.1/out", "/"),
                entry("lib/modules/6.1/out/escaped.ko", 0),
                end()));
    }

    /** Returns a module that claims 8 GB and contains 3 GB of zeros. */
    public byte[] bomb() {
        List<byte[]> parts = new ArrayList<>();
        parts.add(Packing.GZIP.pack(entry("lib/modules/6.1/extra/m.ko", (8L << 30) - 1)));
        parts.addAll(zeros());
        return Payloads.concat(parts.toArray(new byte[0][]));
    }

    /** Returns an archive followed by 3 GB of zeros. */
    public byte[] bombBehind() {
        List<byte[]> parts = new ArrayList<>();
        parts.add(Packing.GZIP.pack(Payloads.concat(entry("lib/modules/6.1/extra/m.ko", 0), end())));
        parts.addAll(zeros());
        return Payloads.concat(parts.toArray(new byte[0][]));
    }

    /** Returns gzip members that together are one stream of zeros. */
    private static List<byte[]> zeros() {
        byte[] some = Packing.GZIP.pack(new byte[MEGABYTES << 20]);
        return Collections.nCopies(ZEROS, some);
    }

    /** Returns a million empty files. */
    public byte[] million() {
        byte[][] thousand = new byte[MANY][];
        Arrays.fill(thousand, entry("lib/f", 0));
        byte[][] all = new byte[MANY + 1][];
        Arrays.fill(all, Packing.GZIP.pack(Payloads.concat(thousand)));
        all[MANY] = Packing.GZIP.pack(end());
        return Payloads.concat(all);
    }

    /** Returns an archive that is cut in the middle of a file. */
    public byte[] truncated() {
        byte[] whole = Packing.GZIP.pack(
                Payloads.concat(entry("lib/modules/6.1/extra/m.ko", 100_000), random(100_000), end()));
        return Arrays.copyOf(whole, whole.length / 2);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new java.util.Random(3).nextBytes(bytes);
        return bytes;
    }

    /** Returns ten nested archives with a module in the innermost. */
    public byte[] nested() {
        byte[] inner = Packing.GZIP.pack(Payloads.concat(entry("lib/modules/6.1/extra/m.ko", 0), end()));
        for (int depth = 0; depth < 9; depth++) {
            byte[] padded = Arrays.copyOf(inner, inner.length + 511 & -512);
            inner = Packing.GZIP.pack(Payloads.concat(entry("level.tar", inner.length), padded, end()));
        }
        return inner;
    }
}
