package dev.weaklink.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** What modprobe finds by a name, and what it may find by a format. */
class AliasLookupTest {
  private final List<String> offered = new ArrayList<>();

  private void add(String... names) {
    offered.addAll(List.of(names));
  }

  /** In both ways to offer an alias. */
  private boolean mayHave(String name) {
    AliasLookup texts = new AliasLookup(List.of(name));
    offered.forEach(texts::offer);
    AliasLookup bytes = new AliasLookup(List.of(name, "something-else"));
    for (String alias : offered) {
      byte[] line = ("alias=" + alias).getBytes(StandardCharsets.ISO_8859_1);
      bytes.offerEntry(line, 0, line.length);
    }
    assertThat(bytes.missing().contains(name)).isEqualTo(texts.missing().contains(name));
    return !texts.missing().contains(name);
  }

  @Test
  void hyphensAndUnderscoresAreTheSame() {
    add("nvme_core", "snd-seq", "net-pf-2-proto-*");

    assertThat(mayHave("nvme-core")).isTrue();
    assertThat(mayHave("snd_seq")).isTrue();
    assertThat(mayHave("net_pf-2-proto-132")).isTrue();
    assertThat(mayHave("nvme")).isFalse();
    assertThat(mayHave("net-pf-3-proto-132")).isFalse();
  }

  @Test
  void rangesMatchAsFnmatchSays() {
    add("usb:v0B95p[0-9a-f]*d0[13]?", "x[!0-9]y");

    assertThat(mayHave("usb:v0B95p1780d03x")).isTrue();
    assertThat(mayHave("usb:v0B95pZ780d03x")).isFalse();
    assertThat(mayHave("usb:v0B95p1780d02x")).isFalse();
    assertThat(mayHave("xay")).isTrue();
    assertThat(mayHave("x5y")).isFalse();
  }

  @Test
  void ofFormatsOnlyTheBeginningIsCertain() {
    add("nvme_core", "snd-card-*", "pci:v*d*", "9p-virtio");

    assertThat(mayHave("nvme-%s")).isTrue();
    assertThat(mayHave("nvme_v%d")).isFalse();
    assertThat(mayHave("snd-card-%i")).isTrue();
    assertThat(mayHave("snd-card-1-%i")).isTrue();
    assertThat(mayHave("snd-timer-%i")).isFalse();
    assertThat(mayHave("%s")).isTrue();
    assertThat(mayHave("p%s")).isTrue();
    assertThat(mayHave("9p_%s")).isTrue();
    assertThat(mayHave("9q-%s")).isFalse();
  }

  @Test
  void aPatternThatBeginsWithAStarMayBeAnything() {
    add("*gadget");

    assertThat(mayHave("a-gadget")).isTrue();
    assertThat(mayHave("b%d")).isTrue();
    assertThat(mayHave("b")).isFalse();
  }

  @Test
  void depmodsIndexAndWhatIsCompiledInAreRead() {
    byte[] index =
        "# Aliases\nalias fs-wlfs wlfs\nalias crypto-wl-* wl\nno line\nalias x\nalias last m"
            .getBytes(StandardCharsets.ISO_8859_1);
    byte[] builtIn =
        "ext4.license=GPL\0ext4.alias=fs-ext4\0ipv6.parm=a.b=c\0.x=y\0none\0crc32c.alias=crc32*"
            .getBytes(StandardCharsets.ISO_8859_1);
    List<String> there =
        List.of("fs-wlfs", "crypto_wl-aes", "last", "ext4", "fs-ext4", "ipv6", "crc32c-generic");
    List<String> others = List.of("wlfs", "wl", "x", "license", "a.b", "none");
    List<String> all = new ArrayList<>(there);
    all.addAll(others);
    AliasLookup lookup = new AliasLookup(all);
    lookup.offerIndex(index, index.length);
    lookup.offerBuiltIn(builtIn, builtIn.length);

    assertThat(all.stream().filter(lookup.missing()::contains).toList()).isEqualTo(others);
    assertThat(lookup.isDone()).isFalse();
  }

  @Test
  void whatIsTooLongOrHasBracketsIsNotDecided() {
    add("a".repeat(5000));

    assertThat(mayHave("a".repeat(5000))).isTrue();
    assertThat(mayHave("a[b]")).isTrue();
    assertThat(mayHave("aaa")).isFalse();
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
    offered.clear();
    add(pattern);
    String expression = pattern.replace("*", ".*").replace("?", ".");
    assertThat(mayHave(word)).isEqualTo(Pattern.matches(expression, word));
  }

  /** If a format is said to find nothing, nothing it can become is found. */
  @Property
  void aFormatIsNeverRuledOutWrongly(
      @ForAll("patterns") String pattern,
      @ForAll("words") String head,
      @ForAll("words") String end) {
    offered.clear();
    add(pattern);
    if (mayHave(head + end)) {
      assertThat(mayHave(head + "%s")).isTrue();
    }
  }

  @Test
  void manyStarsTakeNoLongerThanFew() {
    add("*a".repeat(1000) + "b");

    assertThat(mayHave("a".repeat(4000))).isFalse();
  }
}
