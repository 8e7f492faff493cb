package dev.weaklink.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ImageFacts.BuiltInModules;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests configurations, versions, built-in modules, and the facts of a kernel that its modules show. */
class KernelFactsTest {
    @Test
    void readsOptionsOfAConfiguration() {
        KernelConfig config = config("# CONFIG_COMMENT=y\n"
                + "CONFIG_A=y\r\n"
                + "CONFIG_AB=m\n"
                + "# CONFIG_B is not set\n"
                + "CONFIG_TEXT=\"two words\"\n"
                + "CONFIG_EMPTY=\"\"\n"
                + "CONFIG_QUOTE=\"\n"
                + "CONFIG_TWICE=1\nCONFIG_TWICE=2\n"
                + " CONFIG_INDENTED=y\n"
                + "CONFIG_LAST=0x10");

        assertThat(config.value("A")).isEqualTo("y");
        assertThat(config.value("AB")).isEqualTo("m");
        assertThat(config.value("B")).isEqualTo("n");
        assertThat(config.value("TEXT")).isEqualTo("two words");
        assertThat(config.value("EMPTY")).isEmpty();
        assertThat(config.value("QUOTE")).isEqualTo("\"");
        assertThat(config.value("TWICE")).isEqualTo("1");
        assertThat(config.value("LAST")).isEqualTo("0x10");
        assertThat(config.value("COMMENT")).isNull();
        assertThat(config.value("INDENTED")).isNull();
        assertThat(config.value("NONE")).isNull();
    }

    @Property
    void readsAnyBytesAsAConfiguration(@ForAll byte[] bytes) {
        assertThat(new KernelConfig(bytes, bytes.length).value("MODVERSIONS")).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "6.1.0-53-amd64, 6, 1, 0",
        "3.10.0-1160.el7.x86_64, 3, 10, 0",
        "6.12.100+deb12-amd64, 6, 12, 100",
        "6.1, 6, 1, 0",
        "5.4.x, 5, 4, 0",
        "6.99999999999.1, 6, 100000, 1"
    })
    void numbersOfARelease(String release, int major, int minor, int patch) {
        KernelVersion version = KernelVersion.parse(release);

        assertThat(version.major()).isEqualTo(major);
        assertThat(version.minor()).isEqualTo(minor);
        assertThat(version.patch()).isEqualTo(patch);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "6", "6.", "v6.1", "next-20240101", "-1.2"})
    void rejectsInvalidReleases(String release) {
        assertThatThrownBy(() -> KernelVersion.parse(release))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("not a kernel release: " + release);
    }

    @Test
    void ordersVersionsByNumbers() {
        assertThat(KernelVersion.parse("6.10")).isGreaterThan(KernelVersion.parse("6.9.9"));
        assertThat(KernelVersion.parse("5.19")).isLessThan(KernelVersion.parse("6.0"));
        assertThat(KernelVersion.parse("6.1.2")).isGreaterThan(KernelVersion.parse("6.1.1"));
        assertThat(KernelVersion.parse("6.1").atLeast(6, 1)).isTrue();
        assertThat(KernelVersion.parse("6.1").atLeast(6, 2)).isFalse();
        assertThat(KernelVersion.parse("6.1").atLeast(5, 19)).isTrue();
        assertThat(KernelVersion.parse("5.19").atLeast(6, 1)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "X86 X86_64 64BIT, x86_64",
        "X86 X86_32, i386",
        "ARM64 64BIT, aarch64",
        "ARM, arm",
        "PPC PPC64 64BIT CPU_LITTLE_ENDIAN, ppc64le",
        "PPC PPC64 64BIT, ppc64",
        "PPC, ppc",
        "S390 64BIT, s390x",
        "RISCV 64BIT, riscv64",
        "LOONGARCH 64BIT, loongarch",
        "MIPS, mips",
        "SMP, ",
    })
    void readsTheMachineFromTheConfiguration(String options, @Nullable String machine) {
        StringBuilder text = new StringBuilder("# CONFIG_CPU_BIG_ENDIAN is not set\n");
        for (String option : options.split(" ", -1)) {
            text.append("CONFIG_" + option + "=y\n");
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.US_ASCII);
        ElfIdentity found = new KernelConfig(bytes, bytes.length).machine();
        assertThat(found == null ? null : found.machineName()).isEqualTo(machine);
    }

    /** Tests the names that param_sysfs_builtin and version_sysfs_builtin create (kernel/params.c). */
    @Test
    void readsNamesOfListedBuiltInModules() {
        byte[] list = ("ext4.license=GPL\0ext4.parmtype=x:int\0loop.version=1\0usbcore.parm=a:b.version=\0"
                        + "fuse.alias=version\0nothing\0.version=1\0tcp.cubic.version=1\0last.parmtype=")
                .getBytes(StandardCharsets.US_ASCII);

        BuiltInModules listed = BuiltInModules.listed(list, list.length);
        assertThat(listed.possible()).containsExactlyInAnyOrder("ext4", "loop", "usbcore", "fuse", "tcp", "last");
        assertThat(listed.taken()).isEmpty();
        assertThat(BuiltInModules.listed(list, 0).possible()).isEmpty();
    }

    @Property
    void readsAnyBytesAsAListOfBuiltInModules(@ForAll byte[] bytes) {
        assertThat(BuiltInModules.listed(bytes, bytes.length).possible())
                .allSatisfy(name -> assertThat(name).isNotEmpty().doesNotContain("\0", ".", "="));
    }

    @Test
    void attributesSymbolsOfNoModuleToVmlinux() {
        KernelModule user = read(ModuleBuilder.typical(Machine.X86_64, "user")
                .importing("printk", 7)
                .importing("helper", 8)
                .importing("unversioned", false));
        KernelModule exporter = read(ModuleBuilder.typical(Machine.X86_64, "exporter")
                .importing("printk", 7)
                .exporting("helper", Export.Table.GPL, 8));

        ExportTable exports = WitnessedExports.of(List.of(user, exporter));

        assertThat(SymversRows.of(exports))
                .containsExactly("11223344 module_layout vmlinux ?", "00000007 printk vmlinux ?");
        assertThat(exports.isVmlinux(1)).isTrue();
        assertThat(exports.isNamespaceKnown(1)).isFalse();
    }

    @Test
    void findsExportsByTheBytesOfTheName() {
        assertThat(ExportTable.EMPTY.find("a")).isEqualTo(-1);
        assertThat(ExportTable.EMPTY.size()).isZero();
    }

    private static KernelModule read(ModuleBuilder module) {
        byte[] bytes = module.build();
        return ModuleReader.read(Origin.file("m.ko"), bytes, bytes.length);
    }

    private static KernelConfig config(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new KernelConfig(bytes, bytes.length);
    }
}
