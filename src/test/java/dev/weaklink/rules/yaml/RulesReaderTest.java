package dev.weaklink.rules.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rules.Attributed.RuleOrigin;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.Product.LinkPolicy;
import dev.weaklink.rules.Product.UndeterminedPolicy;
import dev.weaklink.rules.Product.Wholeness;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.Rules.Pin;
import dev.weaklink.rules.Rules.RuleUnit;
import dev.weaklink.rules.Rules.Severity;
import dev.weaklink.rules.yaml.RulesReader.RuleProblem;
import dev.weaklink.rules.yaml.RulesReader.RulesResult;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The selection of rule files, and their precedence. */
class RulesReaderTest {
    @TempDir
    private Path image;

    private void site(String name, String text) throws IOException {
        Path file = image.resolve("etc/weaklink").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private RulesResult read() throws IOException {
        return RulesReader.read(Root.of(image));
    }

    private Rules rules() throws IOException {
        RulesResult result = read();
        assertThat(result).isInstanceOf(RulesResult.Good.class);
        return ((RulesResult.Good) result).rules();
    }

    private List<String> problems() throws IOException {
        RulesResult result = read();
        assertThat(result).isInstanceOf(RulesResult.Bad.class);
        return ((RulesResult.Bad) result)
                .problems().stream().map(RuleProblem::toString).toList();
    }

    private static Product product(Rules rules, String id) {
        return rules.products().stream()
                .filter(p -> p.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void readsTheProgramsFilesInOrder() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("rules"))) {
            assertThat(files.map(f -> f.getFileName().toString()).filter(n -> n.endsWith(".yaml")))
                    .containsExactlyInAnyOrderElementsOf(RulesReader.SHIPPED);
        }
        RulesResult result = read();
        assertThat(result).isInstanceOf(RulesResult.Good.class);
        assertThat(((RulesResult.Good) result).files())
                .containsExactly(
                        "rules/doca-ofed.yaml", "rules/generic.yaml", "rules/mlnx-en.yaml", "rules/mlnx-ofed.yaml");
    }

    @Test
    void shippedRulesHaveTheExpectedValues() throws IOException {
        Rules rules = rules();
        assertThat(rules.products()).map(Product::id).containsExactly("mlnx-ofed", "mlnx-en", "doca-ofed");
        Product ofed = product(rules, "mlnx-ofed");
        assertThat(ofed.allOrNothing().value()).isEqualTo(Wholeness.UNIT);
        assertThat(ofed.required().value()).contains("mlx_compat", "ib_core", "mlx5_core");
        assertThat(ofed.mayBreak().value())
                .contains("rpcrdma", "qedr")
                .doesNotContainAnyElementsOf(ofed.required().value());
        assertThat(ofed.rebuild()).isNotNull();
        assertThat(rules.generic().link().value()).isEqualTo(LinkPolicy.YES);
        assertThat(rules.generic().undetermined().value()).isEqualTo(UndeterminedPolicy.DO_NOT_LINK);
        assertThat(rules.ignored()).isEmpty();
        assertThat(rules.symbols()).isEmpty();
    }

    @Test
    void mlnxOfedAndDocaMayBreakTheSame() throws IOException {
        Rules rules = rules();
        Product ofed = product(rules, "mlnx-ofed");
        Product doca = product(rules, "doca-ofed");
        assertThat(doca.mayBreak().value()).isEqualTo(ofed.mayBreak().value());
        assertThat(doca.required().value()).isEqualTo(ofed.required().value());
    }

    @Test
    void overridesSinglePropertiesOfAProduct() throws IOException {
        site("10-a.yaml", "products:\n  - id: mlnx-ofed\n    link: ask\n    may-break: []\n");
        site("20-b.yaml", "products:\n  - id: mlnx-ofed\n    link: no\n");
        Product ofed = product(rules(), "mlnx-ofed");
        assertThat(ofed.link().value()).isEqualTo(LinkPolicy.NO);
        assertThat(ofed.link().origin()).isEqualTo(new RuleOrigin("/etc/weaklink/20-b.yaml", 3));
        assertThat(ofed.mayBreak().value()).isEmpty();
        assertThat(ofed.mayBreak().origin()).hasToString("/etc/weaklink/10-a.yaml:4");
        assertThat(ofed.required().origin().file()).isEqualTo("rules/mlnx-ofed.yaml");
    }

