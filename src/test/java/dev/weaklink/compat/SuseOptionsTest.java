package dev.weaklink.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.compat.SuseOptions.SuseAction;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuseOptionsTest {
    private static SuseOptions parse(String line) {
        return SuseOptions.parse(List.of(line.split(" ")));
    }

    @ParameterizedTest
    @CsvSource({
        "--add-kmp a-kmp-default-1-1, ADD_KMP, a-kmp-default-1-1",
        "a-kmp-default-1-1 --add-km, ADD_KMP, a-kmp-default-1-1",
        "--remove-kmp=a-1-1, REMOVE_KMP, a-1-1",
        "--add-kernel, ADD_KERNEL, ",
        "--add-kernel 6.4.0-1-default, ADD_KERNEL, 6.4.0-1-default",
        "--add-kernel-m 6.4.0-1-default, ADD_KERNEL_MODULES, 6.4.0-1-default",
        "--remove-kernel -- -x, REMOVE_KERNEL, -x",
        "--add-kernel --remove-kernel-modules K, REMOVE_KERNEL_MODULES, K",
    })
    void usesTheLastActionAndItsSubject(String line, SuseAction action, String subject) {
        SuseOptions options = parse(line);

        assertThat(options.error()).isNull();
        assertThat(options.action()).isEqualTo(action);
        assertThat(options.subject()).isEqualTo(subject);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--add-k K | option '--add-k' is ambiguous; possibilities: '--add-kernel' '--add-kmp'"
                        + " '--add-kernel-modules'",
                "--verbose | ERROR: Please specify one of the --add-* or --remove-* options",
                "--add-kmp a b | ERROR: Option --add-kmp requires exactly one argument",
                "--add-kmp=a b | ERROR: Option --add-kmp requires exactly one argument",
                "--remove-kernel-modules | ERROR: Option --remove-kernel-modules requires exactly one" + " argument",
                "--add-kernel a b | ERROR: Too many arguments to --add-kernel",
                "--logfile | option '--logfile' requires an argument",
            })
    void reportsNonsense(String line, String error) {
        assertThat(parse(line).error()).isEqualTo(error);
    }

    @Test
    void verbosityAddsUp() {
        assertThat(parse("-vv --verbose --add-kernel").verbose()).isEqualTo(3);
        assertThat(parse("--add-kernel").verbose()).isZero();
    }

    @Test
    void helpNeedsNothingElse() {
        assertThat(parse("--usage").help()).isEqualTo(SuseOptions.USAGE);
        assertThat(parse("-h").help()).isEqualTo(SuseOptions.HELP);
        assertThat(parse("-h").error()).isNull();
    }
}
