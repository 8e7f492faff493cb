package dev.weaklink.system.cache;

import dev.weaklink.module.InternedNames;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.ProofResult;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.system.cache.DirectoryCache.KeptModule;
import dev.weaklink.system.cache.DirectoryCache.KeptModule.JudgedTypes;
import java.nio.BufferOverflowException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

final class SegmentWriter {
    private static final int BYTES_PER_MODULE = 1024;
    private static final long LARGEST = 1 << 30;

    record SegmentEntry(FileIdentity identity, String path, KeptModule kept) implements Comparable<SegmentEntry> {
        @Override
        public int compareTo(SegmentEntry other) {
            return Long.compare(identity.inode(), other.identity.inode());
        }
    }

    private final long program;
    private final InternedNames names = new InternedNames();
    private final SegmentBytes body;
    private final List<SegmentEntry> kept = new ArrayList<>();
    private int[] offsets;

    private SegmentWriter(long program, int modules) {
        this.program = program;
        this.body = new SegmentBytes((modules + 1) * BYTES_PER_MODULE);
        this.offsets = new int[modules];
    }

    static byte[] write(List<SegmentEntry> entries, long program) {
        List<SegmentEntry> sorted = new ArrayList<>(entries);
        sorted.sort(null);
        SegmentWriter writer = new SegmentWriter(program, sorted.size());
        for (SegmentEntry entry : sorted) {
            writer.add(entry);
        }
        return writer.finish();
    }

    private void add(SegmentEntry entry) {
        int start = body.position();
        try {
            byte[] path = entry.path().getBytes(StandardCharsets.UTF_8);
            body.i32(path.length);
            body.bytes(path, 0, path.length);
            Proof proof = entry.kept().proof();
            body.text(proof == null ? null : proof.certificate());
            body.bool(proof != null && proof.result() == ProofResult.VERIFIED);
            body.texts(entry.kept().runtime().symbols());
            JudgedTypes types = entry.kept().types();
            body.bool(types != null);
            if (types != null) {
                body.i32(types.firstString());
                body.u8(types.answer().ordinal());
            }
            new ModuleEncoder(body, names).write(entry.kept().module());
            offsets[kept.size()] = start;
            kept.add(entry);
        } catch (BufferOverflowException e) {
            body.rewind(start);
        }
    }

    private byte[] finish() {
        SegmentBytes table = new SegmentBytes(kept.size() * (5 * Long.BYTES + Integer.BYTES) + 64);
        table(table);
        return closed(Segment.MAGIC, program, List.of(bytes(names), table, body));
    }

    static SegmentBytes bytes(InternedNames names) {
        SegmentBytes out = new SegmentBytes(names.size() * Integer.BYTES + names.length() + 64);
        out.i32(names.size());
        out.i32(names.length());
        out.ints(names.ends(), names.size());
        out.bytes(names.bytes(), 0, names.length());
        return out;
    }

    /**
     * Joins parts between a header, which identifies their kind and program, and a checksum.
     *
     * @throws BufferOverflowException if the parts are too long
     */
    static byte[] closed(int magic, long program, List<SegmentBytes> parts) {
        long size = 3 * Integer.BYTES + Long.BYTES;
        for (SegmentBytes part : parts) {
            size += part.position();
        }
        if (size > LARGEST) {
            throw new BufferOverflowException();
        }
        SegmentBytes out = new SegmentBytes((int) size);
        out.i32(magic);
        out.i64(program);
        int lengthAt = out.position();
        out.i32(0);
        for (SegmentBytes part : parts) {
            out.bytes(part.array(), 0, part.position());
        }
        out.i32At(lengthAt, out.position() + Segment.CRC_SIZE);
        out.i32(Segment.checksum(out.array(), out.position()));
        return out.array();
    }

    private void table(SegmentBytes out) {
        out.i32(kept.size());
        for (SegmentEntry entry : kept) {
            out.i64(entry.identity().inode());
        }
        for (SegmentEntry entry : kept) {
            out.i64(entry.identity().device());
        }
        for (SegmentEntry entry : kept) {
            out.i64(entry.identity().size());
        }
        for (SegmentEntry entry : kept) {
            out.i64(entry.identity().modified());
        }
        for (SegmentEntry entry : kept) {
            out.i64(entry.identity().changed());
        }
        out.ints(offsets, kept.size());
    }
}
