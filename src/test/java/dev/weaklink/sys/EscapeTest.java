package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class EscapeTest {
    @Test
    void plainTextStaysTheSameObject() {
        String text = "extra/mlx5_core.ko";

        assertThat(Escape.text(text)).isSameAs(text);
        assertThat(Escape.bytes(text)).isSameAs(text);
    }

    @Test
    void controlCharactersAreShownAsHex() {
        assertThat(Escape.text("a\u001b[31m\n\r\t\u007f\u009b")).isEqualTo("a\\x1b[31m\\x0a\\x0d\\x09\\x7f\\x9b");
    }

    @Test
    void lettersOfAnyLanguageStayInText() {
        assertThat(Escape.text("modulé-模块-\ud83d\ude00")).isEqualTo("modulé-模块-\ud83d\ude00");
    }

    @Test
    void escapesInvisibleAndDirectionCharacters() {
        assertThat(Escape.text("ok\u202eok.\u200b")).isEqualTo("ok\\u202eok.\\u200b");
        assertThat(Escape.text("a\u00ad\u2060\u2028b")).isEqualTo("a\\xad\\u2060\\u2028b");
        assertThat(Escape.text("tag\udb40\udc41")).isEqualTo("tag\\udb40\\udc41");
    }

    @Test
    void escapesHalfASurrogatePair() {
        assertThat(Escape.text("\ud83d!")).isEqualTo("\\ud83d!");
    }

    @Test
    void decodesUtf8() {
        assertThat(Escape.bytes("modul\u00c3\u00a9")).isEqualTo("modulé");
    }

    @Test
    void escapesBytesThatAreNotUtf8() {
        assertThat(Escape.bytes("a\u00ff\u00e9b\n")).isEqualTo("a\\xff\\xe9b\\x0a");
    }

    @Property
    void escapesTerminalControls(@ForAll String text) {
        for (String escaped : new String[] {Escape.text(text), Escape.bytes(text)}) {
            assertThat(escaped.chars()).noneMatch(c -> c < ' ' || c >= 0x7f && c < 0xa0);
        }
    }
}
