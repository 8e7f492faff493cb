package dev.weaklink.links.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.ModulePlan.Action;
import dev.weaklink.links.plan.ModulePlan.Unit;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.report.TableOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The printed plan for modules and commands that do not occur in the text cases. */
class PlanTableTest {
    private static String render(Plan plan, RebuildGroup... rebuilds) {
        return new PlanTable(new TableOptions(80, false, false)).render(plan, List.of(rebuilds), "", "", true, false);
    }

    @Test
    void neverSaysNothingToDoAfterAProblem() {
        Plan plan = new Plan(List.of(new KernelPlan("6.1.0", List.of(module("m", Action.KEEP)))));
        assertThat(render(plan)).endsWith("\n\n1 module as it should be.\n");
        assertThat(new PlanTable(new TableOptions(80, false, false)).render(plan, List.of(), "", "", false, false))
                .contains("Not everything could be read; 1 module as it should be.");
    }

    @Test
    void countsBreakingModulesAsUnfinished() {
        Finding breaks = new Finding(
                FindingKind.BREAKS_IMPORTER,
                Finding.Effect.BREAKS,
                "EINVAL",
                null,
                null,
                null,
                null,
                null,
                "",
                null,
                new Finding.Importer("user", true));
        Verdict verdict = new Verdict(
                KernelModule.unread(Origin.file("m.ko")),
                "6.1.0",
                Outcome.COMPATIBLE,
                null,
                List.of(breaks),
                List.of(),
                List.of(),
                List.of());
        ModulePlan module = module("m", Action.KEEP).withVerdict(verdict);
        assertThat(render(new Plan(List.of(new KernelPlan("6.1.0", List.of(module))))))
                .endsWith("\n\n1 module breaking others. Next: weaklink check --kernel 6.1.0\n");
    }

    /** A release is the name of a directory, so it must be quoted in a command. */
    @Test
    void printsCommandsThatCanBeCopied() {
        String release = "6.1.0;reboot";
        KernelPlan kernel = new KernelPlan(release, List.of(module("m", Action.REBUILD)));
        RebuildGroup group =
                new RebuildGroup(release, List.of("m"), List.of("m"), "", "", "dkms", "a b", List.of(), "so it is", "");
        assertThat(render(new Plan(List.of(kernel)), group))
                .endsWith("Next: weaklink rebuild --kernel '6.1.0;reboot' --product 'a b'\n");
    }

    @Test
    void proposesARebuildForTheKernelThatBootsNext() {
        List<KernelPlan> kernels = new ArrayList<>();
        List<RebuildGroup> groups = new ArrayList<>();
        for (String release : List.of("6.1.1", "6.1.2", "6.1.3")) {
            kernels.add(new KernelPlan(release, List.of(module("m", Action.REBUILD))));
            groups.add(new RebuildGroup(
                    release, List.of("m"), List.of("m"), "", "", "dkms", "", List.of(), "so it is", ""));
        }
        String text = render(new Plan(kernels, "6.1.2"), groups.toArray(new RebuildGroup[0]));
        assertThat(text).endsWith("3 modules to rebuild. Next: weaklink rebuild --kernel 6.1.2 --backend dkms\n");
        assertThat(text).contains("  weaklink rebuild --kernel 6.1.1 --backend dkms\n");
        assertThat(text.lines().filter(line -> line.startsWith("6.1.")))
                .containsExactly("6.1.2 (boots next)", "6.1.3", "6.1.1");
    }

    @Test
    void saysThatNothingCanRebuildWithoutABackend() {
        KernelPlan kernel = new KernelPlan("6.1.0", List.of(module("m", Action.REBUILD)));
        RebuildGroup group = new RebuildGroup(
                "6.1.0", List.of("m"), List.of("m"), "", "", "", "", List.of(), "nothing shows it", "");
        assertThat(render(new Plan(List.of(kernel)), group))
                .endsWith("1 module to rebuild.\nNext: nothing on this machine can rebuild m; get a build for 6.1.0"
                        + " from the\n  vendor\n");
    }

    private static ModulePlan module(String name, Action action) {
        return new ModulePlan(
                name,
                new Unit(name, null),
                action,
                null,
                false,
                "/lib/modules/6.1.0-0/extra/" + name + ".ko",
                List.of(),
                action == Action.REBUILD ? Outcome.UNDETERMINED : Outcome.COMPATIBLE,
                null,
                "so it is",
                null,
                null);
    }
}
