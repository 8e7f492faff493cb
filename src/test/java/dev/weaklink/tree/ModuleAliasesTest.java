package dev.weaklink.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** What modprobe finds by a name, and what it may find by a format. */
class ModuleAliasesTest {
  private final ModuleAliases aliases = new ModuleAliases();

  private void add(String... names) {
    List.of(names).forEach(aliases::add);
  }

  @Test
  void hyphensAndUnderscoresAreTheSame() {
    add("nvme_core", "snd-seq", "net-pf-2-proto-*");

    assertThat(aliases.mayHave("nvme-core")).isTrue();
    assertThat(aliases.mayHave("snd_seq")).isTrue();
    assertThat(aliases.mayHave("net_pf-2-proto-132")).isTrue();
    assertThat(aliases.mayHave("nvme")).isFalse();
    assertThat(aliases.mayHave("net-pf-3-proto-132")).isFalse();
  }

  @Test
  void rangesMatchAsFnmatchSays() {
    add("usb:v0B95p[0-9a-f]*d0[13]?", "x[!0-9]y");

    assertThat(aliases.mayHave("usb:v0B95p1780d03x")).isTrue();
    assertThat(aliases.mayHave("usb:v0B95pZ780d03x")).isFalse();
    assertThat(aliases.mayHave("usb:v0B95p1780d02x")).isFalse();
    assertThat(aliases.mayHave("xay")).isTrue();
    assertThat(aliases.mayHave("x5y")).isFalse();
  }

  @Test
  void ofFormatsOnlyTheBeginningIsCertain() {
    add("nvme_core", "snd-card-*", "pci:v*d*");

    assertThat(aliases.mayHave("nvme-%s")).isTrue();
    assertThat(aliases.mayHave("nvme_v%d")).isFalse();
    assertThat(aliases.mayHave("snd-card-%i")).isTrue();
    assertThat(aliases.mayHave("snd-card-1-%i")).isTrue();
    assertThat(aliases.mayHave("snd-timer-%i")).isFalse();
    assertThat(aliases.mayHave("%s")).isTrue();
    assertThat(aliases.mayHave("p%s")).isTrue();
  }

  @Test
  void aPatternThatBeginsWithAStarMayBeAnything() {
    add("*gadget");

    assertThat(aliases.mayHave("a-gadget")).isTrue();
    assertThat(aliases.mayHave("b%d")).isTrue();
    assertThat(aliases.mayHave("b")).isFalse();
  }

  @Test
  void depmodsIndexAndWhatIsCompiledInAreRead() {
    byte[] index =
        "# Aliases\nalias fs-wlfs wlfs\nalias crypto-wl-* wl\nno line\nalias x\nalias last m"
            .getBytes(StandardCharsets.ISO_8859_1);
    byte[] builtIn =
        "ext4.license=GPL\0ext4.alias=fs-ext4\0ipv6.parm=a.b=c\0.x=y\0none\0crc32c.alias=crc32*"
            .getBytes(StandardCharsets.ISO_8859_1);
    aliases.addIndex(index, index.length);
    aliases.addBuiltIn(builtIn, builtIn.length);

    for (String name : List.of("fs-wlfs", "crypto_wl-aes", "last", "ext4", "fs-ext4", "ipv6")) {
      assertThat(aliases.mayHave(name)).as(name).isTrue();
    }
    assertThat(aliases.mayHave("crc32c-generic")).isTrue();
    for (String name : List.of("wlfs", "wl", "x", "license", "a.b", "none")) {
      assertThat(aliases.mayHave(name)).as(name).isFalse();
    }
  }

  @Test
  void whatIsTooLongOrHasBracketsIsNotDecided() {
    add("a".repeat(5000));

    assertThat(aliases.mayHave("a".repeat(5000))).isTrue();
    assertThat(aliases.mayHave("a[b]")).isTrue();
    assertThat(aliases.mayHave("aaa")).isFalse();
  }

  @Provide
  Arbitrary<String> patterns() {
    return Arbitraries.strings().withChars("ab*?").ofMaxLength(12);
  }

  @Provide
  Arbitrary<String> words() {
    return Arbitraries.strings().withChars("ab").ofMaxLength(12);
  }

  @Property
  void starsAndMarksAreThoseOfARegularExpression(
      @ForAll("patterns") String pattern, @ForAll("words") String word) {
    ModuleAliases one = new ModuleAliases();
    one.add(pattern);
    String expression = pattern.replace("*", ".*").replace("?", ".");
    assertThat(one.mayHave(word)).isEqualTo(Pattern.matches(expression, word));
  }

  /** If a format is said to find nothing, nothing it can become is found. */
  @Property
  void aFormatIsNeverRuledOutWrongly(
      @ForAll("patterns") String pattern,
      @ForAll("words") String head,
      @ForAll("words") String end) {
    ModuleAliases one = new ModuleAliases();
    one.add(pattern);
    if (one.mayHave(head + end)) {
      assertThat(one.mayHave(head + "%s")).isTrue();
    }
  }

  @Test
  void manyStarsTakeNoLongerThanFew() {
    add("*a".repeat(1000) + "b");

    assertThat(aliases.mayHave("a".repeat(4000))).isFalse();
  }
}
