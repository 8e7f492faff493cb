package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/**
 * Compares the named causes with the changes that genksyms found. Needs {@code -Dweaklink.truth=FILE:OLD:NEW}, several
 * values separated by commas: files from src/data/ExplainTruth.java, and the releases of their kernels.
 */
class ExplainTruthIT {
    private static final Map<String, String> TAGS =
            Map.of("struct", "s#", "union", "u#", "enum", "e#", "typedef", "t#", "prototype", "");

    private final RealKernels kernels = RealKernels.atDefault();

    /**
     * The numbers of changed symbols: all, with a cause, with a right cause, and with a right cause among three
     * candidates. Also the number of unchanged symbols with a cause, and of symbols whose CRCs in the kernels
     * contradict genksyms, because the file was built in another way.
     */
    private static final class Score {
        int changed;
        int named;
        int right;
        int amongThree;
        int unchangedWithCause;
        int otherwise;
    }

    @Test
    void namedCausesAreAmongThoseThatGenksymsSaw() throws IOException {
        String truths = System.getProperty("weaklink.truth", "");
        assumeThat(truths).as("-Dweaklink.truth=FILE:OLD:NEW").isNotEmpty();
        for (String truth : truths.split(",")) {
            String[] parts = truth.split(":");
            Score score = score(rows(Path.of(parts[0])), kernel(parts[1]), kernel(parts[2]));
            Report.say(truth
                    + ": "
                    + score.changed
                    + " changed, "
                    + score.named
                    + " with a cause, "
                    + score.right
                    + " right, "
                    + score.amongThree
                    + " with a right one of three; left out "
                    + score.otherwise
                    + " that the kernels do not export or whose CRCs say otherwise");
            assertThat(score.unchangedWithCause).isZero();
            assertThat(score.changed).isPositive();
            assertThat(score.named).isGreaterThanOrEqualTo((int) (0.97 * score.changed));
            assertThat(score.right).isGreaterThanOrEqualTo((int) (0.93 * score.named));
            assertThat(score.amongThree).isGreaterThanOrEqualTo((int) (0.985 * score.named));
        }
    }

    private Kernel kernel(String release) {
        Optional<Kernel> kernel = kernels.find(release);
        assumeThat(kernel).as(release).isPresent();
        return kernel.orElseThrow();
    }

    /** Returns the causes of all changed symbols of vmlinux: the first cause, then the other candidates. */
    private static Map<String, List<String>> causes(Kernel from, Kernel to) throws IOException {
        WeaklinkRunner.Run run = WeaklinkRunner.run(
                List.of("diff", from.modules().toString(), to.modules().toString(), "--format", "ndjson"));
        ObjectMapper mapper = new ObjectMapper();
        Map<String, List<String>> causes = new HashMap<>();
        for (String line : run.stdout()) {
            JsonNode change = mapper.readTree(line);
            List<String> named = new ArrayList<>();
            JsonNode cause = change.get("cause");
            if (cause != null) {
                named.add(name(cause));
                cause.get("candidates").forEach(other -> named.add(name(other)));
            }
            causes.put(change.get("symbol").asText(), named);
        }
        return causes;
    }

    private static String name(JsonNode type) {
        return TAGS.get(type.get("kind").asText()) + type.get("name").asText();
    }

    private static List<String[]> rows(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file);
                InputStream plain = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
                BufferedReader lines = new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8))) {
            return lines.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(l -> l.split("\t"))
                    .toList();
        }
    }

    /** Scores rows with symbol, file, 1 if the symbol changed (else 0), and changed types separated by commas. */
    private static Score score(List<String[]> rows, Kernel from, Kernel to) throws IOException {
        Map<String, List<String>> causes = causes(from, to);
        Map<String, Long> olds = from.crcs();
        Map<String, Long> news = to.crcs();
        Score score = new Score();
        for (String[] row : rows) {
            List<String> named = causes.get(row[0]);
            Long old = olds.get(row[0]);
            boolean changed = row[2].equals("1");
            if (old == null || !news.containsKey(row[0]) || changed == old.equals(news.get(row[0]))) {
                score.otherwise++;
                continue;
            }
            if (!changed) {
                score.unchangedWithCause += named == null ? 0 : 1;
                continue;
            }
            Set<String> roots = Set.of(row[3].split(","));
            score.changed++;
            if (named != null && !named.isEmpty()) {
                score.named++;
                score.right += roots.contains(named.get(0)) ? 1 : 0;
                score.amongThree += named.stream().limit(3).anyMatch(roots::contains) ? 1 : 0;
            }
        }
        return score;
    }
}
