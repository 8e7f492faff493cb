package dev.weaklink.links.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.links.selection.MaximalSubset.SubsetQuestion;
import dev.weaklink.links.selection.Selection.LinkDecision;
import dev.weaklink.links.selection.Selection.TrialOutcome;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.Judged;
import dev.weaklink.loader.Kernels;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The chosen candidates, and the reasons for not choosing the others. */
class MaximalSubsetTest {
    private static final int OLD = 1;
    private static final int NEW = 2;

    private final Kernels kernel = Kernels.version("6.1").exportingGpl("k_gpl", OLD);
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<KernelModule> inTreeModules = new ArrayList<>();
    private final Set<String> unreadable = new HashSet<>();
    private final Set<String> mayBreak = new HashSet<>();

    @Test
    void choosesNothingFromNothing() {
        assertThat(choose().decisions()).isEmpty();
    }

    @Test
    void choosesACandidateThatLoadsAndBreaksNothing() {
        candidate(typical("free"));

        assertChosen(choose(), 0);
    }

    /** The pair behaves like kvm and kvm-intel of one build on the kernel of another build. */
    @Test
    void choosesAPairThatOnlyLoadsTogether() {
        own(exporting("kvm", "f", NEW));
        own(typical("kvm_intel").importing("f", NEW));
        candidate(exporting("kvm", "f", OLD));
        candidate(typical("kvm_intel").importing("f", OLD));

        assertChosen(choose(), 0, 1);
    }

    @Test
    void refusesACandidateThatBreaksAnInTreeModule() {
        own(exporting("base", "f", NEW));
        own(typical("user").importing("f", NEW));
        candidate(exporting("base", "f", OLD));

        Selection selection = choose();

        assertChosen(selection);
        assertThat(status(selection, 0)).isEqualTo(new TrialOutcome.Breaks(List.of("user")));
        assertThat(verdict(selection, 0).outcome()).isEqualTo(Outcome.COMPATIBLE);
    }

    @Test
    void ignoresInTreeModulesThatDoNotLoadToday() {
        own(exporting("base", "f", NEW));
        own(typical("user").importing("f", NEW).importing("gone", OLD));
        candidate(exporting("base", "f", OLD));

        assertChosen(choose(), 0);
    }

    @Test
    void letsAnInTreeModuleStopLoadingIfAllowed() {
        own(exporting("base", "f", NEW));
        own(typical("user").importing("f", NEW));
        candidate(exporting("base", "f", OLD));
        mayBreak.add("user");

        assertChosen(choose(), 0);
    }

    @Test
    void keepsDependantsOfARemovedModule() {
        own(exporting("base", "f", NEW));
        own(exporting("user", "g", NEW).importing("f", NEW));
        own(typical("last").importing("g", NEW));
        candidate(exporting("base", "f", OLD));
        mayBreak.add("user");

        Selection selection = choose();

        assertChosen(selection);
        assertThat(status(selection, 0)).isEqualTo(new TrialOutcome.Breaks(List.of("last")));
    }

    @Test
    void ignoresReplacedModules() {
        own(exporting("base", "f", NEW));
        own(typical("user").importing("f", NEW));
        candidate(exporting("base", "f", OLD));
        candidate(typical("user").importing("f", OLD));

        assertChosen(choose(), 0, 1);
    }

    @Test
    void leavesOutUsersOfTheReplacedExport() {
        own(exporting("base", "f", NEW));
        candidate(exporting("base", "f", OLD));
        candidate(typical("a").importing("f", NEW));
        candidate(typical("b").importing("f", NEW));
        candidate(typical("c").importing("f", OLD));
        candidate(typical("d").importing("f", OLD));

        Selection selection = choose();

        assertChosen(selection, 0, 3, 4);
        assertThat(status(selection, 1)).isEqualTo(new TrialOutcome.Conflicts(List.of(0)));
        assertThat(status(selection, 2)).isEqualTo(new TrialOutcome.Conflicts(List.of(0)));
        assertThat(verdict(selection, 1).findings().get(0).layer()).isEqualTo(Layer.SYMBOL_CRC);
    }

    @Test
    void givesTheReasonForARefusedCandidate() {
        candidate(typical("m").importing("gone", OLD));

        Selection selection = choose();

        assertChosen(selection);
        assertThat(status(selection, 0)).isEqualTo(new TrialOutcome.Refused());
        new Judged(verdict(selection, 0)).isRefused("ENOENT", Layer.SYMBOL_MISSING);
    }