    @Test
    void productsInheritFromGeneric() throws IOException {
        site("a.yaml", "products:\n  - id: generic\n    undetermined: link\n    required: [x]\n");
        Product ofed = product(rules(), "mlnx-ofed");
        assertThat(ofed.undetermined().value()).isEqualTo(UndeterminedPolicy.LINK);
        assertThat(ofed.undetermined().origin()).hasToString("/etc/weaklink/a.yaml:3");
        assertThat(ofed.required().value()).doesNotContain("x");
    }

    @Test
    void hidesTheProgramsFileOfTheSameName() throws IOException {
        site("mlnx-ofed.yaml", "");
        assertThat(rules().products()).map(Product::id).containsExactly("mlnx-en", "doca-ofed");
    }

    @Test
    void hidesAFileByALinkToDevNull() throws IOException {
        Files.createDirectories(image.resolve("etc/weaklink"));
        Path mask = image.resolve("etc/weaklink/mlnx-en.yaml");
        Files.createSymbolicLink(mask, Path.of("/dev/null"));
        assertThat(rules().products()).map(Product::id).containsExactly("mlnx-ofed", "doca-ofed");
        Files.delete(mask);
    }

    @Test
    void triesProductsOfLaterFilesFirst() throws IOException {
        site("a.yaml", """
        products:
          - id: ours
            recognise: {packages: "kmod-mlnx-*"}
          - id: mlnx-en
            recognise: {packages: kmod-foo}
        """);
        Rules rules = rules();
        assertThat(rules.products()).map(Product::id).containsExactly("ours", "mlnx-en", "mlnx-ofed", "doca-ofed");
        assertThat(rules.productOf(RuleUnit.ofPackage("kmod-mlnx-ofa_kernel"), List.of())
                        .product()
                        .id())
                .isEqualTo("ours");
        assertThat(rules.productOf(RuleUnit.ofPackage("mlnx-en"), List.of())
                        .product()
                        .id())
                .isEqualTo("generic");
    }

    @Test
    void prefersLaterFilesAndEarlierRulesOfAFile() throws IOException {
        site("a.yaml", """
        pin:
          - {module: foo, provider: from-a}
          - {module: bar, provider: from-a}
        symbols:
          - {symbol: x, then: fail}
        """);
        site("b.yaml", """
        pin:
          - {module: foo, provider: from-b}
          - {module: "*o", provider: too-late}
        symbols:
          - {symbol: "*", then: note, because: look}
        """);
        Rules rules = rules();
        assertThat(provider(rules, "foo")).isEqualTo("from-b");
        assertThat(provider(rules, "boo")).isEqualTo("too-late");
        assertThat(provider(rules, "bar")).isEqualTo("from-a");
        assertThat(rules.severity("x", null, null).value()).isEqualTo(Severity.NOTE);
        assertThat(rules.severity("x", null, null).because()).isEqualTo("look");
    }

    private static String provider(Rules rules, String module) {
        Pin pin = rules.pinOf(module, null, "6.1").value();
        return pin.providers().get(0).text();
    }

    @Test
    void readsOnlyNamesEndingInYaml() throws IOException {
        site("a.yaml.rpmnew", "junk");
        site(".a.yaml", "junk");
        site("README", "junk");
        assertThat(rules().products()).hasSize(3);
    }

    @Test
    void reportsAFileNameThatIsAlmostRight() throws IOException {
        site("a.yml", "");
        site("b.YAML", "");
        assertThat(problems())
                .containsExactlyInAnyOrder(
                        "/etc/weaklink/a.yml: would not be read; rename it so that its name ends in .yaml",
                        "/etc/weaklink/b.YAML: would not be read; rename it so that its name ends in .yaml");
    }

