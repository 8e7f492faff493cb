package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.KernelModule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The groups of modules that are linked together or not at all. */
class DependencyGroupsTest {
    private final List<KernelModule> modules = new ArrayList<>();

    @Test
    void putsIndependentModulesIntoSeparateGroups() {
        module("a", "", "printk");
        module("b", "b", "printk");

        assertThat(DependencyGroups.ofUsers(modules)).containsExactly(List.of(0), List.of(1));
        assertThat(DependencyGroups.connected(modules)).containsExactly(List.of(0), List.of(1));
    }

    /**
     * The modules are like blowfish_x86_64 and blowfish_common: the first needs the second, which therefore leads no
     * group.
     */
    @Test
    void makesNoSeparateGroupOfANeededModule() {
        module("common", "c", "");
        module("x86_64", "", "c");

        assertThat(DependencyGroups.ofUsers(modules)).containsExactly(List.of(1, 0));
        assertThat(DependencyGroups.connected(modules)).containsExactly(List.of(0, 1));
    }

    @Test
    void putsASharedDependencyIntoBothGroups() {
        module("a", "", "c");
        module("b", "", "c");
        module("c", "c", "d");
        module("d", "d", "");
        module("e", "", "");

        assertThat(DependencyGroups.ofUsers(modules)).containsExactly(List.of(0, 2, 3), List.of(1, 2, 3), List.of(4));
        assertThat(DependencyGroups.connected(modules)).containsExactly(List.of(0, 1, 2, 3), List.of(4));
    }

    @Test
    void putsACircleIntoOneGroup() {
        module("a", "a", "b");
        module("b", "b", "a");
        module("user", "", "b");
        module("c", "c", "d");
        module("d", "d", "c");

        assertThat(DependencyGroups.ofUsers(modules)).containsExactly(List.of(2, 0, 1), List.of(3, 4));
        assertThat(DependencyGroups.connected(modules)).containsExactly(List.of(0, 1, 2), List.of(3, 4));
    }

    @Test
    void usesTheFirstExporter() {
        module("first", "s", "");
        module("second", "s", "");
        module("user", "", "s");

        assertThat(DependencyGroups.ofUsers(modules)).containsExactly(List.of(1), List.of(2, 0));
        assertThat(DependencyGroups.connected(modules)).containsExactly(List.of(0, 2), List.of(1));
    }

    private void module(String name, String export, String wanted) {
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, name);
        if (!export.isEmpty()) {
            module.exporting(export, Export.Table.NORMAL, 1);
        }
        if (!wanted.isEmpty()) {
            module.importing(wanted, 1);
        }
        modules.add(Judged.read(module.spec()));
    }
}
