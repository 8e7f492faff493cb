package dev.weaklink.system.cache;

import dev.weaklink.format.btf.BtfValidity;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.ProofResult;
import dev.weaklink.module.Origin;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.cache.DirectoryCache.KeptModule;
import dev.weaklink.system.cache.DirectoryCache.KeptModule.JudgedTypes;
import java.nio.BufferUnderflowException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a cache file with the facts of the modules below one directory. All numbers are little-endian:
 *
 * <pre>
 *   u32 magic, u64 digest of the program, u32 total length
 *   u32 names, u32 bytes of names, u32 ends[names], the names' bytes
 *   u32 modules, u64 inode[], device[], size[], modified[], changed[], u32 offset[]
 *   for each module:
 *     u32 length of path, path
 *     digest of the certificate used to check its signature, u8 flag for a valid signature
 *     u32 number of symbols that it requests at run time, the symbols
 *     u8 flag for checked BTF; if set: u32 length of the strings in the kernel's BTF, u8 result
 *     facts (see {@link ModuleEncoder})
 *   u32 CRC-32 of all bytes before
 * </pre>
 *
 * Modules are sorted by inode; offsets count from the start of the first module.
 */
final class Segment {
    static final int MAGIC = 0x31464c57;
    static final int CRC_SIZE = 4;
    private static final BtfValidity.BtfAnswer[] ANSWERS = BtfValidity.BtfAnswer.values();
    private static final int SMALLEST = 4 + 8 + 4 + 8 + 4 + CRC_SIZE;

    private final byte[] bytes;
    private final int end;
    private final SymbolNames pool;
    private final long[] inodes;
    private final long[] devices;
    private final long[] sizes;
    private final long[] modified;
    private final long[] changed;
    private final int[] offsets;
    private final int start;
    private final boolean[] used;

    private Segment(SegmentCursor in, SymbolNames pool, int end) throws UnreadableException {
        this.bytes = in.bytes();
        this.end = end;
        this.pool = pool;
        int count = in.count(5 * Long.BYTES + Integer.BYTES);
        inodes = in.longs(count);
        devices = in.longs(count);
        sizes = in.longs(count);
        modified = in.longs(count);
        changed = in.longs(count);
        offsets = in.ints(count);
        start = in.position();
        used = new boolean[count];
    }

    /**
     * Opens a segment.
     *
     * @param program the digest of the program that must have written the segment
     * @throws UnreadableException if the segment is damaged or of another program
     */
    static Segment open(byte[] bytes, long program) throws UnreadableException {
        SegmentCursor contents = opened(bytes, MAGIC, program);
        try {
            return new Segment(contents, names(contents), bytes.length - CRC_SIZE);
        } catch (IndexOutOfBoundsException | BufferUnderflowException e) {
            throw new UnreadableException("contents beyond the end");
        }
    }

    /**
     * Returns the contents between the header and the checksum that {@link SegmentWriter#closed} adds.
     *
     * @throws UnreadableException if the bytes are damaged, or of another kind or program
     */
    static SegmentCursor opened(byte[] bytes, int magic, long program) throws UnreadableException {
        if (bytes.length < SMALLEST) {
            throw new UnreadableException("too short");
        }
        int end = bytes.length - CRC_SIZE;
        SegmentCursor in = new SegmentCursor(bytes, 0, bytes.length);
        if (in.i32() != magic || in.i64() != program || in.i32() != bytes.length) {
            throw new UnreadableException("of another program or of another length");
        }
        if (new SegmentCursor(bytes, end, bytes.length).i32() != checksum(bytes, end)) {
            throw new UnreadableException("the checksum is another");
        }
        return new SegmentCursor(bytes, in.position(), end);
    }

    static int checksum(byte[] bytes, int length) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    static SymbolNames names(SegmentCursor in) throws UnreadableException {
        int count = in.count(Integer.BYTES);
        int size = in.count(1);
        int[] ends = in.ints(count);
        int base = in.position();
        SymbolNames.SymbolNamesBuilder names = new SymbolNames.SymbolNamesBuilder(count);
        int from = 0;
        for (int to : ends) {
            if (to < from || to > size) {
                throw new UnreadableException("names out of order");
            }
            names.add(in.bytes(), base + from, to - from);
            from = to;
        }
        in.skip(size);
        return names.build();
    }

    int size() {
        return inodes.length;
    }

    int find(FileIdentity file) {
        int at = Arrays.binarySearch(inodes, file.inode());
        while (at > 0 && inodes[at - 1] == file.inode()) {
            at--;
        }
        for (; at >= 0 && at < inodes.length && inodes[at] == file.inode(); at++) {
            if (devices[at] == file.device()
                    && sizes[at] == file.size()
                    && modified[at] == file.modified()
                    && changed[at] == file.changed()) {
                used[at] = true;
                return at;
            }
        }
        return -1;
    }

    boolean isUsed(int index) {
        return used[index];
    }

    FileIdentity identity(int index) {
        return new FileIdentity(devices[index], inodes[index], sizes[index], modified[index], changed[index]);
    }

    String path(int index) throws UnreadableException {
        try {
            SegmentCursor in = at(index);
            int length = in.count(1);
            return new String(bytes, in.position(), length, StandardCharsets.UTF_8);
        } catch (IndexOutOfBoundsException | BufferUnderflowException e) {
            throw new UnreadableException("a path beyond the end");
        }
    }

    @Nullable
    KeptModule kept(int index, Origin origin) {
        try {
            SegmentCursor in = at(index);
            in.skip(in.count(1));
            Proof proof = proof(in);
            RuntimeNames runtime = new RuntimeNames(in.texts());
            JudgedTypes types = in.bool() ? new JudgedTypes(in.i32(), in.constant(ANSWERS)) : null;
            KernelModule module = new ModuleDecoder(in, pool).read(origin);
            return new KeptModule(module, runtime, proof, types);
        } catch (UnreadableException | IndexOutOfBoundsException | BufferUnderflowException e) {
            return null;
        }
    }

    private static @Nullable Proof proof(SegmentCursor in) throws UnreadableException {
        String certificate = in.text();
        ProofResult result = in.bool() ? ProofResult.VERIFIED : ProofResult.WRONG;
        return certificate == null ? null : new Proof(result, null, certificate);
    }

    private SegmentCursor at(int index) throws UnreadableException {
        int offset = offsets[index];
        if (offset < 0 || offset > end - start) {
            throw new UnreadableException("a module beyond the end");
        }
        return new SegmentCursor(bytes, start + offset, end);
    }
}
