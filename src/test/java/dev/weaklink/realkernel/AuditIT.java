package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Audits nodes that have the modules of a real kernel as if they had been built out of tree. The verdicts of an audit
 * must be those of a check and of booted kernels.
 */
class AuditIT {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Path SCRIPT = Path.of("src/main/dist/weaklink-collect").toAbsolutePath();
    private static final int EVERY = 9;

    @TempDir
    Path directory;

    private Kernel k50;
    private Kernel k53;
    private Kernel k54;

    @BeforeEach
    void findKernels() {
        k50 = present("6.1.0-50-amd64");
        k53 = present("6.1.0-53-amd64");
        k54 = present("6.1.0-54-amd64");
    }

    private static Kernel present(String release) {
        Optional<Kernel> kernel = RealKernels.atDefault().find(release);
        assumeThat(kernel).as(release + " is not in the package index any more").isPresent();
        return kernel.orElseThrow();
    }

    /** Returns a tree with these modules below a kernel's {@code extra} directory. */
    private Path tree(String name, Kernel kernel, List<Path> modules) throws IOException {
        Path top = directory.resolve(name);
        Path place = top.resolve("lib/modules").resolve(kernel.release());
        Files.createDirectories(place.resolve("extra"));
        Files.copy(kernel.modules().resolve("modules.order"), place.resolve("modules.order"));
        for (Path module : modules) {
            Path to = place.resolve("extra").resolve(module.getFileName());
            try {
                Files.createLink(to, module);
            } catch (IOException | UnsupportedOperationException e) {
                Files.copy(module, to);
            }
        }
        return top;
    }

    private static String collected(Path tree, String shell) throws IOException {
        ExternalTool.orSkip("modprobe");
        return ExternalTool.orSkip(shell).run(SCRIPT.toString(), "--full", "--no-name", "--root=" + tree);
    }

    private static String inventoried(Path tree) {
        WeaklinkRunner.Run run =
                WeaklinkRunner.run(List.of("inventory", "--full", "--no-name", "--root", tree.toString()));
        assertThat(run.exitCode()).as(run.stderr()).isZero();
        return run.stdout().get(0) + "\n";
    }

    private Path nodes(String name, String... lines) throws IOException {
        return Files.writeString(directory.resolve(name), String.join("", lines));
    }

    private static String headers(Kernel kernel) {
        return kernel.symvers().getParent().toString();
    }

    private static List<String> words(Path nodes, List<Kernel> kernels, String... more) {
        List<String> words = new ArrayList<>(List.of("audit", nodes.toString(), "--format", "json"));
        for (Kernel kernel : kernels) {
            words.addAll(List.of("--kernel", headers(kernel)));
        }
        words.addAll(List.of(more));
        return words;
    }

    /** Returns the arguments of an audit with the kernel's own modules, image and configuration. */
    private static List<String> installed(Path nodes, Kernel kernel, String... more) {
        List<String> words = new ArrayList<>(List.of("audit", nodes.toString(), "--format", "json"));
        words.addAll(List.of("--root", kernel.root().toString(), "--kernel", kernel.release()));
        words.addAll(List.of(more));
        return words;
    }

    private static String audited(List<String> words, String cache) {
        WeaklinkRunner.Run run = WeaklinkRunner.run(words, cache);
        assertThat(run.stderr()).isEmpty();
        assertThat(run.stdout()).hasSize(1);
        return run.stdout().get(0);
    }

    private static JsonNode audit(List<String> words) throws IOException {
        return MAPPER.readTree(audited(words, "off"));
    }

    /** Returns "loads fails undetermined state" for the modules of one kernel on another. */
    private static String verdict(JsonNode audit, Kernel of, String on) {
        for (JsonNode verdict : audit.at("/verdicts")) {
            JsonNode set = audit.at("/sets/" + verdict.at("/set").asInt());
            JsonNode target = audit.at("/targets/" + verdict.at("/target").asInt());
            if (set.at("/kernel").asText().equals(of.release())
                    && target.at("/label").asText().equals(on)) {
                return verdict.at("/loads").asInt()
                        + " "
                        + verdict.at("/fails").asInt()
                        + " "
                        + verdict.at("/undetermined").asInt()
                        + " "
                        + verdict.at("/state").asText();
            }
        }
        throw new AssertionError("no verdict on modules of " + of + " on " + on);
    }

    private static List<Path> someOf(Kernel kernel) {
        List<Path> some = new ArrayList<>();
        List<Path> all = kernel.files();
        for (int i = 0; i < all.size(); i += EVERY) {
            some.add(all.get(i));
        }
        return some;
    }

    /** Returns the counts of these verdicts: "loads fails 0 blocked". */
    private static String counts(List<VerdictLine> verdicts) {
        long load = verdicts.stream().filter(VerdictLine::loads).count();
        assertThat(load).isBetween(1L, verdicts.size() - 1L);
        return load + " " + (verdicts.size() - load) + " 0 blocked";
    }

