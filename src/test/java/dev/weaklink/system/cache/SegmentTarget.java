package dev.weaklink.system.cache;

import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.format.archive.PackageInfo.PackageKind;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.cache.PackageSegment.FileSegment;
import dev.weaklink.testing.FuzzTarget;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Fuzzes segments with a correct checksum: contents that pass the check must still be handled safely. */
public final class SegmentTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) {
        if (bytes.length < 4) {
            return;
        }
        byte[] whole = bytes.clone();
        int body = whole.length - Segment.CRC_SIZE;
        ByteBuffer words = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
        if (body >= 16) {
            words.putInt(12, whole.length);
        }
        words.putInt(body, Segment.checksum(whole, body));
        takePackage(whole);
        try {
            Segment segment = Segment.open(whole, Kept.PROGRAM);
            for (int i = 0; i < segment.size(); i++) {
                segment.kept(i, Origin.file("m.ko"));
                segment.identity(i);
                segment.path(i);
            }
        } catch (UnreadableException e) {
            // the expected answer to damaged bytes
            return;
        }
    }

    private static void takePackage(byte[] whole) {
        try {
            PackageFacts facts = PackageSegment.read(whole, Kept.PROGRAM, Kept.identity(0), "given");
            for (PackagedModule packaged : facts.modules()) {
                packaged.facts().read();
            }
        } catch (UnreadableException e) {
            // the expected answer to damaged bytes
            return;
        }
    }

    @Override
    public List<byte[]> seeds() {
        byte[] file = ModuleBuilder.typical(Machine.X86_64, "m").build();
        KernelModule module = ModuleReader.read(Origin.file("m.ko"), file, file.length);
        PackageInfo owner = new PackageInfo(PackageKind.DEB, "m", "1", null, List.of());
        var found = new PackageSegmentProperties.PackageParts(List.of(module), List.of(new byte[9]), owner);
        return List.of(
                Kept.segment(List.of(module)),
                Kept.segment(List.of(module, module)),
                FileSegment.write(
                        PackageSegment.MAGIC,
                        Kept.PROGRAM,
                        Kept.identity(0),
                        found.taken().parts()));
    }
}
