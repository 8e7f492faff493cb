package dev.weaklink.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weaklink.check.report.CheckJson;
import dev.weaklink.check.report.ExplainedFinding;
import dev.weaklink.check.report.KernelJson;
import dev.weaklink.check.report.ModuleJson;
import dev.weaklink.check.report.PreflightJson;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.Samples;
import dev.weaklink.kernel.LoaderBehaviorReader;
import dev.weaklink.kernel.LoaderBehaviorReader.LoaderEvidence;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.image.ImageReader;
import dev.weaklink.kernel.image.KernelImage;
import dev.weaklink.kernel.image.KernelImage.ImageFormat;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Layer;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.TargetKind;
import dev.weaklink.system.initramfs.InitramfsComparison.ModuleState;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.Packing;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The schemas: each must accept the program's output and refuse other documents. */
class SchemaTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final CheckReport REPORT = new CheckReport(
            List.of(Samples.target(LoaderRule.MISSING_VERSION)),
            List.of(
                    Samples.compatible("a", new Provider("b", "extra/b.ko", true)),
                    Samples.refused("b", "ENOENT", Samples.changed("b", "fput"), Samples.missing("b", "kfree")),
                    Samples.undetermined("c", Samples.unreadable("truncated"), Samples.note("unsigned"))),
            List.of(new InputProblem("extra/c.ko", "truncated")));

    @Test
    void writesValidLines() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CheckJson.writeLines(REPORT, null, out, 2);

        for (String line : out.toString(StandardCharsets.UTF_8).lines().toList()) {
            assertThat(Schemas.problems(line)).as(line).isEmpty();
        }
    }

    @Test
    void writesAValidDocumentIfNothingWasFound() throws IOException {
        assertThat(Schemas.problems(document(REPORT))).isEmpty();
        assertThat(Schemas.problems(document(new CheckReport(List.of(), List.of(), List.of()))))
                .isEmpty();
    }

    @Test
    void writesAValidPreflightValidation() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PreflightJson.write(REPORT, out);

        JsonNode status = MAPPER.readTree(out.toString(StandardCharsets.UTF_8));
        assertThat(Schemas.problems(status, "preflight")).isEmpty();
        assertThat(status.at("/status/modules")).hasSize(3);
        ((ObjectNode) status.at("/status/modules/0")).put("verificationStatus", "Failure");
        assertThat(Schemas.problems(status, "preflight")).isNotEmpty();
        ((ObjectNode) status.at("/status/modules/0")).put("verificationStage", "Image");
        assertThat(Schemas.problems(status, "preflight")).isEmpty();
        ((ObjectNode) status.at("/status/modules/0")).put("lastTransitionTime", "2026-11-23T00:00:00Z");
        assertThat(Schemas.problems(status, "preflight")).isNotEmpty();
    }

    @Test
    void writesAValidModuleWithAllFactsAndWithNone() throws IOException {
        for (var module : List.of(FullModule.create(), KernelModule.unread(Origin.file("x.ko")))) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ModuleJson.write(module, new RuntimeNames(List.of("f")), out);
            assertThat(Schemas.problems(out.toString(StandardCharsets.UTF_8))).isEmpty();
        }
    }

    @Test
    void writesEveryKindOfFindingWithAValidId() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ExplainedFinding.json(ExplainedFinding.ALL, out);
        assertThat(Schemas.problems(out.toString(StandardCharsets.UTF_8))).isEmpty();

        String pattern = MAPPER.readTree(Schemas.text("verdict"))
                .at("/$defs/finding/properties/id/pattern")
                .asText();
        for (FindingKind kind : FindingKind.values()) {
            assertThat(kind.id()).matches(pattern);
            assertThat(FindingKind.of(kind.id())).isEqualTo(kind);
        }
    }

    @Test
    void writesAValidKernelWithAndWithoutExports() throws IOException {
        KernelSpec kernel = KernelSpec.of(Machine.X86_64);
        for (KernelSpec spec : List.of(kernel, kernel.exporting(List.of()))) {
            byte[] file = Packing.ZSTD.pack(KernelWriter.elf(spec, true));
            KernelImage image = ImageReader.read(file, file.length);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            LoaderEvidence evidence = new LoaderEvidence(image.release(), null, null, null, image.traces(), Map.of());
            KernelJson.write("vmlinuz", image, LoaderBehaviorReader.read(evidence), out);
            assertThat(Schemas.problems(out.toString(StandardCharsets.UTF_8))).isEmpty();
        }
    }

    @Test
    void detectsAnUnknownKeyOrWordAtAnyDepth() throws IOException {
        JsonNode extraKey = MAPPER.readTree(document(REPORT));
        ((ObjectNode) extraKey.at("/verdicts/1/findings/0")).put("surprise", 1);
        JsonNode otherWord = MAPPER.readTree(document(REPORT));
        ((ObjectNode) otherWord.at("/verdicts/1/findings/0")).put("layer", "symbol_crc");
        JsonNode missingKey = MAPPER.readTree(document(REPORT));
        ((ObjectNode) missingKey.at("/targets/0")).remove("kind");

        assertThat(Schemas.problems(extraKey, "check")).isNotEmpty();
        assertThat(Schemas.problems(otherWord, "check")).isNotEmpty();
        assertThat(Schemas.problems(missingKey, "check")).isNotEmpty();
    }

    @Test
    void schemasListTheProgramsWords() throws IOException {
        List<String> layers = new ArrayList<>();
        for (Layer layer : Layer.values()) {
            layers.add(layer.id());
        }
        List<String> effects = new ArrayList<>();
        for (Finding.Effect effect : Finding.Effect.values()) {
            effects.add(effect.id());
        }
        List<String> kinds = new ArrayList<>();
        for (TargetKind kind : TargetKind.values()) {
            kinds.add(kind.id());
        }
        List<String> formats = new ArrayList<>();
        for (ImageFormat format : ImageFormat.values()) {
            formats.add(format.id());
        }
        List<String> states = new ArrayList<>();
        for (ModuleState state : ModuleState.values()) {
            states.add(state.id());
        }
        assertThat(words("status", "/properties/initramfs/items/properties/modules/items/properties/state/enum"))
                .isEqualTo(states);
        assertThat(words("kernel", "/properties/format/enum")).isEqualTo(formats);
        assertThat(words("verdict", "/$defs/finding/properties/layer/enum")).isEqualTo(layers);
        assertThat(words("verdict", "/$defs/finding/properties/effect/enum")).isEqualTo(effects);
        assertThat(words("target", "/properties/kind/enum")).isEqualTo(kinds);
    }

    private static List<String> words(String schema, String pointer) throws IOException {
        List<String> words = new ArrayList<>();
        MAPPER.readTree(Schemas.text(schema)).at(pointer).forEach(word -> words.add(word.asText()));
        return words;
    }

    private static String document(CheckReport report) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CheckJson.writeDocument(report, null, out);
        return out.toString(StandardCharsets.UTF_8);
    }
}
