package dev.weaklink.check.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.Samples;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Verdict;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.TargetKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CheckTableTest {
    @Test
    void showsAllReasonsForASingleRefusedModule() {
        CheckReport report = Samples.report(Samples.refused(
                "mlx5_core",
                "ENOENT",
                Samples.changed("mlx5_core", "ether_setup"),
                Samples.missing("mlx5_core", "fput")));

        assertThat(render(report)).isEqualTo("""
            6.1.0-54-amd64 (installed kernel): 9,000 symbols of vmlinux, 4,023 modules of its own
              symbols from /usr/src/linux-headers-6.1.0-54-amd64/Module.symvers

            INCOMPATIBLE  mlx5_core (ENOENT)  extra/mlx5_core.ko
                symbol-crc: ether_setup: symbol version (CRC) mismatch (wanted 0x1a2b3c4d; vmlinux
                  offers 0x99aabbcc)
                  dmesg: mlx5_core: disagrees about version of symbol ether_setup
                symbol-missing: fput: neither the kernel nor a module exports the symbol

            Not checked: signature (1 module)

            1 verdict: 1 incompatible
            Next: rebuild the incompatible modules for that kernel, or stay with a kernel that loads them.
            """);
    }

    @Test
    void groupsModulesByTheFewestCauses() {
        String table = render(nineteen());

        assertThat(table)
                .contains("""
            ether_setup has changed: accounts for 14 of 17 refused modules
              wanted 0x1a2b3c4d; vmlinux offers 0x99aabbcc
              dmesg: m0: disagrees about version of symbol ether_setup
              modules: m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, and 2 more

            module_layout has changed: accounts for 3 more of 17 refused modules
            """)
                .contains("\nINCOMPATIBLE  m13 (EINVAL): ether_setup has changed\n")
                .contains("\nCOMPATIBLE    good  extra/good.ko\n")
                .contains("\nUNDETERMINED  odd  extra/odd.ko\n    input: not an ELF file\n")
                .contains("\n19 verdicts: 1 compatible, 17 incompatible, 1 undetermined\n");
    }

    @Test
    void showsOnlyGroupsOfManyModules() {
        List<Verdict> verdicts = new ArrayList<>(nineteen().verdicts());
        for (int i = 0; i < 1000; i++) {
            verdicts.add(Samples.compatible("fine" + i));
        }
        CheckReport report = new CheckReport(List.of(Samples.target()), verdicts, List.of());

        String table = render(report);

        assertThat(table)
                .contains("1 undetermined module: input: not an ELF file\n  modules: odd\n")
                .contains("1,019 verdicts: 1,001 compatible, 17 incompatible, 1 undetermined")
                .doesNotContain("fine");
    }

    @Test
    void verboseLeavesNothingOut() {
        List<Verdict> verdicts = new ArrayList<>(nineteen().verdicts());
        verdicts.add(Samples.compatible("user", new Provider("mlxfw", "extra/mlxfw.ko", true)));
        verdicts.add(Samples.compatible("other", new Provider("dca", "/lib/dca.ko", false)));
        CheckReport report = new CheckReport(List.of(Samples.target(LoaderRule.STRUCT_SIZE)), verdicts, List.of());

        String table = new CheckTable(new TableOptions(200, false, true)).render(report);

        assertThat(table)
                .contains("m11, m12, m13\n")
                .contains("assumed: struct-size=yes, usual for the version")
                .contains("uses: mlxfw (given)\n")
                .contains("uses: dca (the kernel's)\n")
                .contains("dmesg: m13: disagrees about version of symbol ether_setup");
    }

    @Test
    void mentionsOnlyAssumedRulesThatDecideAVerdict() {
        CheckReport report = new CheckReport(
                List.of(Samples.target(LoaderRule.MISSING_VERSION, LoaderRule.STRUCT_SIZE)),
                List.of(Samples.undetermined("a")),
                List.of());

        assertThat(render(report)).contains("assumed: missing-version=").doesNotContain("struct-size");
    }

    @Test
    void shortensALongListOfCausesAndCountsTheRest() {
        List<Verdict> verdicts = new ArrayList<>();
        for (int i = 10; i < 40; i++) {
            verdicts.add(Samples.refused("m" + i, "EINVAL", Samples.changed("m" + i, "symbol" + i)));
        }
        CheckReport report = new CheckReport(List.of(Samples.target()), verdicts, List.of());

        assertThat(render(report))
                .contains("symbol19 has changed")
                .doesNotContain("symbol20")
                .contains("20 further causes for the remaining 20 refused modules: see --verbose");
    }

    @Test
    void severalTargetsHaveASectionAndACountEach() {
        TargetSummary other = new TargetSummary(
                "Module.symvers",
                null,
                TargetKind.SYMVERS_FILE,
                null,
                1,
                0,
                Samples.rules(),
                List.of("no modules of its own are known"));
        Verdict there = Samples.compatible("a");
        Verdict elsewhere = new Verdict(
                there.module(), other.label(), there.outcome(), null, List.of(), List.of(), List.of(), List.of());

        String table = render(new CheckReport(List.of(Samples.target(), other), List.of(there, elsewhere), List.of()));

        assertThat(table)
                .contains("\nModule.symvers (symvers file): 1 symbol of vmlinux\n")
                .contains("  note: no modules of its own are known\n")
                .contains("\n6.1.0-54-amd64: 1 compatible\nModule.symvers: 1 compatible\n2 verdicts:")
                .endsWith("No refusal found; not checked: signature.\n");
    }

    @Test
    void neverSaysNothingToDoAfterAProblem() {
        CheckReport report = new CheckReport(
                List.of(Samples.target()),
                List.of(Samples.compatible("a")),
                List.of(new InputProblem("b.ko", "no such file")));

        assertThat(render(report))
                .endsWith(
                        "Next: correct the problems above, and check again; no refusal found, but not everything could be checked.\n");
    }

    @Test
    void advisesToSignAModuleThatOnlyLacksASignature() {
        Verdict verdict = Samples.refused(
                "a",
                "EKEYREJECTED",
                new Finding(
                        FindingKind.SIGNATURE_UNSIGNED,
                        Finding.Effect.REFUSES,
                        "EKEYREJECTED",
                        null,
                        null,
                        null,
                        null,
                        null,
                        "it is not signed"));

        assertThat(render(Samples.report(verdict))).contains("Next: sign the incompatible modules");
    }

    @Test
    void namesFromFilesCannotControlTheTerminal() {
        String hostile = "x\u001b]0;title\u0007\n";
        CheckReport report = new CheckReport(
                List.of(Samples.target()),
                List.of(
                        Samples.refused(hostile, "EINVAL", Samples.changed(hostile, hostile)),
                        Samples.refused("y", "EINVAL", Samples.changed("y", hostile)),
                        Samples.undetermined(hostile, Samples.unreadable(hostile))),
                List.of());

        for (boolean verbose : new boolean[] {false, true}) {
            String table = new CheckTable(new TableOptions(80, false, verbose)).render(report);
            assertThat(table).contains("x\\x1b]0;title\\x07\\x0a").doesNotContain("\u001b", "\u0007");
        }
    }

    private static CheckReport nineteen() {
        List<Verdict> verdicts = new ArrayList<>();
        for (int i = 0; i < 14; i++) {
            String name = "m" + i;
            verdicts.add(Samples.refused(name, "EINVAL", Samples.changed(name, "ether_setup")));
        }
        for (int i = 0; i < 3; i++) {
            verdicts.add(Samples.refused("old" + i, "ENOEXEC", Samples.layout("old" + i)));
        }
        verdicts.add(Samples.compatible("good"));
        verdicts.add(Samples.undetermined("odd", Samples.unreadable("not an ELF file")));
        return new CheckReport(List.of(Samples.target()), verdicts, List.of());
    }

    private static String render(CheckReport report) {
        return new CheckTable(new TableOptions(90, false, false)).render(report);
    }
}
