package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.report.Schemas;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.NodeLines;
import dev.weaklink.testing.NodeLines.Told;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Audits of the modules of many nodes on given kernels. */
class AuditJudgingTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String OLD = "6.1.0-8-test";
    private static final String MAGIC = OLD + " SMP mod_unload modversions ";
    private static final int LAYOUT = 0x11223344;
    private static final Told CORE = new Told("core", MAGIC)
            .version("module_layout", LAYOUT)
            .version("_printk", 5)
            .export("core_up", 7);
    private static final Told USER = new Told("user", MAGIC)
            .version("module_layout", LAYOUT)
            .version("_printk", 5)
            .version("core_up", 7)
            .export();
    private static final Told FOLLOWER = new Told("user", MAGIC)
            .version("module_layout", LAYOUT)
            .version("core_up", 7)
            .export();

    @TempDir
    Path directory;

    private String fitting = "";
    private String other = "";

    @BeforeEach
    void writeKernels() throws IOException {
        fitting = symvers("fitting", 5);
        other = symvers("other", 6);
    }

    private String symvers(String name, int printk) throws IOException {
        byte[] symvers = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, LAYOUT)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, printk)
                .bytes();
        return Files.write(directory.resolve(name), symvers).toString();
    }

    private static NodeLines node(Told... modules) {
        NodeLines lines = new NodeLines(OLD);
        for (Told module : modules) {
            lines.told(OLD, module);
        }
        return lines;
    }

    private static WholeRun audit(String input, String... words) {
        List<String> all = new ArrayList<>(List.of("audit", "-"));
        all.addAll(List.of(words));
        return WholeRun.reading(input.getBytes(StandardCharsets.UTF_8), all.toArray(new String[0]));
    }

    private static JsonNode json(WholeRun run) throws IOException {
        assertThat(Schemas.problems(run.out())).isEmpty();
        return MAPPER.readTree(run.out());
    }

    private static String state(JsonNode audit, int verdict) {
        return audit.at("/verdicts/" + verdict + "/state").asText();
    }

    @Test
    void judgesReportsOfNodesByTheLoadersRules() throws IOException {
        WholeRun run = audit(node(CORE, USER).line("cn1"), "--kernel", fitting, "--kernel", other, "--format", "json");
        JsonNode audit = json(run);
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isEqualTo(1);
        assertThat(state(audit, 0)).isEqualTo("link");
        assertThat(audit.at("/verdicts/0/loads").asInt()).isEqualTo(2);
        assertThat(state(audit, 1)).isEqualTo("blocked");
        assertThat(audit.at("/verdicts/1/modules/0/findings/0/message").asText())
                .isEqualTo("core: disagrees about version of symbol _printk");
        assertThat(audit.at("/verdicts/1/modules/1/errno").asText()).isEqualTo("ENOENT");
        assertThat(audit.at("/kernels/0/blocked/count").asInt()).isZero();
        assertThat(audit.at("/kernels/1/blocked/nodes").asText()).isEqualTo("cn1");
        assertThat(audit.at("/sets/0/oldest").asInt()).isZero();
        assertThat(audit.at("/targets/0/unchecked"))
                .extracting(JsonNode::asText)
                .containsExactly(
                        "architecture",
                        "btf",
                        "elf",
                        "importers",
                        "license",
                        "namespace",
                        "relocation",
                        "signature",
                        "struct-module",
                        "symbol-gpl-only",
                        "vermagic");
    }

    @Test
    void tableShowsSafeNodesAndTheNextSteps() {
        WholeRun run = audit(node(CORE, USER).line("cn1"), "--kernel", fitting, "--kernel", other);
        assertThat(run.at(directory)
                        .out()
                        .replaceAll("\\b[0-9a-f]{12}\\b", "digest")
                        .replaceAll(" +", " "))
                .isEqualTo("""
            Best kernel: DIR/fitting: 1 node once the kernel is installed

            KERNEL READY LINK INSTALL REBUILD BLOCKED UNDETERMINED NODES
            DIR/fitting 0 0 1 0 0 0 1
            DIR/other 0 0 0 0 1 0 1

            For DIR/fitting:
             install: the kernel on 1 node: cn1
             the kernel is not installed on these nodes; install it, then run 'weaklink apply' there

            For DIR/other:
             blocked: core, user on 1 node: cn1
             core: disagrees about version of symbol _printk; and 1 more module

            Not checked for some modules: architecture, btf, elf, importers, license, namespace, relocation, signature, struct-module, symbol-gpl-only, vermagic; most of the checks need the modules' files: pass the files with --modules; the check 'importers' also needs a --kernel that includes the in-tree modules

            KERNEL MODULES SET PRODUCT NODES RUNNING NODE SET
            6.1.0-8-test 2 digest core, user 1 1 cn1

            1 node in 1 group
            """);
    }

    /** The other nodes get the modules that one node built. */
    @Test
    void rebuildsOnlyOnNodesThatCanBuild() throws IOException {
        String dkms = "\"dkms\":[{\"module\":\"core\",\"version\":\"1\"}]";
        String input = node(CORE, USER).line("cn1") + "\n" + node(CORE, USER).line("cn2") + "\n"
                + node(CORE, USER).line("cn3").replace("\"dkms\":[]", dkms) + "\n";
        JsonNode audit = json(audit(input, "--kernel", other, "--format", "json"));
        assertThat(state(audit, 0)).isEqualTo("rebuild");
        assertThat(audit.at("/kernels/0/rebuild/nodes").asText()).isEqualTo("cn3");
        assertThat(audit.at("/kernels/0/blocked/nodes").asText()).isEqualTo("cn[1-2]");
        assertThat(audit.at("/actions"))
                .extracting(action -> action.at("/builder").asText())
                .containsExactly("cn3", "");
        assertThat(audit.at("/advice/best/rebuild").asInt()).isEqualTo(1);
        assertThat(audit.at("/steps/1/builder").asText()
                        + audit.at("/steps/0/builder").asText())
                .isEqualTo("cn3");
        assertThat(audit(input, "--kernel", other, "--print-nodes", "rebuild:" + other)
                        .out())
                .isEqualTo("cn3\n");
        assertThat(audit(input, "--kernel", other).out())
                .contains(" on 2 nodes: cn[1-2]")
                .contains("      these nodes cannot build the modules: build them on cn3, then install them on these"
                        + " nodes\n");
    }

    @Test
    void nodesThatBuildOnlyOtherModulesAreNotToRebuild() throws IOException {
        String dkms = "\"dkms\":[{\"module\":\"NAME\",\"version\":\"1\"}]";
        String line = node(CORE, FOLLOWER).line("cn1").replace("/extra/core.ko", "/extra/acme/core.ko");
        String ofUser = line.replace("\"dkms\":[]", dkms.replace("NAME", "user"));
        JsonNode audit = json(audit(ofUser, "--kernel", other, "--format", "json"));
        assertThat(state(audit, 0)).isEqualTo("blocked");
        assertThat(audit.at("/kernels/0/blocked/nodes").asText()).isEqualTo("cn1");
        assertThat(audit.at("/actions/0/command").isMissingNode()).isTrue();

        String ofCore = line.replace("\"dkms\":[]", dkms.replace("NAME", "core"));
        assertThat(state(json(audit(ofCore, "--kernel", other, "--format", "json")), 0))
                .as("user is refused only because core is")
                .isEqualTo("rebuild");
    }

    @Test
    void akmodsBuildTheModulesInTheirOwnDirectory() throws IOException {
        String line = node(CORE, FOLLOWER)
                .line("cn1")
                .replace("/extra/core.ko", "/extra/acme/core.ko")
                .replace("\"packages\":[]", "\"packages\":[{\"name\":\"akmod-NAME\",\"version\":\"1\"}]");
        String acme = line.replace("akmod-NAME", "akmod-acme");
        String others = line.replace("akmod-NAME", "akmod-other");
        assertThat(state(json(audit(acme, "--kernel", other, "--format", "json")), 0))
                .isEqualTo("rebuild");
        assertThat(state(json(audit(others, "--kernel", other, "--format", "json")), 0))
                .isEqualTo("blocked");
    }

    @Test
    void isUndeterminedWithoutTables() throws IOException {
        String bare = new NodeLines(OLD).module(OLD, "core", "A").line("cn1");
        WholeRun run = audit(bare, "--kernel", fitting, "--format", "json");
        JsonNode audit = json(run);
        assertThat(run.status()).isEqualTo(3);
        assertThat(state(audit, 0)).isEqualTo("undetermined");
        assertThat(audit.at("/verdicts/0/undetermined").asInt()).isEqualTo(1);
        assertThat(audit.at("/kernels/0/undetermined/nodes").asText()).isEqualTo("cn1");
        assertThat(audit.at("/kernels/0/ready/count").asInt()).isZero();
        assertThat(audit.at("/actions/0/command").asText()).isEqualTo("weaklink-collect --full");
    }

    @Test
    void isUndeterminedAboutMissingSymbolsWithoutExports() throws IOException {
        Told silent = new Told("core", MAGIC).version("module_layout", LAYOUT).version("_printk", 5);
        WholeRun run = audit(node(silent, USER).line("cn1"), "--kernel", fitting, "--format", "json");
        JsonNode audit = json(run);
        assertThat(state(audit, 0)).isEqualTo("undetermined");
        assertThat(audit.at("/verdicts/0/loads").asInt()).isEqualTo(1);
        assertThat(audit.at("/verdicts/0/modules/0/module").asText()).isEqualTo("user");
        assertThat(audit.at("/verdicts/0/reason").asText())
                .isEqualTo("user: no known kernel or module exports core_up, and some nodes did not report which"
                        + " symbols their modules export (this needs kmod 30 or newer); give the modules' files with"
                        + " --modules, or run 'weaklink-collect --full' on a node with kmod 30 or newer");
        assertThat(audit.at("/actions/0").has("command")).isFalse();
        assertThat(run.status()).isEqualTo(3);
    }

    @Test
    void readsFactsFromTheModulesFilesIfTheNodeLacksThem() throws IOException {
        byte[] core = ModuleBuilder.typical(Machine.X86_64, "core")
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + MAGIC)
                .exporting("core_up", ModuleSpec.Export.Table.NORMAL, 7)
                .build();
        byte[] user = ModuleBuilder.typical(Machine.X86_64, "user")
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + MAGIC)
                .importing("core_up", 7)
                .build();
        Files.write(directory.resolve("core.ko"), core);
        Files.write(directory.resolve("user.ko"), user);
        String input = new NodeLines(OLD)
                .file(OLD, "core", core)
                .file(OLD, "user", user)
                .line("cn1");
        JsonNode audit = json(audit(input, "--kernel", fitting, "--modules", directory.toString(), "--format", "json"));
        assertThat(state(audit, 0)).isEqualTo("link");
    }

    @Test
    void doesNotUseATableWithAnotherDigest() throws IOException {
        String damaged = node(CORE).line("cn1").replace("0x00000005 _printk", "0x00000006 _printk");
        WholeRun run = audit(damaged, "--kernel", other, "--format", "json");
        JsonNode audit = json(run);
        assertThat(state(audit, 0)).isEqualTo("undetermined");
        assertThat(audit.at("/verdicts/0/reason").asText())
                .isEqualTo("core: the module's symbol table does not match the digest that the node reported");
    }

    @Test
    void usesATableForAllNodesWithTheFile() throws IOException {
        String input = node(CORE).withoutTables().line("cn1")
                + "\n"
                + node(CORE).line("cn2")
                + "\n"
                + node(CORE).withoutTables().line("cn3");
        JsonNode audit = json(audit(input, "--kernel", fitting, "--format", "json"));
        assertThat(audit.at("/sets")).hasSize(1);
        assertThat(state(audit, 0)).isEqualTo("link");
        assertThat(audit.at("/kernels/0/install/count").asInt()).isEqualTo(3);
    }

    @Test
    void judgesLocalFilesOnAllLayers() throws IOException {
        ModuleBuilder built = ModuleBuilder.typical(Machine.X86_64, "core")
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + MAGIC)
                .withoutModInfo("license")
                .modInfo("license=Proprietary")
                .importing("_printk", 5);
        Path file = Files.write(directory.resolve("core.ko"), built.build());
        Path tar = Files.write(
                directory.resolve("kmod.tar"),
                new TarWriter()
                        .file("./lib/modules/x/extra/core.ko", built.build())
                        .bytes());
        String line = new NodeLines(OLD).file(OLD, "core", built.build()).line("cn1");
        String gplOnly = gplOnly();
        for (String place : List.of(file.toString(), directory.toString(), tar.toString())) {
            WholeRun run =
                    audit(line, "--kernel", fitting, "--kernel", gplOnly, "--modules", place, "--format", "json");
            JsonNode audit = json(run);
            assertThat(run.err()).as(place).isEmpty();
            assertThat(state(audit, 0)).isEqualTo("link");
            assertThat(state(audit, 1)).isEqualTo("blocked");
            assertThat(audit.at("/verdicts/1/modules/0/findings/0/layer").asText())
                    .isEqualTo("symbol-gpl-only");
        }
    }

    private String gplOnly() throws IOException {
        byte[] symvers = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, LAYOUT)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL_GPL, 5)
                .bytes();
        return Files.write(directory.resolve("gpl-only"), symvers).toString();
    }

    @Test
    void doesNotUseAFileWithAnotherDigest() throws IOException {
        Path file = Files.write(
                directory.resolve("core.ko"),
                ModuleBuilder.typical(Machine.X86_64, "core").build());
        String line = new NodeLines(OLD).module(OLD, "core", "A").line("cn1");
        WholeRun run = audit(line, "--kernel", fitting, "--modules", file.toString(), "--format", "json");
        assertThat(state(json(run), 0)).isEqualTo("undetermined");
    }

    @Test
    void reportsAMissingKernelAndJudgesTheOthers() throws IOException {
        WholeRun some = audit(
                node(CORE).line("cn1"),
                "--kernel",
                "nowhere",
                "--kernel",
                fitting,
                "--root",
                directory.toString(),
                "--format",
                "json");
        assertThat(some.messages()).singleElement().asString().startsWith("nowhere: no such kernel");
        assertThat(json(some).at("/targets")).hasSize(1);
        assertThat(some.status()).isEqualTo(3);
        WholeRun none = audit(node(CORE).line("cn1"), "--kernel", "nowhere", "--root", directory.toString());
        assertThat(none.status()).isEqualTo(2);
    }
}
