package dev.weaklink.format.archive;

import com.github.luben.zstd.Zstd;
import dev.weaklink.testing.Payloads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** Writes packages of apk's third format for tests, with the layout of {@code apk mkpkg}. */
public final class Apk3Writer {
    private final AdbWriter values = new AdbWriter();
    private final int[] info = new int[16];
    private final List<Integer> directories = new ArrayList<>();
    private final List<byte[]> data = new ArrayList<>();
    private final List<byte[]> signatures = new ArrayList<>();
    private List<Integer> files = new ArrayList<>();
    private String directory = "";
    private final int acl;
    private boolean inDirectory;

    private Apk3Writer(String name, String version) {
        info[0] = values.text(name);
        info[1] = values.text(version);
        int root = values.text("root");
        acl = values.object(values.number(0755), root, root);
    }

    public static Apk3Writer named(String name, String version) {
        return new Apk3Writer(name, version);
    }

    Apk3Writer architecture(String architecture) {
        info[4] = values.text(architecture);
        return this;
    }

    public Apk3Writer origin(String origin) {
        info[6] = values.text(origin);
        return this;
    }

    /** Sets description, license, maintainer and URL, which weaklink ignores. */
    Apk3Writer described(String description) {
        info[3] = values.text(description);
        info[5] = values.text("GPL-2.0");
        info[8] = values.text("https://example.org");
        info[11] = values.number(12345);
        return this;
    }

    Apk3Writer depends(int... relations) {
        info[14] = values.object(relations);
        return this;
    }

    Apk3Writer provides(int... relations) {
        info[15] = values.object(relations);
        return this;
    }

    int relation(String name) {
        return values.object(values.text(name));
    }

    int relation(String name, String version) {
        return values.object(values.text(name), values.text(version));
    }

    int relation(String name, String version, int match) {
        return values.object(values.text(name), values.text(version), values.number(match));
    }

    /** Begins a directory for the files that follow. */
    public Apk3Writer directory(String name) {
        endDirectory();
        directory = name;
        inDirectory = true;
        return this;
    }

    private void endDirectory() {
        if (inDirectory) {
            int listed = files.isEmpty() ? AdbWriter.NOTHING : values.object(slots(files));
            directories.add(values.object(values.text(directory), acl, listed));
            files = new ArrayList<>();
        }
    }

    private static int[] slots(List<Integer> values) {
        return values.stream().mapToInt(Integer::intValue).toArray();
    }

    public Apk3Writer file(String name, byte[] contents) {
        return file(name, contents, digest("SHA-256", contents));
    }

    /** Adds a file whose digest need not match its contents. */
    public Apk3Writer file(String name, byte[] contents, byte[] digest) {
        list(name, values.number(contents.length), values.bytes(digest), AdbWriter.NOTHING);
        if (contents.length > 0) {
            data.add(AdbWriter.data(directories.size() + 1, files.size(), contents));
        }
        return this;
    }

    public Apk3Writer file(String name, String contents) {
        return file(name, contents.getBytes(StandardCharsets.UTF_8));
    }

    Apk3Writer symlink(String name, String target) {
        return target(name, 0xa000, target.getBytes(StandardCharsets.UTF_8));
    }

    Apk3Writer hardlink(String name, String target) {
        return target(name, 0x8000, target.getBytes(StandardCharsets.UTF_8));
    }

    Apk3Writer device(String name) {
        return target(name, 0x2000, new byte[8]);
    }

    /** Adds a link, device or pipe. Its size is that of the target, but it has no data block. */
    Apk3Writer target(String name, int type, byte[] target) {
        byte[] typed = Payloads.concat(new byte[] {(byte) type, (byte) (type >> 8)}, target);
        list(name, values.number(target.length), AdbWriter.NOTHING, values.bytes(typed));
        return this;
    }

    private void list(String name, int size, int digest, int target) {
        int time = values.number(1_700_000_000L);
        files.add(values.object(values.text(name), acl, size, time, digest, target));
    }

    Apk3Writer signature(byte[] signature) {
        signatures.add(AdbWriter.block(AdbBlocks.SIGNATURE, signature));
        return this;
    }

    public static byte[] digest(String algorithm, byte[] contents) {
        try {
            return MessageDigest.getInstance(algorithm).digest(contents);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the package without compression. */
    public byte[] bytes() {
        endDirectory();
        inDirectory = false;
        int scripts = values.object(AdbWriter.NOTHING, values.text("#!/bin/sh\n"));
        int paths = values.object(slots(directories));
        byte[] block = values.withRoot(values.object(values.object(info), paths, scripts));
        return AdbWriter.file(AdbWriter.block(AdbBlocks.VALUES, block), concat(signatures), concat(data));
    }

    private static byte[] concat(List<byte[]> parts) {
        return Payloads.concat(parts.toArray(new byte[0][]));
    }

    /** Returns the package compressed with deflate, the default of {@code apk mkpkg}. */
    public byte[] deflated() {
        return deflated(bytes());
    }

    static byte[] deflated(byte[] plain) {
        return Payloads.concat("ADBd".getBytes(StandardCharsets.US_ASCII), deflate(plain));
    }

    static byte[] named(int algorithm, byte[] packed) {
        byte[] level = {(byte) algorithm, 9};
        return Payloads.concat("ADBc".getBytes(StandardCharsets.US_ASCII), level, packed);
    }

    static byte[] deflate(byte[] plain) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(bytes, new Deflater(9, true))) {
            out.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Returns the package in every compression that apk supports. */
    static List<byte[]> packings(byte[] plain) {
        return List.of(
                plain, deflated(plain), named(0, plain), named(1, deflate(plain)), named(2, Zstd.compress(plain)));
    }
}
