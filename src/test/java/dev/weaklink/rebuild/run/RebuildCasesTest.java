package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.PlanResult;
import dev.weaklink.links.report.PlanJson;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.LogDigest;
import dev.weaklink.rebuild.LogDigest.LogText;
import dev.weaklink.rebuild.OpenWrtPackages;
import dev.weaklink.rebuild.report.ApplyText;
import dev.weaklink.rebuild.report.RebuildJson;
import dev.weaklink.rebuild.report.RebuildText;
import dev.weaklink.rebuild.run.EvidenceReader.OsRelease;
import dev.weaklink.rebuild.run.RebuildPlanner.PlannedRebuild;
import dev.weaklink.report.Schemas;
import dev.weaklink.report.TableOptions;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.ImageCase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the plans for rebuilds of the images in {@code test-fixtures/cases}, and the diagnoses of failed builds. */
class RebuildCasesTest {
    private static final TableOptions TABLE = new TableOptions(100, false, false);
    private static final List<String> PROGRAMS = List.of(
            "bash",
            "createrepo_c",
            "dh",
            "dkms",
            "dpkg-buildpackage",
            "fakeroot",
            "gcc",
            "make",
            "perl",
            "rpmbuild",
            "setsid",
            "tar",
            "xorriso");

    @TempDir
    Path directory;

    private Path root = Path.of("");

    @BeforeEach
    void prepare() throws IOException {
        root = Files.createDirectory(directory.resolve("image")).toRealPath();
    }

    static List<String> rebuilds() throws IOException {
        return ImageCase.names("rebuild");
    }

    static List<String> failures() throws IOException {
        return ImageCase.names("failure");
    }

    @ParameterizedTest
    @MethodSource("rebuilds")
    void rebuild(String name) throws IOException {
        ImageCase asked = ImageCase.read("rebuild", name);
        asked.words("needs").forEach(ExternalTool::orSkip);
        asked.build(root);
        Words words = new Words(asked.words("rebuild"));
        String answer;
        try {
            answer = words.isEmpty() ? planned(asked) : prepared(words, asked);
        } catch (NotDoneException e) {
            answer = "unusable: " + e.getMessage() + "\n";
        }
        String neutral = answer.replace(root.toString(), "ROOT")
                .replaceAll("-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "-RANDOM");
        assertThat(neutral).isEqualTo(asked.expected(neutral));
    }

    /** Returns the output of {@code apply --rebuild --dry-run}. */
    private String planned(ImageCase asked) throws IOException, NotDoneException {
        ReadOptions reading = new ReadOptions(1, FactsCache.NONE);
        PlanRequest request = new PlanRequest(root, asked.words("ask"), reading);
        Map<String, String> environment = environment(asked);
        Words words = new Words(asked.words("apply"));
        SiteSettings site = SiteSettings.read(Root.of(root), environment);
        PlanResult result = new LinkManager().plan(request);
        List<PlannedRebuild> rebuilds =
                new RebuildPlanner(request, site, words.path("--bundle"), environment).plan(result);
        if (!words.is("--format", "json")) {
            return new ApplyText(TABLE).preview(result.plan(), rebuilds, Map.of());
        }
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        PlanJson.write(result.plan(), RebuildJson.rebuilds(rebuilds, List.of()), result.problems(), json);
        assertThat(Schemas.problems(json.toString(StandardCharsets.UTF_8))).isEmpty();
        ObjectMapper mapper = new ObjectMapper();
        return mapper.readTree(json.toByteArray()).get("rebuilds").toPrettyString() + "\n";
    }

    /** Returns the output of {@code rebuild --dry-run}. */
    private String prepared(Words words, ImageCase asked) throws IOException, NotDoneException {
        OpenWrtPackages openWrt = EvidenceReader.openWrt(root);
        if (openWrt != null) {
            return new RebuildText(TABLE)
                    .openWrt(words.one("--kernel"), openWrt)
                    .text();
        }
        PreparedRebuild prepared = Preparation.prepare(request(words, environment(asked)));
        return new RebuildText(TABLE).prepared(prepared, true).text();
    }

    private RebuildRequest request(Words words, Map<String, String> environment) {
        boolean own = words.is("--backend", "command");
        String results = words.one("--results");
        return new RebuildRequest(
                root,
                String.valueOf(words.one("--kernel")),
                words.one("--product"),
                words.path("--bundle"),
                words.one("--backend"),
                words.all("--package"),
                words.path("--build-tree"),
                words.path("--work"),
                new Job.Settings(
                        words.one("--distro"),
                        words.has("--skip-repo"),
                        !words.has("--no-kmp"),
                        own ? List.of() : words.operands()),
                new RebuildHint.SiteCommand(own ? words.operands() : List.of(), words.variables("--set"), results),
                List.of(),
                environment,
                1);
    }

    /** Returns an environment in which only the programs of the case exist, each of which prints 11. */
    private Map<String, String> environment(ImageCase asked) throws IOException {
        Path bin = Files.createDirectory(directory.resolve("bin"));
        List<String> programs = asked.words("programs");
        for (String program : programs.isEmpty() ? PROGRAMS : programs) {
            Path file = Files.writeString(bin.resolve(program), "#!/bin/sh\necho 11\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Map<String, String> environment = new HashMap<>();
        environment.put("PATH", bin.toString());
        environment.put("FAKEROOTKEY", "1");
        environment.put("DPKG_ADMINDIR", root.resolve("var/lib/dpkg").toString());
        return environment;
    }

    @ParameterizedTest
    @MethodSource("failures")
    void failure(String name) throws IOException {
        ImageCase asked = ImageCase.read("failure", name);
        asked.build(root);
        List<LogText> logs = new ArrayList<>();
        for (ImageCase.Entry log : asked.all("log")) {
            logs.add(new LogText(String.join(" ", log.rest()), log.lines()));
        }
        String kernel = "6.1.0-1-amd64";
        Job.BuildPlace place = new Job.BuildPlace(kernel, "/lib/modules/" + kernel + "/build", "/work", null);
        Diagnosis diagnosis = new LogDigest(place, OsRelease.read(Root.of(root))).read(logs, 1);
        String text = new RebuildText(TABLE).failure(kernel, "build", diagnosis).text();
        assertThat(text).isEqualTo(asked.expected(text));
    }

    /** The options of a command line, and the operands after "--". */
    private final class Words {
        private final List<String> words;
        private final List<String> operands;

        Words(List<String> all) {
            int end = all.indexOf("--");
            words = end < 0 ? all : all.subList(0, end);
            operands = end < 0 ? List.of() : all.subList(end + 1, all.size());
        }

        boolean isEmpty() {
            return words.isEmpty();
        }

        List<String> operands() {
            return operands;
        }

        boolean has(String option) {
            return words.contains(option);
        }

        boolean is(String option, String value) {
            return value.equals(one(option));
        }

        List<String> all(String option) {
            List<String> values = new ArrayList<>();
            for (int i = 0; i < words.size() - 1; i++) {
                if (words.get(i).equals(option)) {
                    values.add(words.get(i + 1));
                }
            }
            return values;
        }

        @Nullable
        String one(String option) {
            List<String> values = all(option);
            return values.isEmpty() ? null : values.get(0);
        }

        /** Returns the path that an option names, inside the image. */
        @Nullable
        Path path(String option) {
            String value = one(option);
            return value == null ? null : root.resolve(value);
        }

        Map<String, String> variables(String option) {
            Map<String, String> variables = new TreeMap<>();
            for (String value : all(option)) {
                String[] parts = value.split("=", 2);
                variables.put(parts[0], parts[1]);
            }
            return variables;
        }
    }
}