    @Test
    void decidesNothingIfOneFileIsBad() throws IOException {
        site("a.yaml", "ignore: [{module: foo}]\n");
        site("b.yaml", "ignore: [{modul: foo}]\n");
        site("c.yaml", "undetermined: [{module: a, then: on}]\n");
        assertThat(problems())
                .containsExactly(
                        "/etc/weaklink/b.yaml:1:11: there is no 'modul' in 'ignore'; did you mean 'module'?",
                        "/etc/weaklink/c.yaml:1:34: 'then' takes do-not-link or link, not 'on'");
    }

    @Test
    void reportsAProductThatNothingRecognises() throws IOException {
        site("a.yaml", "products:\n  - id: mlnx-ofd\n    link: no\n");
        site("b.yaml", "products:\n  - {id: quite-different, link: no}\n");
        assertThat(problems())
                .containsExactly(
                        "/etc/weaklink/a.yaml:2:5: no rule says how to recognise product 'mlnx-ofd'; did you"
                                + " mean 'mlnx-ofed'?",
                        "/etc/weaklink/b.yaml:2:5: no rule says how to recognise product 'quite-different';"
                                + " give it 'recognise'");
    }

    @Test
    void reportsUnreadableFiles() throws IOException {
        site("big.yaml", "#".repeat((128 << 10) + 1));
        Files.write(image.resolve("etc/weaklink/latin.yaml"), new byte[] {'#', (byte) 0xe9});
        Files.createDirectory(image.resolve("etc/weaklink/directory.yaml"));
        Files.createSymbolicLink(image.resolve("etc/weaklink/gone.yaml"), Path.of("nowhere"));
        assertThat(problems())
                .containsExactly(
                        "/etc/weaklink/big.yaml: is larger than 131072 bytes; use several files",
                        "/etc/weaklink/directory.yaml: is not a regular file",
                        "/etc/weaklink/gone.yaml: cannot be read: no such file",
                        "/etc/weaklink/latin.yaml: is not UTF-8; write it in UTF-8");
    }

    @Test
    void followsLinksOnlyInsideTheImage(@TempDir Path outside) throws IOException {
        Path secret = Files.writeString(outside.resolve("secret.yaml"), "secret");
        Files.createDirectories(image.resolve("etc/weaklink"));
        Files.createSymbolicLink(image.resolve("etc/weaklink/a.yaml"), secret);
        Files.createSymbolicLink(image.resolve("etc/weaklink/b.yaml"), Path.of("b.yaml"));
        assertThat(problems())
                .containsExactly(
                        "/etc/weaklink/a.yaml: cannot be read: no such file",
                        "/etc/weaklink/b.yaml: cannot be read: too many symbolic links");
    }

    @Test
    void reportsADirectoryThatCannotBeListed() throws IOException {
        Files.createDirectories(image.resolve("etc"));
        Files.writeString(image.resolve("etc/weaklink"), "");
        assertThat(problems()).containsExactly("/etc/weaklink: cannot be listed: not a directory");
    }

    @Test
    void readsGivenFilesInsteadOfTheSites() throws IOException {
        site("a.yaml", "junk");
        Path given = Files.writeString(image.resolve("mlnx-en.yaml"), "ignore: [{module: a}]\n");
        RulesResult result = RulesReader.readFiles(List.of(given));
        assertThat(result).isInstanceOf(RulesResult.Good.class);
        RulesResult.Good good = (RulesResult.Good) result;
        assertThat(good.rules().isIgnored("a", null, null).value()).isTrue();
        assertThat(good.rules().isIgnored("junk", null, null).value()).isFalse();
        assertThat(good.files())
                .endsWith(given.toString())
                .contains("rules/mlnx-ofed.yaml")
                .doesNotContain("rules/mlnx-en.yaml");
    }
}
