package dev.weaklink.kernel.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.codec.Compression;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ImageFacts.BuiltInModules;
import dev.weaklink.kernel.LoaderTraces.LoaderTrace;
import dev.weaklink.kernel.image.KernelImage.ImageFormat;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Crcs;
import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Reads back every compression of an image, and every layout of its tables. */
class ImageReaderTest {
    private static final KernelSpec X86 = KernelSpec.of(Machine.X86_64);

    private static final Set<String> TAKEN = Set.of("a_shown", "kernel", "a_version");

    private static KernelImage read(byte[] file) throws UnreadableException {
        return ImageReader.read(file, file.length);
    }

    private static void assertHasAll(KernelImage image, KernelSpec spec) {
        assertThat(image.missing()).isNull();
        assertThat(image.release()).isEqualTo(spec.release());
        assertThat(image.banner()).isEqualTo(spec.banner());
        assertThat(image.vermagic()).isEqualTo(spec.vermagic());
        assertThat(image.hasCrcs()).isEqualTo(spec.crcs() != Crcs.NONE);
        List<Export> expected = new ArrayList<>(spec.exports());
        if (spec.crcs() == Crcs.NONE) {
            expected.replaceAll(e -> new Export(e.name(), e.gpl(), 0, e.namespace()));
        }
        assertThat(rows(image.exports())).containsExactlyInAnyOrderElementsOf(expected);
    }

    private static List<Export> rows(ExportTable exports) {
        List<Export> rows = new ArrayList<>();
        for (int i = 0; i < exports.size(); i++) {
            assertThat(exports.owner(i)).isEqualTo("vmlinux");
            assertThat(exports.isLicenseKnown(i)).isTrue();
            String namespace = exports.namespace(i);
            rows.add(new Export(
                    exports.names().name(i), exports.isGplOnly(i), exports.crc(i), namespace == null ? "" : namespace));
        }
        return rows;
    }

