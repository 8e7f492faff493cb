package dev.weaklink.check.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.InputProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExitCodeTest {
    @Test
    void succeedsIfAllModulesAreCompatible() {
        assertThat(Samples.report(Samples.compatible("a"), Samples.compatible("b"))
                        .exitCode())
                .isEqualTo(ExitCode.COMPATIBLE);
    }

    @Test
    void doesNotSucceedIfNothingWasVerified() {
        assertThat(Samples.report().exitCode()).isEqualTo(ExitCode.UNUSABLE);
    }

    @Test
    void isUnusableIfAllFilesAreUnreadable() {
        assertThat(Samples.report(Samples.undetermined("a", Samples.unreadable("not an ELF file")))
                        .exitCode())
                .isEqualTo(ExitCode.UNUSABLE);
    }

    @Test
    void isUndeterminedIfOneOfTheFilesIsUnreadable() {
        assertThat(Samples.report(Samples.compatible("a"), Samples.undetermined("b", Samples.unreadable("truncated")))
                        .exitCode())
                .isEqualTo(ExitCode.UNDETERMINED);
    }

    @Test
    void isIncompatibleIfOneModuleIsIncompatible() {
        assertThat(Samples.report(
                                Samples.compatible("a"),
                                Samples.refused("b", "EINVAL", Samples.changed("b", "fput")),
                                Samples.undetermined("c"))
                        .exitCode())
                .isEqualTo(ExitCode.INCOMPATIBLE);
    }

    @Test
    void isUndeterminedIfAModuleCannotBeDecided() {
        assertThat(Samples.report(Samples.undetermined("a")).exitCode()).isEqualTo(ExitCode.UNDETERMINED);
    }

    @Test
    void doesNotSucceedIfAKernelCannotBeRead() {
        CheckReport report = new CheckReport(
                List.of(Samples.target()),
                List.of(Samples.compatible("a")),
                List.of(new InputProblem("6.1.0-99-amd64", "no such kernel")));

        assertThat(report.exitCode()).isEqualTo(ExitCode.UNDETERMINED);
    }

    @Test
    void numbersAreThoseOfTheManual() {
        assertThat(ExitCode.COMPATIBLE.number()).isZero();
        assertThat(ExitCode.INCOMPATIBLE.number()).isEqualTo(1);
        assertThat(ExitCode.UNUSABLE.number()).isEqualTo(2);
        assertThat(ExitCode.UNDETERMINED.number()).isEqualTo(3);
    }
}
