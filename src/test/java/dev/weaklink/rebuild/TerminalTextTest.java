package dev.weaklink.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TerminalTextTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Created /x",
                "\u001b[1mCreated /x\u001b[0m",
                "\u001b(B\u001b[mCreated /x",
                "\u001b]0;title\u0007Created /x",
                "\u001b7Created /x",
                "Created /x\u001b("
            })
    void removesControlSequences(String line) {
        assertThat(TerminalText.plain(line)).isEqualTo("Created /x");
    }
}
