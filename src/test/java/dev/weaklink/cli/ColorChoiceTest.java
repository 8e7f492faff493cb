package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ColorChoiceTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "auto   | ''                            | true  | true",
                "auto   | ''                            | false | false",
                "auto   | NO_COLOR=1                    | true  | false",
                "auto   | NO_COLOR=                     | true  | true",
                "auto   | CLICOLOR_FORCE=1              | false | true",
                "auto   | CLICOLOR_FORCE=0              | false | false",
                "auto   | CLICOLOR_FORCE=1,NO_COLOR=1   | true  | false",
                "auto   | TERM=dumb                     | true  | false",
                "auto   | TERM=xterm                    | true  | true",
                "always | NO_COLOR=1,TERM=dumb          | false | true",
                "never  | CLICOLOR_FORCE=1              | true  | false",
            })
    void optionOverridesEnvironmentAndTerminal(String word, String variables, boolean isTerminal, boolean expected) {
        Map<String, String> environment = new HashMap<>();
        for (String variable : variables.split(",")) {
            int equals = variable.indexOf('=');
            if (equals > 0) {
                environment.put(variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        Run run = new Run(dev.weaklink.check.result.Samples.report());
        Terminal terminal = isTerminal ? run.onTerminal() : run;

        assertThat(ColorChoice.isOn(word, environment, terminal)).isEqualTo(expected);
    }
}