    @Test
    void choosesTheFirstBuildThatLoads() {
        candidate(typical("m").importing("gone", OLD));
        candidate(typical("m").importing("k_gpl", OLD));
        candidate(typical("m"));

        Selection selection = choose();

        assertChosen(selection, 1);
        assertThat(status(selection, 0)).isEqualTo(new TrialOutcome.Refused());
        assertThat(status(selection, 2)).isEqualTo(new TrialOutcome.Outrivalled(List.of(1)));
        assertThat(verdict(selection, 2).outcome()).isEqualTo(Outcome.COMPATIBLE);
    }

    @Test
    void keepsThePreferredBuildEvenIfAnotherLoadsMoreModules() {
        candidate(exporting("base", "f", OLD));
        candidate(exporting("base", "f", NEW));
        candidate(typical("user").importing("f", NEW));

        Selection selection = choose();

        assertChosen(selection, 0);
        assertThat(status(selection, 1)).isEqualTo(new TrialOutcome.Outrivalled(List.of(0)));
        assertThat(status(selection, 2)).isEqualTo(new TrialOutcome.Refused());
    }

    @Test
    void addsARemovedCandidateAgainIfItFits() {
        own(exporting("base", "f", NEW));
        own(exporting("lib", "g", NEW));
        own(typical("user").importing("f", NEW).importing("g", NEW));
        candidate(exporting("base", "f", OLD));
        candidate(exporting("lib", "g", NEW));

        Selection selection = choose();

        assertChosen(selection, 1);
        assertThat(status(selection, 0)).isEqualTo(new TrialOutcome.Breaks(List.of("user")));
    }

    @Test
    void choosesAGroupAsAWhole() {
        grouped("g", typical("a"));
        grouped("g", typical("b"));

        assertChosen(choose(), 0, 1);
    }

    @Test
    void groupFailsIfAMemberFails() {
        grouped("g", typical("a"));
        grouped("g", typical("b").importing("gone", OLD));
        grouped("g", typical("c"));
        candidate(typical("d"));

        Selection selection = choose();

        assertChosen(selection, 3);
        assertThat(status(selection, 0)).isEqualTo(new TrialOutcome.GroupFails(List.of(1)));
        assertThat(status(selection, 1)).isEqualTo(new TrialOutcome.Refused());
        assertThat(status(selection, 2)).isEqualTo(new TrialOutcome.GroupFails(List.of(1)));
        assertThat(verdict(selection, 0).outcome()).isEqualTo(Outcome.COMPATIBLE);
    }

    @Test
    void groupFailsIfAMemberBreaksAnInTreeModule() {
        own(exporting("base", "f", NEW));
        own(typical("user").importing("f", NEW));
        grouped("g", exporting("base", "f", OLD));
        grouped("g", typical("other"));

        Selection selection = choose();

        assertChosen(selection);
        assertThat(status(selection, 0)).isEqualTo(new TrialOutcome.Breaks(List.of("user")));
        assertThat(status(selection, 1)).isEqualTo(new TrialOutcome.GroupFails(List.of(0)));
    }

    @Test
    void choosesAnotherBuildOfAMemberOnlyWithoutTheGroup() {
        grouped("g", typical("a"));
        grouped("g", typical("b").importing("gone", OLD));
        candidate(typical("a"));

        assertChosen(choose(), 2);
    }

    @Test
    void choosesThePreferredGroupEvenIfAnotherIsLarger() {
        grouped("new", typical("a"));
        grouped("new", typical("b"));
        grouped("old", typical("a"));
        grouped("old", typical("b"));
        grouped("old", typical("c"));

        Selection selection = choose();

        assertChosen(selection, 0, 1);
        assertThat(status(selection, 4)).isEqualTo(new TrialOutcome.Outrivalled(List.of(0, 1)));
    }

    @Test
    void refusesAGroupWithTwoBuildsOfOneName() {
        grouped("g", typical("a"));
        grouped("g", typical("a"));

        assertThatThrownBy(this::choose)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("group g holds two builds of a");
    }

    @Test
    void choosesNoModulesInACycle() {
        candidate(exporting("a", "a", OLD).importing("b", OLD));
        candidate(exporting("b", "b", OLD).importing("a", OLD));
        candidate(typical("c"));

        Selection selection = choose();

        assertChosen(selection, 2);
        assertThat(status(selection, 0)).isInstanceOf(TrialOutcome.Refused.class);
        assertThat(status(selection, 1)).isInstanceOf(TrialOutcome.Refused.class);
    }

