package dev.weaklink.system.cache;

import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.system.cache.DirectoryCache.KeptModule;
import dev.weaklink.testing.ModuleSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Writes modules into a segment and reads them again. */
final class Kept {
    static final long PROGRAM = 0x1234_5678_9abc_def0L;

    private Kept() {}

    static KernelModule read(ModuleSpec spec) {
        byte[] file = spec.toBuilder().build();
        return ModuleReader.read(Origin.file("m.ko"), file, file.length);
    }

    /** Returns the identity of the file with this number; the inodes are in another order than the numbers. */
    static FileIdentity identity(int number) {
        return new FileIdentity(8, number * 7919L % 101 + 5, 100 + number, 1_001, 2_002 + number);
    }

    /** Returns a segment with these modules; their files have the numbers from 0. */
    static byte[] segment(List<KernelModule> modules) {
        List<SegmentWriter.SegmentEntry> entries = new ArrayList<>();
        for (int i = 0; i < modules.size(); i++) {
            entries.add(new SegmentWriter.SegmentEntry(
                    identity(i),
                    "kernel/m" + i + ".ko",
                    new KeptModule(modules.get(i), RuntimeNames.NONE, null, null)));
        }
        return SegmentWriter.write(entries, PROGRAM);
    }

    /** Returns the module that was read for the file with this number. */
    static KernelModule module(Segment segment, int number) {
        int index = segment.find(identity(number));
        return Objects.requireNonNull(segment.kept(index, Origin.file("m.ko"))).module();
    }
}
