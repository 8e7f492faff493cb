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
 * What a kernel's image says. Immutable.
 *
 * @param format what kind of file it is
 * @param compression how the kernel is packed in it, null if it is not
 * @param machine what it runs on, null if unknown
 * @param release its release (uname -r)
 * @param banner the line it starts its log with
 * @param vermagic what it compares a module's vermagic with, null if not found
 * @param config the configuration that is built into it (CONFIG_IKCONFIG), null without it
 * @param structModuleSize bytes of its struct module by its BTF, -1 if not known
 * @param exports what vmlinux exports; null if the tables were not found
 * @param layout how its export tables are laid out, null if they were not found
 * @param named whether the tables were found by the names of sections, else by what is in them
 * @param hasCrcs whether the exports have CRCs
 * @param missing why there are no exports to rely on; null if there are
 * @param traces what it shows of its module loader
 * @param builtIn names in /sys/module of what is built in
 * @param types its BTF, null if it has none; a view of the unpacked kernel
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

    /** Its types and exports, copied, so that what was unpacked does not stay in memory. */
    public ImageTypes imageTypes() {
        ByteBuffer copy = types == null
                ? null
                : ByteBuffer.allocate(types.remaining()).put(types.duplicate()).flip();
        return new ImageTypes(release, copy, exports);
    }

    /**
     * How struct kernel_symbol is laid out (include/linux/export.h, include/linux/export-internal.h): value, name and,
     * from 5.4 on, namespace.
     *
     * @param relative whether fields are 32-bit distances from their own place (x86 and arm64 from 4.19 on), else they
     *     are pointers
     * @param fieldSize bytes of a field
     * @param fields 2, or 3 with a namespace
     */
    public record EntryLayout(boolean relative, int fieldSize, int fields) {
        static final EntryLayout RELATIVE_2 = new EntryLayout(true, 4, 2);
        static final EntryLayout RELATIVE_3 = new EntryLayout(true, 4, 3);

        /** Pointers of this size. */
        static EntryLayout pointers(int size, int fields) {
            return new EntryLayout(false, size, fields);
        }

        /** Bytes of an entry. */
        public int size() {
            return fieldSize * fields;
        }

        /** Such as "3 relative fields of 4 bytes". */
        public String words() {
            return fields + (relative ? " relative fields" : " pointers") + " of " + fieldSize + " bytes";
        }
    }

    /** What kind of file a kernel image is, on the outside. */
    public enum ImageFormat implements StableId {
        /** Real-mode setup code and a packed ELF file (Documentation/arch/x86/boot.rst). */
        X86_BZIMAGE("x86 bzImage"),
        /** An EFI program that unpacks the kernel (drivers/firmware/efi/libstub/zboot-header.S, 6.1+). */
        EFI_ZBOOT("EFI zboot image"),
        /** An EFI program with a whole kernel image in its section .linux. */
        UNIFIED_KERNEL_IMAGE("unified kernel image"),
        /** Documentation/arch/arm64/booting.rst. */
        ARM64_IMAGE("arm64 Image"),
        /** Documentation/arch/riscv/boot-image-header.rst. */
        RISCV_IMAGE("RISC-V Image"),
        /** arch/loongarch/kernel/head.S. */
        LOONGARCH_IMAGE("LoongArch Image"),
        /** arch/arm/boot/compressed/head.S. */
        ARM_ZIMAGE("arm zImage"),
        /** arch/s390/boot/head.S. */
        S390_IMAGE("s390 image"),
        ELF("ELF file"),
        /** Nothing around it is known. */
        OTHER("kernel image");

        private final String words;

        ImageFormat(String words) {
            this.words = words;
        }

        /** Name for people. */
        public String words() {
            return words;
        }
    }

    /**
     * The types (BTF) in a kernel's image, and what it exports.
     *
     * @param release the kernel's release (uname -r)
     * @param section its BTF section; null if it has none
     * @param exports what vmlinux exports; null if they were not wanted or not found
     */
    public record ImageTypes(
            String release,
            @Nullable ByteBuffer section,
            @Nullable ExportTable exports) {

        /** The bytes of its BTF section, copied; null if it has none. */
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