    @Test
    void choosesAnUndeterminedModuleOnlyIfAccepted() {
        kernel.exporting("printk", OLD);
        ModuleBuilder blind = typical("m").importing("printk", false);
        candidate(blind);

        Selection selection = choose();

        assertChosen(selection);
        assertThat(status(selection, 0)).isEqualTo(new TrialOutcome.Refused());
        new Judged(verdict(selection, 0)).isUndetermined();

        candidates.set(0, new Candidate(Judged.read(blind.spec()), null, true));
        assertChosen(choose(), 0);
    }

    @Test
    void makesAnInTreeModuleUndeterminedOnlyByAnAcceptedCandidate() {
        kernel.exporting("printk", OLD);
        own(exporting("base", "f", OLD));
        own(typical("user").importing("f", OLD));
        ModuleBuilder blind = exporting("base", "f", OLD).importing("printk", false);
        candidates.add(new Candidate(Judged.read(blind.spec()), null, true));

        assertChosen(choose(), 0);
    }

    @Test
    void doesNotMakeAnInTreeModuleUndetermined() {
        own(exporting("base", "f", OLD));
        own(typical("user").importing("f", OLD));
        ModuleBuilder withoutCrcs = typical("base").exporting(new Export("f", Export.Table.NORMAL, null, null));
        candidates.add(new Candidate(Judged.read(withoutCrcs.spec()), null, true));

        Selection selection = choose();

        assertChosen(selection);
    }

    /** inherit_taint: the build that replaces the module taints a user, which also uses GPL-only symbols. */
    @Test
    void keepsAModuleThatGplModulesNeedFromAProprietaryReplacement() {
        own(exporting("base", "f", OLD));
        own(typical("user").importing("k_gpl", OLD).importing("f", OLD));
        candidate(typical("base")
                .withoutModInfo("license")
                .modInfo("license=Proprietary")
                .exporting("f", Export.Table.NORMAL, OLD));

        Selection selection = choose();

        assertChosen(selection);
        assertThat(status(selection, 0)).isEqualTo(new TrialOutcome.Breaks(List.of("user")));
    }

    @Test
    void choosesOnlyOneExporterOfASymbol() {
        candidate(exporting("a", "f", OLD));
        candidate(exporting("b", "f", OLD)
                .exporting("g", Export.Table.NORMAL, OLD)
                .importing("h", OLD));
        candidate(exporting("c", "h", OLD).importing("f", OLD));

        Selection selection = choose();

        // b uses c, c uses a, and a's symbol is exported by b again
        assertChosen(selection, 0, 2);
        assertThat(status(selection, 1)).isEqualTo(new TrialOutcome.Refused());
        new Judged(verdict(selection, 1)).isRefused("ENOEXEC", Layer.DUPLICATE_EXPORT);
    }

    @Test
    void replacesAnUnreadableModuleByAChosenBuild() {
        unreadable.add("base");
        candidate(exporting("base", "f", OLD));
        candidate(typical("user").importing("f", OLD));

        assertChosen(choose(), 0, 1);
    }

    private void candidate(ModuleBuilder module) {
        grouped(null, module);
    }

    private void grouped(@Nullable String group, ModuleBuilder module) {
        candidates.add(new Candidate(Judged.read(module.spec()), group, false));
    }

    private void own(ModuleBuilder module) {
        inTreeModules.add(Judged.read(module.spec()));
    }

    private Selection choose() {
        var target = kernel.build();
        SubsetQuestion question = new SubsetQuestion(target, candidates, inTreeModules, unreadable, mayBreak);
        return MaximalSubset.choose(question, new ExportRowCache(target.exports()), 2);
    }

    private static void assertChosen(Selection selection, Integer... expected) {
        List<Integer> chosen = new ArrayList<>();
        for (int i = 0; i < selection.decisions().size(); i++) {
            if (selection.decisions().get(i).chosen()) {
                chosen.add(i);
            }
        }
        assertThat(chosen).as("%s", selection.decisions()).containsExactly(expected);
    }

    private static TrialOutcome status(Selection selection, int candidate) {
        return selection.decisions().get(candidate).status();
    }

    private static Verdict verdict(Selection selection, int candidate) {
        LinkDecision decision = selection.decisions().get(candidate);
        return decision.verdict();
    }

    private static ModuleBuilder typical(String name) {
        return ModuleBuilder.typical(Machine.X86_64, name);
    }

    private static ModuleBuilder exporting(String name, String symbol, int crc) {
        return typical(name).exporting(symbol, Export.Table.NORMAL, crc);
    }
}
