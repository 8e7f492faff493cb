package dev.weaklink.kernel.store;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.LoaderBehaviorReader;
import dev.weaklink.kernel.LoaderBehaviorReader.LoaderEvidence;
import dev.weaklink.kernel.SymversReader;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.FuzzTarget;
import dev.weaklink.testing.Records;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Layout;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Stored kernels. Checks that each kernel that can be read can be written and read back. */
public final class StoreTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) throws Exception {
        KernelArchive archive;
        try {
            archive = read(bytes);
        } catch (UnreadableException e) {
            return;
        }
        read(KernelArchive.of(archive.kernel(), SHARED, archive.types()).bytes());
    }

    private static final SharedExports SHARED = SharedExports.of(exports(7));

    static ExportTable exports(int crc) {
        byte[] rows = new SymversBuilder(Layout.NAMESPACE_LAST)
                .kernel("fput", Kind.EXPORT_SYMBOL, crc)
                .bytes();
        return SymversReader.read(rows, rows.length).exports();
    }

    private static KernelArchive read(byte[] bytes) throws IOException {
        return KernelArchive.read(new ByteArrayInputStream(bytes), digest -> SHARED, true);
    }

    static TargetKernel kernel(String release) {
        return Records.of(
                TargetKernel.class,
                "label",
                release,
                "release",
                release,
                "machine",
                new ElfIdentity(ElfIdentity.EM_S390, true, false, -5),
                "vermagic",
                release + " SMP mod_unload ",
                "structModuleSize",
                1234,
                "exports",
                exports(7),
                "exportsComplete",
                true,
                "image",
                ImageFacts.NONE,
                "rules",
                LoaderBehaviorReader.read(new LoaderEvidence(release, null, null, null, Map.of())));
    }

    @Override
    public List<byte[]> seeds() {
        TargetKernel kernel = kernel("6.1.0-9");
        try {
            return List.of(
                    KernelArchive.of(kernel, SHARED, new byte[] {1, 2, 3}).bytes(),
                    KernelArchive.of(kernel, null, null).bytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
