package dev.weaklink.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.format.archive.PackageInfo.PackageKind;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;

class SymbolRequiresTest {
    private static final List<KernelModule> MODULES = List.of(module());

    private static KernelModule module() {
        byte[] file = ModuleBuilder.typical(Machine.X86_64, "m")
                .importing("_printk", 0x92997ed8)
                .importing("kfree", 0x37a0cba)
                .build();
        return ModuleReader.read(Origin.file("m.ko"), file, file.length);
    }

    private static PackageInfo requiring(PackageRelation... requires) {
        return new PackageInfo(PackageKind.RPM, "kmod-m", "1-1", null, List.of(requires));
    }

    private static PackageRelation equal(String name, String version) {
        return new PackageRelation(name, "=", version);
    }

    @Test
    void unrelatedRequirementsDoNotContradict() {
        PackageInfo honest = requiring(
                equal("kernel(_printk)", "0x92997ed8"),
                equal("ksym(default:kfree)", "037a0cba"),
                equal("kernel(not_used)", "0x00000001"),
                equal("kernel(default:kfree)", "0123456789abcdef"),
                equal("other(kfree)", "0x1"),
                new PackageRelation("kernel(kfree)", "", ""));
        assertThat(SymbolRequires.contradiction(honest, MODULES)).isNull();
    }

    @Test
    void reportsTheFirstContradiction() {
        PackageInfo lying = requiring(equal("kernel(_printk)", "0x92997ed8"), equal("ksym(kfree)", "0x037a0cbb"));
        assertThat(SymbolRequires.contradiction(lying, MODULES))
                .isEqualTo("the package requires ksym(kfree) = 0x037a0cbb, but its modules want 0x037a0cba;"
                        + " weaklink uses the CRCs in the modules");
    }

    @Test
    void countsFurtherContradictions() {
        PackageInfo lying = requiring(equal("kernel(_printk)", "0x00000000"), equal("ksym(kfree)", "0x00000000"));
        assertThat(SymbolRequires.contradiction(lying, MODULES)).contains(", and 1 more symbol differs;");
    }
}
