package dev.weaklink.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.compat.ModuleLinks.LinkPlace;
import dev.weaklink.compat.RedHatOptions.RedHatAction;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedHatOptionsTest {
    private static RedHatOptions parse(String line) {
        return RedHatOptions.parse(List.of(line.split(" ")));
    }

    @ParameterizedTest
    @CsvSource({
        "--add-kernel 5.14.0-1, 5.14.0-1",
        "--add-kernel=5.14.0-1, 5.14.0-1",
        "--add-kernel --verbose 5.14.0-1, 5.14.0-1",
        "--add-k -- 5.14.0-1, 5.14.0-1",
        "--add-kernel --no-init, ",
    })
    void acceptsTheKernelInManyForms(String line, String kernel) {
        RedHatOptions options = parse(line);

        assertThat(options.error()).isNull();
        assertThat(options.action()).isEqualTo(RedHatAction.ADD_KERNEL);
        assertThat(options.kernel()).isEqualTo(kernel);
    }

    @Test
    void prefersAddModulesToAllOtherActions() {
        assertThat(parse("--remove-kernel --add-kernel").action()).isEqualTo(RedHatAction.ADD_KERNEL);
        assertThat(parse("--add-kernel --remove-mod").action()).isEqualTo(RedHatAction.REMOVE_MODULES);
        assertThat(parse("--remove-modules --add-m").action()).isEqualTo(RedHatAction.ADD_MODULES);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--add      | option '--add' is ambiguous; possibilities: '--add-modules' '--add-kernel'",
                "--nothing  | unrecognized option '--nothing'",
                "--basedir  | option '--basedir' requires an argument",
                "--verbose=1 | option '--verbose' doesn't allow an argument",
                "-x         | invalid option -- 'x'",
            })
    void reportsNonsense(String line, String error) {
        assertThat(parse(line).error()).isEqualTo(error);
    }

    @Test
    void removesOnlyTheFirstDirectoryFromTheLinksPath() {
        assertThat(LinkPlace.redHat("/b/lib/modules/K+1/extra/a/a.ko", "K+1")).isEqualTo("weak-updates/a/a.ko");
        assertThat(LinkPlace.redHat("/tmp/../x/foo.ko", "K")).isEqualTo("weak-updates/x/foo.ko");
    }
}
