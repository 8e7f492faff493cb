package dev.weaklink.format.archive;

import dev.weaklink.format.archive.RpmPackage.RpmTag;
import dev.weaklink.testing.Payloads;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes rpm packages for tests, tag by tag. */
final class RpmWriter {
    private static final int TYPE_INT16 = 3;
    private static final int TYPE_INT32 = 4;
    private static final int TYPE_INT64 = 5;
    private static final int TYPE_STRING = 6;
    private static final int TYPE_STRING_ARRAY = 8;

    private final ByteArrayOutputStream index = new ByteArrayOutputStream();
    private final ByteArrayOutputStream store = new ByteArrayOutputStream();
    private int entries;

    /** Creates a package with this name, version 1.0 and release 2. */
    static RpmWriter named(String name) {
        return new RpmWriter()
                .string(RpmTag.NAME, name)
                .string(RpmTag.VERSION, "1.0")
                .string(RpmTag.RELEASE, "2");
    }

    RpmWriter string(int tag, String value) {
        return tag(tag, TYPE_STRING, 1, (value + "\0").getBytes(StandardCharsets.UTF_8));
    }

    RpmWriter strings(int tag, List<String> values) {
        byte[] bytes = (String.join("\0", values) + "\0").getBytes(StandardCharsets.UTF_8);
        return tag(tag, TYPE_STRING_ARRAY, values.size(), bytes);
    }

    RpmWriter shorts(int tag, int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(2 * values.length);
        for (int value : values) {
            bytes.putShort((short) value);
        }
        return tag(tag, TYPE_INT16, values.length, bytes.array());
    }

    RpmWriter ints(int tag, int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length);
        for (int value : values) {
            bytes.putInt(value);
        }
        return tag(tag, TYPE_INT32, values.length, bytes.array());
    }

    RpmWriter longs(int tag, long... values) {
        ByteBuffer bytes = ByteBuffer.allocate(8 * values.length);
        for (long value : values) {
            bytes.putLong(value);
        }
        return tag(tag, TYPE_INT64, values.length, bytes.array());
    }

    /** Adds a tag whose count need not match its value. */
    RpmWriter tag(int tag, int type, int count, byte[] value) {
        index.writeBytes(ByteBuffer.allocate(16)
                .putInt(tag)
                .putInt(type)
                .putInt(store.size())
                .putInt(count)
                .array());
        store.writeBytes(value);
        entries++;
        return this;
    }

    /** Adds regular files of these sizes in one directory, each with its own inode. */
    RpmWriter files(String directory, List<String> names, long... sizes) {
        int[] modes = new int[sizes.length];
        int[] inodes = new int[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            modes[i] = CpioWriter.FILE;
            inodes[i] = i + 1;
        }
        return longs(RpmTag.LONG_FILE_SIZES, sizes)
                .shorts(RpmTag.FILE_MODES, modes)
                .ints(RpmTag.FILE_INODES, inodes)
                .ints(RpmTag.FILE_DEVICES, new int[sizes.length])
                .ints(RpmTag.DIR_INDEXES, new int[sizes.length])
                .strings(RpmTag.BASE_NAMES, names)
                .strings(RpmTag.DIR_NAMES, List.of(directory));
    }

    byte[] bytes(byte[] payload) {
        byte[] lead = new byte[96];
        ByteBuffer.wrap(lead).putInt(0xedabeedb).put((byte) 3);
        byte[] signature = header(1, ByteBuffer.allocate(16).putInt(1000).array(), new byte[5]);
        return Payloads.concat(
                lead, signature, new byte[3], header(entries, index.toByteArray(), store.toByteArray()), payload);
    }

    private static byte[] header(int entries, byte[] index, byte[] store) {
        byte[] intro = ByteBuffer.allocate(16)
                .putInt(0x8eade801)
                .putInt(0)
                .putInt(entries)
                .putInt(store.length)
                .array();
        return Payloads.concat(intro, index, store);
    }
}
