package dev.weaklink.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodeInventory.NodeKernel;
import dev.weaklink.fleet.intake.NodeInventory.RunningModule;
import dev.weaklink.fleet.intake.NodeInventory.Signature;
import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.testing.Records;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AuditTest {
    private static final String OLD = "5.14.0-9";
    private static final String NEW = "5.14.0-10";

    private static Module module(String kernel, String name, @Nullable String srcversion) {
        return module(kernel, name, srcversion, true, null, null);
    }

    private static Module module(
            String kernel,
            String name,
            @Nullable String srcversion,
            boolean used,
            @Nullable String link,
            @Nullable String file) {
        String path = "/lib/modules/" + kernel + "/" + name + ".ko";
        return new Module(
                kernel, name, path, used, link, file, "sha256:" + srcversion, null, srcversion, null, null, null);
    }

    private static NodeInventory inventory(
            String running, List<Module> modules, List<RunningModule> loaded, int unread) {
        List<NodeKernel> kernels = List.of(new NodeKernel(OLD, true), new NodeKernel(NEW, true));
        return Records.of(
                NodeInventory.class,
                "running",
                running,
                "kernels",
                kernels,
                "modules",
                modules,
                "loaded",
                loaded,
                "policy",
                NodePolicy.PERMISSIVE,
                "unread",
                unread);
    }

    private static NodeInventory inventory(String running, Module... modules) {
        return inventory(running, List.of(modules), List.of(), 0);
    }

    private static AuditReport report(Audit audit) {
        return AuditReportBuilder.of(audit.census(), List.of(), List.of(), 0);
    }

    @Test
    void nodesAreGroupedByKernelAndItsModules() {
        Audit audit = new Audit();
        audit.add("cn2", inventory(OLD, module(OLD, "a", "1"), module(OLD, "b", "1")));
        audit.add("cn1", inventory(NEW, module(OLD, "b", "1"), module(OLD, "a", "1")));
        audit.add("cn3", inventory(NEW, module(OLD, "a", "2")));
        AuditReport report = report(audit);
        assertThat(report.nodes()).isEqualTo(3);
        assertThat(report.groups())
                .extracting(
                        AuditReport.AuditedGroup::kernel,
                        group -> report.sets().get(group.set()).modules().size(),
                        group -> group.nodes().names(),
                        AuditReport.AuditedGroup::running)
                .containsExactly(
                        tuple(NEW, 0, List.of("cn1", "cn2", "cn3"), 2),
                        tuple(OLD, 2, List.of("cn1", "cn2"), 1),
                        tuple(OLD, 1, List.of("cn3"), 0));
        assertThat(report.hasDefects()).isFalse();
    }

    @Test
    void equalSetsAreOne() {
        Audit audit = new Audit();
        for (int i = 0; i < 1000; i++) {
            audit.add("cn" + i, inventory(i % 3 == 0 ? OLD : NEW, module(OLD, "a", "" + i % 2)));
        }
        assertThat(report(audit).sets())
                .extracting(set -> set.kernel() + " " + set.digest())
                .hasSize(3)
                .doesNotHaveDuplicates();
    }

    @Test
    void distinguishesSetsByEveryFactOfAModule() {
        Module module = module(OLD, "a", "1");
        List<Module> others = List.of(
                module(OLD, "a", "2"),
                module(OLD, "a", null),
                module(OLD, "b", "1"),
                module(OLD, "a", "1", false, null, null),
                module(OLD, "a", "1", true, "x", null),
                module(OLD, "a", "1", true, null, "x"));
        List<String> digests = new ArrayList<>();
        digests.add(ModuleSet.of(OLD, List.of(module), NodePolicy.PERMISSIVE).digest());
        for (Module other : others) {
            digests.add(ModuleSet.of(OLD, List.of(other), NodePolicy.PERMISSIVE).digest());
        }
        assertThat(digests).doesNotHaveDuplicates();
    }

    /**
     * 10 signed modules of 13 facts and 13 unsigned modules of 10 facts, all equal, as only a forged report has them.
     */
    @Test
    void distinguishesSignedFromUnsignedModules() {
        List<Module> signed = Collections.nCopies(10, module(new Signature("true", "true", "true")));
        List<Module> unsigned = Collections.nCopies(13, module(null));

        assertThat(ModuleSet.of(OLD, signed, NodePolicy.PERMISSIVE).digest())
                .isNotEqualTo(ModuleSet.of(OLD, unsigned, NodePolicy.PERMISSIVE).digest());
    }

    private static Module module(@Nullable Signature signature) {
        String same = "true";
        return new Module(OLD, same, same, true, same, same, same, same, same, same, signature, same);
    }

    @Test
    void reportsDanglingLinksAndUnlistedFiles() {
        Audit audit = new Audit();
        audit.add(
                "cn1",
                inventory(
                        OLD,
                        module(OLD, "unlisted", "1", false, null, null),
                        module(OLD, "whole", "1", true, "/a.ko", "/a.ko"),
                        module(OLD, "dangling", null, false, "/a.ko", null)));
        AuditReport report = report(audit);
        assertThat(report.groups().get(1).defects())
                .extracting(Defect::kind, Defect::subject)
                .containsExactly(
                        tuple(Defect.ModuleDefectKind.DANGLING_LINK, "dangling"),
                        tuple(Defect.ModuleDefectKind.NOT_USED, "unlisted"));
        assertThat(report.hasDefects()).isTrue();
    }

    @Test
    void comparesLoadedModulesWithFilesOfTheRunningKernel() {
        List<Module> modules = List.of(
                module(OLD, "mlx5_core", "A"),
                module(NEW, "mlx5_core", "B"),
                module(OLD, "knem", "A", false, null, null),
                module(OLD, "xpmem", null));
        List<RunningModule> loaded = List.of(
                new RunningModule("mlx5-core", "B", "OE"),
                new RunningModule("knem", "B", "OE"),
                new RunningModule("xpmem", "B", "OE"),
                new RunningModule("other", "B", "OE"));
        Audit audit = new Audit();
        audit.add("cn2", inventory(OLD, modules, loaded, 0));
        audit.add("cn1", inventory(OLD, modules, loaded, 1));
        audit.add("cn3", inventory(NEW, modules, loaded, 0));
        AuditReport report = report(audit);
        assertThat(report.running()).singleElement().satisfies(found -> {
            assertThat(found.kernel()).isEqualTo(OLD);
            assertThat(found.nodes()).hasToString("cn[1-2]");
            assertThat(found.defect().subject()).isEqualTo("mlx5-core");
            assertThat(found.defect().detail()).isEqualTo("srcversion B is loaded, A is on disk");
        });
        assertThat(report.incomplete().names()).containsExactly("cn1");
        assertThat(report.hasDefects()).isTrue();
    }

    @Test
    void doesNotDependOnTheOrderOfNodes() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            names.add("cn" + i);
        }
        AuditReport expected = report(names);
        Collections.reverse(names);
        assertThat(report(names)).isEqualTo(expected);
    }

    private static AuditReport report(List<String> names) {
        Audit audit = new Audit();
        for (String name : names) {
            audit.add(name, inventory(OLD, module(OLD, "a", "" + name.hashCode() % 5)));
        }
        return report(audit);
    }
}