    @ParameterizedTest
    @EnumSource(
            value = Machine.class,
            names = {"X86_64", "PPC64LE", "S390X", "ARM"})
    void findsNamesInSysModuleInAnElfFile(Machine machine) throws UnreadableException {
        KernelSpec old = KernelSpec.of(machine);
        List<Export> exports = new ArrayList<>(old.exports());
        exports.add(new Export("__pci_register_driver", false, 1, ""));
        KernelSpec late = old.exporting(exports).released("6.12.1-test");
        boolean x86 = machine == Machine.X86_64;

        assertThat(read(KernelWriter.elf(old, true)).builtIn())
                .isEqualTo(new BuiltInModules(TAKEN, Set.of("compression"), true));
        assertThat(read(KernelWriter.elf(late, true)).builtIn())
                .isEqualTo(new BuiltInModules(
                        TAKEN, x86 ? Set.of("compression", "a_driver") : Set.of("compression"), x86));
        assertThat(read(KernelWriter.elf(old, false)).builtIn()).isEqualTo(BuiltInModules.UNKNOWN);
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"NONE", "LZ4_FRAME"})
    void unpacksAnX86ImageByItsSetupHeader(Packing packing) throws UnreadableException {
        byte[] vmlinux = KernelWriter.elf(X86, true);

        KernelImage image = read(Payloads.bzImage(packing.packWithSize(vmlinux)));

        assertThat(image.format()).isEqualTo(ImageFormat.X86_BZIMAGE);
        assertThat(image.machine().machineName()).isEqualTo("x86_64");
        assertThat(image.named()).isTrue();
        assertHasAll(image, X86);
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"NONE", "LZ4_FRAME"})
    void searchesAnImageWhoseHeaderDoesNotLocateThePayload(Packing packing) throws UnreadableException {
        KernelSpec arm = KernelSpec.of(Machine.ARM);

        KernelImage image = read(Payloads.zImage(packing.packWithSize(KernelWriter.raw(arm))));

        assertThat(image.format()).isEqualTo(ImageFormat.ARM_ZIMAGE);
        assertThat(image.compression()).isNotNull();
        assertHasAll(image, arm);
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"NONE", "LZ4_FRAME"})
    void readsAnImageThatIsPackedAsAWhole(Packing packing) throws UnreadableException {
        KernelSpec arm64 = KernelSpec.of(Machine.AARCH64);

        KernelImage image = read(packing.pack(KernelWriter.arm64(arm64)));

        assertThat(image.format()).isEqualTo(ImageFormat.ARM64_IMAGE);
        assertHasAll(image, arm64);
    }

    @ParameterizedTest
    @CsvSource({"GZIP, gzip", "ZSTD, zstd22", "XZ_X86, xz"})
    void unpacksAnEfiZbootImage(Packing packing, String name) throws UnreadableException {
        KernelSpec arm64 = KernelSpec.of(Machine.AARCH64);
        byte[] payload = packing.packWithSize(KernelWriter.arm64(arm64));

        KernelImage image = read(Payloads.zboot(payload, name));

        assertThat(image.format()).isEqualTo(ImageFormat.EFI_ZBOOT);
        assertThat(image.machine().machineName()).isEqualTo("aarch64");
        assertHasAll(image, arm64);
    }

    @Test
    void readsTheImageInAUnifiedKernelImage() throws UnreadableException {
        byte[] inner = Payloads.bzImage(Packing.ZSTD.packWithSize(KernelWriter.elf(X86, true)));

        KernelImage image = read(Payloads.unified(inner));

        assertThat(image.format()).isEqualTo(ImageFormat.UNIFIED_KERNEL_IMAGE);
        assertThat(image.compression()).isEqualTo(Compression.ZSTD);
        assertHasAll(image, X86);
    }

    @ParameterizedTest(name = "{0}, {1}, relative {2}, {3} fields, CRCs {4}")
    @CsvSource({
        "X86_64, 6.1.0-7-test, true, 3, PLAIN",
        "X86_64, 5.3.1, true, 2, PLAIN",
        "X86_64, 4.18.0-348.el8.x86_64, false, 2, PLAIN",
        "X86_64, 3.10.0-1160.el7.x86_64, false, 2, WORDS",
        "X86_64, 6.6.1-nocrc, true, 3, NONE",
        "I386, 6.1.0-7-686, true, 3, PLAIN",
        "I386, 4.9.0-8-686, false, 2, WORDS",
        "PPC64LE, 6.1.0-7-powerpc64le, false, 3, PLAIN",
        "PPC64LE, 4.18.0-348.el8.ppc64le, false, 2, DISTANCES",
        "PPC64, 3.10.0-1160.el7.ppc64, false, 2, WORDS",
        "S390X, 5.10.0-9-s390x, false, 3, DISTANCES",
        "RISCV64, 6.1.0, false, 3, PLAIN",
        "MIPSEL, 6.1.0-7-4kc-malta, false, 3, PLAIN",
    })
    void tablesOfAnElfFileAreFoundWithAndWithoutSections(
            Machine machine, String release, boolean relative, int fields, Crcs crcs) throws UnreadableException {
        KernelSpec spec = KernelSpec.of(machine).laidOut(release, relative, fields, crcs);

        KernelImage named = read(KernelWriter.elf(spec, true));
        KernelImage bare = read(KernelWriter.elf(spec, false));

        assertThat(named.format()).isEqualTo(ImageFormat.ELF);
        assertThat(named.named()).isTrue();
        assertThat(bare.named()).isFalse();
        assertHasAll(named, spec);
        assertHasAll(bare, spec);
        assertThat(bare.layout()).isEqualTo(named.layout());
    }

    @ParameterizedTest
    @CsvSource({"X86_64, NONE", "X86_64, PLAIN", "PPC64LE, NONE", "RISCV64, PLAIN", "AARCH64, NONE"})
    void readsGplOnlyFromTheFlagsOfASingleTable(Machine machine, Crcs crcs) throws UnreadableException {
        KernelSpec spec = KernelSpec.of(machine).flagged(crcs);

        assertHasAll(read(KernelWriter.elf(spec, true)), spec);
        assertHasAll(read(KernelWriter.elf(spec, false)), spec);
    }

    @Test
    void gplOnlyIsUnknownWithoutATable() throws UnreadableException {
        KernelSpec all = X86.laidOut("6.1.0", true, 3, Crcs.PLAIN);
        List<Export> exported = new ArrayList<>(all.exports());
        exported.replaceAll(e -> new Export(e.name(), false, e.crc(), e.namespace()));
        KernelSpec plain = all.exporting(exported);

        for (boolean named : new boolean[] {true, false}) {
            ExportTable exports = read(KernelWriter.elf(plain, named)).exports();
            assertThat(exports.size()).isEqualTo(plain.exports().size());
            for (int row = 0; row < exports.size(); row++) {
                assertThat(exports.isLicenseKnown(row)).isFalse();
            }
        }
    }

    @Test
    void recognisesALoongArchImageByItsPeHeader() throws UnreadableException {
        KernelSpec spec = KernelSpec.of(Machine.MIPS64EL);
        byte[] payload = Packing.ZSTD.packWithSize(Payloads.loongArch(KernelWriter.raw(spec)));

        KernelImage image = read(Payloads.zboot(payload, "zstd"));

        assertThat(image.format()).isEqualTo(ImageFormat.EFI_ZBOOT);
        assertThat(image.machine().machineName()).isEqualTo("loongarch");
        assertHasAll(image, spec);
    }

    @ParameterizedTest(name = "{0}, {1}, {2} fields, CRCs {3}")
    @CsvSource({
        "S390X, 6.1.0-7-s390x, 3, PLAIN",
        "S390X, 5.10.0-9-s390x, 3, DISTANCES",
        "S390X, 4.18.0-348.el8.s390x, 2, DISTANCES",
        "ARM, 6.1.0-7-armmp, 3, PLAIN",
        "ARM, 4.9.0-8-armmp, 2, WORDS",
        "MIPS64EL, 6.1.0-7-5kc-malta, 3, PLAIN",
        "PPC64, 4.4.0, 2, WORDS",
    })
    void pointersOfARawImageTellWhereItIsLoaded(Machine machine, String release, int fields, Crcs crcs)
            throws UnreadableException {
        KernelSpec spec = KernelSpec.of(machine).laidOut(release, false, fields, crcs);

        assertHasAll(read(KernelWriter.raw(spec)), spec);
    }

    @Test
    void readsTheByteOrderOfAnS390ImageFromItsHeader() throws UnreadableException {
        KernelSpec s390 = KernelSpec.of(Machine.S390X);

        KernelImage image = read(Payloads.s390(Packing.XZ_X86.pack(KernelWriter.raw(s390))));

        assertThat(image.format()).isEqualTo(ImageFormat.S390_IMAGE);
        assertThat(image.machine().littleEndian()).isFalse();
        assertHasAll(image, s390);
    }

    @Test
    void findsOnlyMessagesOfTheLoader() throws UnreadableException {
        KernelSpec spec = X86.saying(List.of(
                "\u00014%s: module uses symbol (%s) from namespace %s, but does not import it.\n",
                "module %s: .gnu.linkonce.this_module section size must match\n"));

        KernelImage image = read(KernelWriter.elf(spec, true));

        assertThat(image.traces().found())
                .containsExactlyInAnyOrder(LoaderTrace.NAMESPACES_WARNED, LoaderTrace.STRUCT_SIZE);
        assertThat(image.traces().banner()).isEqualTo(spec.banner());
    }

    @Test
    void readsABuiltInConfiguration() throws UnreadableException {
        byte[] config = Packing.GZIP.pack("CONFIG_MODULE_SIG=y\n".getBytes());
        byte[] raw = Payloads.concat(
                KernelWriter.arm64(KernelSpec.of(Machine.AARCH64)),
                "IKCFG_ST".getBytes(),
                config,
                "IKCFG_ED".getBytes());

        assertThat(read(raw).config().value("MODULE_SIG")).isEqualTo("y");
        assertThat(read(KernelWriter.elf(X86, true)).config()).isNull();
    }

    @Test
    void reportsMissingTablesOfCrcs() throws UnreadableException {
        KernelSpec without = X86.laidOut("6.1.0", true, 3, Crcs.NONE);
        byte[] image = KernelWriter.elf(without, false);
        byte[] claim = "\0006.1.0 SMP mod_unload modversions \0".getBytes();
        System.arraycopy(claim, 0, image, 0x800, claim.length);

        assertThat(read(image).missing()).isEqualTo("its tables of CRCs were not found");
    }

    @Test
    void readsAKernelWithoutExports() throws UnreadableException {
        KernelSpec none = X86.exporting(List.of());

        KernelImage image = read(KernelWriter.elf(none, true));

        assertThat(image.release()).isEqualTo(none.release());
        assertThat(image.exports()).isNull();
        assertThat(image.missing()).isEqualTo("its export tables were not found");
    }

    @Test
    void ignoresBytesThatLookLikeAFewExports() throws UnreadableException {
        // Images of 2.4 and 2.6 have unsorted tables, in which a few entries in a row may be in order.
        List<Export> few = X86.exports().subList(0, 7);
        List<Export> strange = new ArrayList<>();
        for (int i = 10; i < 60; i++) {
            strange.add(new Export("jiffies" + i, i % 2 == 0, 1, ""));
        }
        strange.add(new Export("jiffies", false, 1, ""));
        for (List<Export> exports : List.of(few, strange)) {
            KernelImage image = read(KernelWriter.elf(X86.exporting(exports), false));
            assertThat(image.exports()).isNull();
            assertThat(image.missing()).isEqualTo("its export tables were not found");
        }
    }

    @Test
    void doesNotTreatTheEndsOfStringsAsNames() throws UnreadableException {
        byte[] image = KernelWriter.raw(KernelSpec.of(Machine.ARM));
        KernelImage whole = read(image);
        assertThat(whole.exports()).isNotNull();
        for (int at = 0x1000; at + 1 < image.length; at++) {
            boolean starts = image[at] == 0 && image[at + 1] >= '_' && image[at + 1] <= 'z';
            if (starts && new String(image, at + 1, 4).matches("gpl_")) {
                image[at] = 'x';
            }
        }
        assertThat(read(image).exports()).isNull();
    }

    @Test
    void expectsTwoFieldsBeforeNamespaces() throws UnreadableException {
        KernelSpec spec = KernelSpec.of(Machine.ARM).released("2.6.32");

        assertThat(read(KernelWriter.raw(spec)).exports()).isNull();
    }
}
