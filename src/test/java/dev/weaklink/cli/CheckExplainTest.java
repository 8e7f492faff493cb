package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.BtfBuilder.Member;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.Oddities;
import dev.weaklink.testing.RealPackages;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The types of modules in packages. The cases of commands cover the rest. */
class CheckExplainTest {
    private static final String OLD = "6.1.0-1-test";
    private static final String NEW = "6.1.0-2-test";

    /** The id of struct device among the kernel's types if its member is a u8. */
    private static final int DEVICE = 4;

    @TempDir
    Path directory;

    private static ModuleBuilder module(String name, String release) {
        int layout = KernelSpec.of(Machine.X86_64).exports().stream()
                .filter(export -> export.name().equals("module_layout"))
                .findFirst()
                .orElseThrow()
                .crc();
        return ModuleBuilder.typical(Machine.X86_64, name)
                .changedVersion("module_layout", layout & 0xffffffffL)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
    }

    /** Returns an image in which dev_open and dev_close, but not kfree, use a struct whose state has this type. */
    private static byte[] image(String release, int crc, String state) {
        return KernelWriter.elf(spec(release, crc), kernelTypes(state));
    }

    private static BtfBuilder kernelTypes(String state) {
        BtfBuilder types = new BtfBuilder();
        int number = types.integer("int", 4);
        int narrow = types.integer("unsigned char", 1);
        int stated = state.equals("u8") ? types.typedef("u8", narrow) : narrow;
        int device = types.struct("device", 8, new Member("state", stated, 0));
        int pointer = types.pointer(device);
        types.function("dev_open", types.prototype(number, pointer));
        types.function("dev_close", types.prototype(0, pointer));
        types.function("kfree", types.prototype(0, number));
        return types;
    }

    private static KernelSpec spec(String release, int crc) {
        List<Export> exports = new ArrayList<>(KernelSpec.of(Machine.X86_64).exports());
        exports.add(new Export("dev_open", false, crc, ""));
        exports.add(new Export("dev_close", false, crc, ""));
        return KernelSpec.of(Machine.X86_64).released(release).exporting(exports);
    }

    /**
     * The types of a packaged module explain the changed exports of the module, with split and with distilled BTF. The
     * packages of a kernel may be several.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void explainsExportsOfModulesInPackages(boolean distilled) throws Exception {
        ExternalTool.orSkip("dpkg-deb");
        List<String> line = new ArrayList<>(List.of("diff"));
        for (String release : List.of(OLD, NEW)) {
            Path scratch = Files.createDirectory(directory.resolve("deb-" + release));
            TreeBuilder tree = TreeBuilder.in(scratch.resolve("tree"));
            int crc = release.equals(OLD) ? 5 : 6;
            ModuleBuilder mid = module("mid-dle", release)
                    .exporting("mid_call", ModuleSpec.Export.Table.NORMAL, crc)
                    .oddities(typed(release.equals(OLD) ? "gone" : "come", distilled));
            tree.module(release, "kernel/mid-dle.ko", mid);
            tree.file("boot/vmlinuz-" + release, image(release, 1, "u8"));
            TreeBuilder headers = TreeBuilder.in(scratch.resolve("headers"));
            headers.symvers(
                    TreeBuilder.SymversPlace.BOOT_GZIP,
                    release,
                    new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                            .kernel("dev_open", SymversBuilder.Kind.EXPORT_SYMBOL, 1)
                            .row(new SymversBuilder.Row(
                                    crc, "mid_call", "kernel/mid-dle", SymversBuilder.Kind.EXPORT_SYMBOL, null)));
            for (String part : List.of("tree", "headers")) {
                Path place = Files.createDirectory(scratch.resolve(part + ".packed"));
                line.add(release.equals(OLD) ? "--from" : "--to");
                line.add(RealPackages.deb(place, scratch.resolve(part)).toString());
            }
        }
        assertThat(WholeRun.of(line.toArray(new String[0]))).isEqualTo(new WholeRun(1, """
                6.1.0-1-test -> 6.1.0-2-test: 1 CRC of 2 symbols differs, 1 explained by 1 change

                struct middle: 1 symbol, same layout, new meaning possible
                    - struct device gone
                    + struct device come
                    by mid_call() -> struct middle
                """, ""));
    }

    /** Returns the types of a function whose struct contains the kernel's struct device. */
    private static Oddities typed(String member, boolean distilled) {
        BtfBuilder base = distilled ? new BtfBuilder() : kernelTypes("u8");
        int device = distilled ? base.struct("device", 8) : DEVICE;
        BtfBuilder types = base.split();
        int own = types.struct("middle", 16, new Member(member, device, 0));
        types.function("mid_call", types.prototype(0, types.pointer(own)));
        Oddities typed = Oddities.NONE.andBtf(types.build(ByteOrder.LITTLE_ENDIAN));
        return distilled ? typed.andBtfBase(base.build(ByteOrder.LITTLE_ENDIAN)) : typed;
    }
}
