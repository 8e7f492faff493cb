package dev.weaklink.kernel.store;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.SymversReader;
import dev.weaklink.kernel.SymversWriter;
import dev.weaklink.sys.UnreadableException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * The exports of one kernel in a separate file, which other kernels of its series share. The kernels of a series export
 * nearly the same symbols, mostly with the same CRCs.
 *
 * @param digest the SHA-256 of the exports as a Module.symvers, in hexadecimal digits
 */
record SharedExports(String digest, ExportTable rows) {
    /** The percentage of symbols that two kernels must have in common to share exports. */
    private static final int ENOUGH = 80;

    private static final String ENDING = ".symvers.gz";

    static SharedExports of(ExportTable exports) {
        byte[] text = SymversWriter.write(exports);
        ExportTable rows = SymversReader.read(text, text.length).exports();
        return new SharedExports(KernelArchive.hex(text), rows);
    }

    static String fileName(String digest) {
        return digest + ENDING;
    }

    static boolean isName(String name) {
        return name.endsWith(ENDING) && StoreEntry.isDigest(name.substring(0, name.length() - ENDING.length()));
    }

    /**
     * Reads a file of shared exports.
     *
     * @throws UnreadableException if the file is corrupt, or its contents do not match the digest
     */
    static SharedExports read(byte[] packed, String digest) throws UnreadableException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
            byte[] text = in.readNBytes(KernelArchive.LIMIT);
            Symvers symvers = SymversReader.read(text, text.length);
            if (in.read() < 0
                    && KernelArchive.hex(text).equals(digest)
                    && symvers.problems().isEmpty()) {
                return new SharedExports(digest, symvers.exports());
            }
        } catch (IOException e) {
            throw new UnreadableException(
                    "the file of shared exports " + fileName(digest) + " is truncated or corrupt", e);
        }
        throw new UnreadableException("the file of shared exports "
                + fileName(digest)
                + ": the contents do not match the SHA-256 in the file name");
    }

    byte[] bytes() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream(1 << 19);
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(SymversWriter.write(rows));
        }
        return packed.toByteArray();
    }

    /**
     * Returns a score for sharing these exports with a kernel: the number of exports in common. An export with an equal
     * CRC counts five times. Returns 0 if the kernel and this file have too few exports in common.
     */
    int gain(ExportTable exports) {
        int[] from = from(exports);
        int same = 0;
        int found = 0;
        for (int row = 0; row < from.length; row++) {
            if (from[row] >= 0) {
                found++;
                same += exports.crc(from[row]) == rows.crc(row) ? 1 : 0;
            }
        }
        long most = Math.max(rows.size(), exports.size());
        return found * 100L >= most * ENOUGH ? found + 4 * same : 0;
    }

    /**
     * Returns, for each row of this file, the kernel's row that differs at most in the CRC; -1 if there is none.
     * Symbols that the kernel exports more than once do not match.
     */
    private int[] from(ExportTable exports) {
        BitSet repeated = new BitSet();
        for (int i = 0; i < exports.size(); i++) {
            int first = exports.find(exports.names(), i);
            if (first != i) {
                repeated.set(first);
                repeated.set(i);
            }
        }
        int[] from = new int[rows.size()];
        Arrays.fill(from, -1);
        for (int i = repeated.nextClearBit(0); i < exports.size(); i = repeated.nextClearBit(i + 1)) {
            int row = rows.find(exports.names(), i);
            if (row >= 0 && rows.isSameButCrc(row, exports, i)) {
                from[row] = i;
            }
        }
        return from;
    }

    /**
     * Encodes a kernel's CRCs of the symbols in this file: a little-endian word for each row of this file, then a byte
     * for each row. The word is the kernel's CRC XOR the row's CRC, and the byte is 0. If no row of the kernel matches,
     * the word is 0 and the byte is 1.
     */
    byte[] crcs(ExportTable exports) {
        int[] from = from(exports);
        ByteBuffer bytes =
                ByteBuffer.allocate(from.length * (Integer.BYTES + 1)).order(ByteOrder.LITTLE_ENDIAN);
        for (int row = 0; row < from.length; row++) {
            bytes.putInt(from[row] < 0 ? 0 : exports.crc(from[row]) ^ rows.crc(row));
        }
        for (int i : from) {
            bytes.put((byte) (i < 0 ? 1 : 0));
        }
        return bytes.array();
    }

    ExportTable others(ExportTable exports) {
        BitSet others = new BitSet();
        others.set(0, exports.size());
        for (int i : from(exports)) {
            if (i >= 0) {
                others.clear(i);
            }
        }
        BitSet shared = new BitSet();
        shared.set(0, exports.size());
        shared.andNot(others);
        int[] crcs = new int[exports.size()];
        Arrays.setAll(crcs, exports::crc);
        return exports.with(crcs, shared, ExportTable.EMPTY);
    }

    ExportTable with(byte[] crcs, ExportTable others) throws UnreadableException {
        int size = rows.size();
        if (crcs.length != size * (Integer.BYTES + 1)) {
            throw new UnreadableException("does not match the file of shared exports that it names");
        }
        int[] own = new int[size];
        ByteBuffer.wrap(crcs).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(own);
        BitSet gone = new BitSet(size);
        for (int row = 0; row < size; row++) {
            own[row] ^= rows.crc(row);
            if (crcs[size * Integer.BYTES + row] != 0) {
                gone.set(row);
            }
        }
        return rows.with(own, gone, others);
    }
}
