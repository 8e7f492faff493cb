package dev.weaklink.kernel.image;

import dev.weaklink.kernel.image.KernelWindows.UnpackedKernel;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.FuzzTarget;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Crcs;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import java.io.IOException;
import java.util.List;

/** Kernel images, compressed or not. */
public final class ImageTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) {
        try {
            ImageReader.read(bytes, bytes.length);
            ImageReader.types(bytes, bytes.length, false);
            ImageReader.types(bytes, bytes.length, true);
            readInPieces(bytes);
            UnpackedKernel.of(bytes, bytes.length);
        } catch (UnreadableException e) {
            String message = String.valueOf(e.getMessage());
            if (message.isBlank() || message.indexOf('\n') >= 0) {
                throw new IllegalStateException("not one line: " + message);
            }
        }
    }

    private static void readInPieces(byte[] bytes) {
        try (KernelWindows kernel = KernelWindows.open(bytes, bytes.length)) {
            while (kernel != null && kernel.next(kernel.length() / 2)) {
                kernel.release();
            }
        } catch (IOException e) {
            // Reading the whole image reports the reason.
            return;
        }
    }

    private static BtfBuilder types() {
        BtfBuilder types = new BtfBuilder();
        types.integer("int", 4);
        return types;
    }

    @Override
    public List<byte[]> seeds() {
        KernelSpec spec = KernelSpec.of(Machine.X86_64);
        byte[] elf = KernelWriter.elf(spec, true);
        return List.of(
                elf,
                KernelWriter.elf(spec, false),
                KernelWriter.raw(KernelSpec.of(Machine.S390X)),
                KernelWriter.raw(KernelSpec.of(Machine.ARM).laidOut("5.4.0", false, 2, Crcs.WORDS)),
                KernelWriter.arm64(KernelSpec.of(Machine.AARCH64)),
                Payloads.bzImage(Packing.GZIP.packWithSize(elf)),
                Payloads.bzImage(Packing.GZIP.packWithSize(KernelWriter.elf(spec, types()))),
                Payloads.zboot(Packing.ZSTD.packWithSize(elf), "zstd"),
                Payloads.zImage(Packing.XZ_X86.packWithSize(elf)),
                Payloads.unified(Payloads.bzImage(Packing.LZMA.packWithSize(elf))));
    }
}
