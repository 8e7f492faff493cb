package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ModInfoTest {
    private static ModInfo read(String section) {
        byte[] bytes = ("x" + section + "\0y").getBytes(StandardCharsets.ISO_8859_1);
        return ModInfo.read(bytes, 1, bytes.length - 2, bytes.length, true);
    }

    @Test
    void splitsEntriesAtNuls() {
        assertThat(read("a=1\0\0\0b=2\0").entries()).containsExactly("a=1", "b=2");
        assertThat(read("\0a=1").entries()).containsExactly("a=1");
        assertThat(read("\0\0").entries()).isEmpty();
        assertThat(read("").entries()).isEmpty();
    }

    @Test
    void usesTheFirstEntryOfAKey() {
        ModInfo info = read("license=GPL\0name=a\0license=X\0licenses=Y\0lic");

        assertThat(info.first("license")).isEqualTo("GPL");
        assertThat(info.all("license")).containsExactly("GPL", "X");
        assertThat(info.first("lic")).isNull();
        assertThat(info.first("nam")).isNull();
        assertThat(info.first("author")).isNull();
    }

    @Test
    void readsAnEmptyValue() {
        assertThat(read("name=\0license=GPL").first("name")).isEmpty();
        assertThat(read("license=GPL\0name=").first("name")).isEmpty();
        assertThat(read("license=GPL\0name").first("name")).isNull();
    }

    @Test
    void readsAnEntryThatTheSectionTruncates() {
        assertThat(read("a=1\0license=GP").first("license")).isEqualTo("GP");
    }

    /** Tests kernel/module/main.c:get_modinfo, which returns the string as it is in memory. */
    @Test
    void readsAnUnterminatedEntryBeyondTheSection() {
        byte[] file = "a=1\0license=GPLmore\0b=2".getBytes(StandardCharsets.ISO_8859_1);
        int end = "a=1\0license=GPL".length();

        ModInfo info = ModInfo.read(file, 0, end, file.length, true);
        assertThat(info.entries()).containsExactly("a=1", "license=GPLmore");
        assertThat(ModInfo.read(file, 0, end, end, true).first("license")).isEqualTo("GPL");
        assertThat(ModInfo.read(file, 0, 4, file.length, true).entries()).containsExactly("a=1");
    }

    @Test
    void readsMoreEntriesThanExpected() {
        ModInfo info = read("alias=x\0".repeat(100) + "name=last\0");

        assertThat(info.size()).isEqualTo(101);
        assertThat(info.first("name")).isEqualTo("last");
        assertThat(info).isEqualTo(new ModInfo(info.entries(), true, true));
        assertThat(info).isNotEqualTo(new ModInfo(info.entries(), true, false));
        assertThat(info).isNotEqualTo(new ModInfo(List.of("name=last"), true, true));
    }
}
