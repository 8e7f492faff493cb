package dev.weaklink.kernel.image;

import dev.weaklink.format.codec.Compression;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ImageFacts.BuiltInModules;
import dev.weaklink.kernel.KernelConfig;
import dev.weaklink.kernel.LoaderTraces;
import dev.weaklink.sys.StableId;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The facts that were read from a kernel image. Immutable.
 *
 * @param format the format of the file
 * @param compression the compression of the kernel in the file, null if it is not packed
 * @param machine the machine that the kernel runs on, null if unknown
 * @param release the kernel's release (uname -r)
 * @param banner the kernel's banner, which begins with "Linux version"
 * @param vermagic the string that the kernel compares with a module's vermagic, null if not found
 * @param config the configuration that is built into the image (CONFIG_IKCONFIG), null if there is none that can be
 *     read
 * @param structModuleSize the size of struct module in bytes according to the BTF, -1 if unknown
 * @param exports the exports of vmlinux; null if the tables were not found
 * @param layout the layout of the export tables, null if the tables were not found
 * @param named whether the export tables were found by section names, not by a search of the image's bytes
 * @param hasCrcs whether the exports have CRCs
 * @param missing the reason why the exports are missing or unreliable; null if they are reliable
 * @param traces the traces of the module loader
 * @param builtIn names of built-in code in /sys/module
 * @param types the kernel's BTF, null if it has none; a view of the unpacked kernel
 */
public record KernelImage(
        ImageFormat format,
        @Nullable Compression compression,
        @Nullable ElfIdentity machine,
        String release,
        String banner,
        @Nullable String vermagic,
        @Nullable KernelConfig config,
        long structModuleSize,
        @Nullable ExportTable exports,
        @Nullable EntryLayout layout,
        boolean named,
        boolean hasCrcs,
        @Nullable String missing,
        LoaderTraces traces,
        BuiltInModules builtIn,
        @Nullable ByteBuffer types) {

    /**
     * Returns a copy of the types (BTF), with release and exports, so that the unpacked kernel does not stay in memory.
     */
    public ImageTypes imageTypes() {
        ByteBuffer copy = types == null
                ? null
                : ByteBuffer.allocate(types.remaining()).put(types.duplicate()).flip();
        return new ImageTypes(release, copy, exports);
    }

    /**
     * The layout of struct kernel_symbol (include/linux/export.h, include/linux/export-internal.h): value, name and,
     * from 5.4 on, namespace.
     *
     * @param relative true if each field is the 32-bit distance from the field to its target
     *     (CONFIG_HAVE_ARCH_PREL32_RELOCATIONS, from 4.19 on), false if the fields are pointers
     * @param fieldSize bytes of a field
     * @param fields 2, or 3 with a namespace
     */
    public record EntryLayout(boolean relative, int fieldSize, int fields) {
        static final EntryLayout RELATIVE_2 = new EntryLayout(true, 4, 2);
        static final EntryLayout RELATIVE_3 = new EntryLayout(true, 4, 3);

        static EntryLayout pointers(int size, int fields) {
            return new EntryLayout(false, size, fields);
        }

        public int size() {
            return fieldSize * fields;
        }

        public String words() {
            return fields + (relative ? " relative fields" : " pointers") + " of " + fieldSize + " bytes";
        }
    }

    public enum ImageFormat implements StableId {
        /** The format with real-mode setup code and a packed ELF file (Documentation/arch/x86/boot.rst). */
        X86_BZIMAGE("x86 bzImage"),
        /** An EFI program that unpacks the kernel (drivers/firmware/efi/libstub/zboot-header.S, 6.1+). */
        EFI_ZBOOT("EFI zboot image"),
        /** An EFI program with a whole kernel image in its section .linux. */
        UNIFIED_KERNEL_IMAGE("unified kernel image"),
        /** The format of Documentation/arch/arm64/booting.rst. */
        ARM64_IMAGE("arm64 Image"),
        /** The format of Documentation/arch/riscv/boot-image-header.rst. */
        RISCV_IMAGE("RISC-V Image"),
        /** The format of arch/loongarch/kernel/head.S. */
        LOONGARCH_IMAGE("LoongArch Image"),
        /** The format of arch/arm/boot/compressed/head.S. */
        ARM_ZIMAGE("arm zImage"),
        /** The format of arch/s390/boot/head.S. */
        S390_IMAGE("s390 image"),
        ELF("ELF file"),
        OTHER("kernel image");

        private final String words;

        ImageFormat(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }

    /**
     * The types (BTF) and the exports in a kernel's image.
     *
     * @param release the kernel's release (uname -r)
     * @param section the kernel's BTF section; null if the kernel has none
     * @param exports the exports of vmlinux; null if they were not requested or not found
     */
    public record ImageTypes(
            String release,
            @Nullable ByteBuffer section,
            @Nullable ExportTable exports) {

        public byte @Nullable [] bytes() {
            if (section == null) {
                return null;
            }
            byte[] bytes = new byte[section.remaining()];
            section.duplicate().get(bytes);
            return bytes;
        }
    }
}