    /** Returns the counts of a check against the headers of a kernel. */
    private static String checked(Kernel kernel, List<Path> modules) {
        return counts(Check.withHeaders(headers(kernel), modules));
    }

    @Test
    void countsAsCheckDoesByTablesAndByFilesAndWithKeptFacts() throws IOException {
        List<Path> some53 = someOf(k53);
        List<Path> some50 = someOf(k50);
        Path of53 = tree("n53", k53, some53);
        String line53 = inventoried(of53);
        String line50 = inventoried(tree("n50", k50, some50));
        Path told = nodes("told", "cn1: ", line53, "cn2: ", line53, "cn3: ", line50, "gpu7: ", line50);
        String on54of53 = checked(k54, some53);
        String on54of50 = checked(k54, some50);

        JsonNode audit = audit(words(told, List.of(k50, k53, k54)));
        assertThat(audit.at("/nodes").asInt()).isEqualTo(4);
        assertThat(audit.at("/sets")).hasSize(2);
        assertThat(verdict(audit, k53, headers(k54))).isEqualTo(on54of53);
        assertThat(verdict(audit, k50, headers(k54))).isEqualTo(on54of50);
        assertThat(verdict(audit, k50, headers(k53))).isEqualTo(checked(k53, some50));
        assertThat(verdict(audit, k53, headers(k53))).isEqualTo(some53.size() + " 0 0 ready");
        assertThat(verdict(audit, k50, headers(k50))).isEqualTo(some50.size() + " 0 0 ready");
        assertThat(audit.at("/kernels/0/blocked/nodes").asText()).isEqualTo("cn[1-3],gpu7");

        Path cache = directory.resolve("cache");
        List<String> byFiles = words(told, List.of(k54), "--modules", of53.toString());
        String cold = audited(byFiles, cache.toString());
        assertThat(verdict(MAPPER.readTree(cold), k53, headers(k54))).isEqualTo(on54of53);
        assertThat(verdict(MAPPER.readTree(cold), k50, headers(k54))).isEqualTo(on54of50);
        try (Stream<Path> kept = Files.walk(cache)) {
            assertThat(kept.filter(Files::isRegularFile)).isNotEmpty();
        }
        assertThat(audited(byFiles, cache.toString())).isEqualTo(cold);
    }

    @Test
    void judgesReportsAsCheckJudgesFiles() throws IOException {
        List<Path> some = someOf(k53);
        Path tree = tree("some", k53, some);
        Path told = nodes("some.ndjson", "cn1: ", collected(tree, "dash"));
        String expected = counts(Check.together(k54, some));
        JsonNode byTables = audit(installed(told, k54));
        assertThat(verdict(byTables, k53, k54.release())).isEqualTo(expected);
        JsonNode byFiles = audit(installed(told, k54, "--modules", tree.toString()));
        assertThat(verdict(byFiles, k53, k54.release())).isEqualTo(expected);
        assertThat(verdict(audit(installed(told, k53)), k53, k53.release())).isEqualTo(some.size() + " 0 0 ready");
    }

    @Test
    void blocksOneFlippedCrcAndJudgesSignaturesByTheNodesPolicy() throws IOException {
        Path dummy = k53.filesByName().get("dummy.ko");
        Path changed = directory.resolve("dummy.ko");
        ModuleEditor editor = new ModuleEditor(k53.moduleBytes("dummy"));
        editor.flipCrc("register_netdevice", 1);
        Files.write(changed, editor.unsigned());
        String whole = collected(tree("whole", k53, List.of(dummy)), "dash");
        String flipped = collected(tree("flipped", k53, List.of(changed)), "dash");
        String locked = "\"security\":{\"lockdown\":\"integrity\",\"enforced\":false}";
        Path told = nodes("four", "cn1: ", whole, "cn2: ", flipped, "cn3: ", whole.replace("\"security\":{}", locked));
        JsonNode audit = audit(installed(told, k53));
        assertThat(audit.at("/kernels/0/blocked/nodes").asText()).isEqualTo("cn2");
        assertThat(audit.at("/kernels/0/undetermined/nodes").asText()).isEmpty();
        assertThat(audit.at("/sets")).hasSize(2);
        List<String> states = new ArrayList<>();
        for (JsonNode verdict : audit.at("/verdicts")) {
            states.add(
                    verdict.at("/state").asText() + ": " + verdict.at("/reason").asText());
        }
        assertThat(states)
                .containsExactlyInAnyOrder(
                        "ready: all load", "blocked: dummy: disagrees about version of symbol register_netdevice");

        Path insisting = nodes("locked", "cn2: ", flipped.replace("\"security\":{}", locked));
        assertThat(audit(installed(insisting, k53)).at("/verdicts/0/reason").asText())
                .as("the editor has taken the signature off")
                .startsWith("dummy: Lockdown: modprobe: unsigned module loading is restricted");
    }
}
