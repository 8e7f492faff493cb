package dev.weaklink.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Backends.CommandBackend;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.NotDoneException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Tests that no value of a job becomes an option, several arguments, or another value. */
class BackendWordsProperties {
    private static final String PLAIN = "6.1.0-55-amd64";
    private static final String TREE = "/usr/src/linux-headers-6.1.0-55-amd64";

    /** The places of a value in a job. */
    private enum Place {
        KERNEL,
        BUILD_TREE,
        WORK,
        ROOT,
        BUNDLE,
        ARCHIVE,
        ISO,
        DISTRO,
        PACKAGE
    }

    private static final Set<Place> PACKED = Set.of(Place.ARCHIVE, Place.ISO);

    @Provide
    Arbitrary<String> values() {
        Arbitrary<String> nasty = Arbitraries.of(
                "-rf",
                "--eval=x",
                "a b",
                "a\nb",
                "a'b",
                "a\"b",
                "$(id)",
                "`id`",
                "a;b",
                "a|b",
                "%{x}",
                "a\\b",
                "*",
                "a>b",
                "",
                "\0",
                "../..",
                "/etc/../a b",
                "/-x",
                "~",
                "a&b",
                "é",
                "#");
        Arbitrary<String> any = Arbitraries.strings().ofMaxLength(12);
        Arbitrary<String> usual =
                Arbitraries.strings().withChars("abz019._+-/").ofMinLength(1).ofMaxLength(20);
        return Arbitraries.oneOf(nasty, any, usual, usual.map(text -> "/" + text));
    }

    @Provide
    Arbitrary<String> ascii() {
        return Arbitraries.strings().withCharRange('\1', '~').ofMaxLength(20);
    }

    @Provide
    Arbitrary<Backend> backends() {
        return Arbitraries.of(Backends.all());
    }

    @Property(tries = 3000)
    void passesAValueAsOneWordOrRefusesIt(
            @ForAll("backends") Backend backend, @ForAll Place place, @ForAll("values") String value)
            throws NotDoneException {
        List<Step> steps;
        try {
            steps = steps(backend, job(backend, place, value));
        } catch (NotDoneException e) {
            assertThat(e.getMessage()).isNotBlank();
            return;
        }
        String marker = marker(value);
        List<Step> usual = steps(backend, job(backend, place, marker));
        assertThat(steps).hasSameSizeAs(usual);
        for (int i = 0; i < steps.size(); i++) {
            List<String> words = new ArrayList<>();
            for (String word : usual.get(i).words()) {
                words.add(word.replace(marker, value));
            }
            assertThat(steps.get(i).words()).isEqualTo(words);
            if (!words.equals(usual.get(i).words())) {
                assertThat(value).matches("[A-Za-z0-9._+~:/@,=-]*").doesNotStartWith("-");
            }
            Map<String, String> environment = new TreeMap<>(usual.get(i).environment());
            environment.replaceAll((name, text) -> text.replace(marker, value));
            assertThat(steps.get(i).environment()).isEqualTo(environment);
            String directory = usual.get(i).directory();
            assertThat(steps.get(i).directory()).isEqualTo(directory == null ? null : directory.replace(marker, value));
        }
    }

    /** Returns all steps of a backend: build, installation and removal. */
    private static List<Step> steps(Backend backend, Job job) throws NotDoneException {
        List<Step> steps = new ArrayList<>(backend.steps(job));
        steps.addAll(backend.installation(job, Set.copyOf(job.packages())));
        steps.addAll(backend.removal(job));
        return steps;
    }

    /** Returns a harmless value that a backend treats like the given value. */
    private static String marker(String value) {
        String ending = value.endsWith(".dsc") ? ".dsc" : value.endsWith(".src.rpm") ? ".src.rpm" : "";
        return (value.startsWith("/") ? "/marker" : "marker") + ending;
    }

    private static Bundle.Form form(Place place) {
        return switch (place) {
            case ARCHIVE -> Bundle.Form.ARCHIVE;
            case ISO -> Bundle.Form.ISO;
            default -> Bundle.Form.DIRECTORY;
        };
    }

    private static Job job(Backend backend, Place place, String value) {
        Bundle bundle = new Bundle(
                PACKED.contains(place) || place == Place.BUNDLE ? value : "/mnt/ofed",
                form(place),
                place == Place.ISO ? "xorriso" : "tar",
                "MLNX_OFED_LINUX",
                "24.10",
                null,
                true,
                "mlnxofedinstall",
                false,
                0,
                List.of());
        return new Job(
                new Job.BuildPlace(
                        place == Place.KERNEL ? value : PLAIN,
                        place == Place.BUILD_TREE ? value : TREE,
                        place == Place.WORK ? value : "/work",
                        place == Place.ROOT ? value : null),
                new Job.Settings(place == Place.DISTRO ? value : "rhel9.4", true, true),
                bundle,
                List.of((place == Place.PACKAGE ? value : "demo") + "/1.0"),
                new RebuildHint.SiteCommand(
                        List.of("make", "{build}", "{kernel}", "{root}", "{results}"),
                        Map.of("K", "{kernel}"),
                        "{root}/out/{kernel}"));
    }

    /** Tests that every backend has steps for an ordinary job, so that the other properties cover all backends. */
    @Property(tries = 50)
    void acceptsOrdinaryJobsInEveryBackend(@ForAll("backends") Backend backend) throws NotDoneException {
        assertThat(steps(backend, job(backend, Place.DISTRO, "rhel9.4"))).isNotEmpty();
    }

    @Property(tries = 500)
    void passesAGivenCommandUnchanged(@ForAll("values") String word) throws NotDoneException {
        Job job = new Job(
                new Job.BuildPlace(PLAIN, TREE, "/work", null),
                new Job.Settings(null, false, true),
                null,
                List.of(),
                new RebuildHint.SiteCommand(List.of("prog", word, "{kernel}" + word), Map.of(), null));
        assertThat(new CommandBackend().steps(job).get(0).words()).containsExactly("prog", word, PLAIN + word);
    }

    @Property(tries = 60)
    void showsCommandsAsAShellWouldRunThem(@ForAll("ascii") String word) throws IOException {
        Step step = new Step("", List.of("printf", "%s|", word, "b c"), Map.of(), null);
        String printed = ExternalCommand.of(List.of("sh", "-c", step.commandLine()), Duration.ofSeconds(20))
                .run()
                .output();
        String utf8 = new String(
                word.getBytes(java.nio.charset.StandardCharsets.UTF_8), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(printed).isEqualTo(utf8 + "|b c|");
    }
}
