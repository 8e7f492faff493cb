package dev.weaklink.rebuild.run;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.format.json.JsonTree;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Diagnosis.Cause;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.Manifest.PackageResult;
import dev.weaklink.rebuild.Step;
import dev.weaklink.sys.StableId;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Renders and parses the record of a rebuild as JSON, as described by src/main/resources/schema/rebuild.json. */
final class ManifestJson {
    private ManifestJson() {}

    public static byte[] bytes(Manifest manifest) {
        return JsonOutput.line(object(
                "schema", "weaklink.rebuild/1",
                "state", manifest.state().id(),
                "version", manifest.version(),
                "kernel", manifest.kernel(),
                "backend", manifest.backend(),
                "reason", manifest.reason(),
                "inputs", manifest.inputs(),
                "digests", manifest.digests(),
                "steps", list(manifest.steps(), ManifestJson::step),
                "status", manifest.status(),
                "before", list(manifest.before(), ManifestJson::module),
                "modules", list(manifest.modules(), ManifestJson::module),
                "results", manifest.results(),
                "image", manifest.image(),
                "packages", list(manifest.packages(), ManifestJson::result),
                "failure", failure(manifest.diagnosis())));
    }

    private static Object step(Step step) {
        return object(
                "words", step.words(),
                "environment", step.environment(),
                "directory", step.directory());
    }

    private static Object module(BuiltModule module) {
        return object(
                "module", module.name(),
                "file", module.file(),
                "vermagic", module.vermagic(),
                "srcversion", module.srcversion(),
                "signed", module.signed());
    }

    private static Object result(PackageResult result) {
        return object(
                "package", result.label(),
                "state", result.state().id(),
                "reason", result.reason());
    }

    private static @Nullable Object failure(@Nullable Diagnosis diagnosis) {
        return diagnosis == null
                ? null
                : object(
                        "cause", diagnosis.cause().id(),
                        "line", diagnosis.line(),
                        "file", diagnosis.file(),
                        "next", diagnosis.next());
    }

    /** Parses a record. A missing string or list becomes empty. Returns null if the JSON is invalid or has no state. */
    public static @Nullable Manifest read(byte[] document) {
        try {
            return manifest(JsonTree.read(document));
        } catch (IOException e) {
            return null;
        }
    }

    private static Manifest manifest(JsonTree json) throws UnreadableException {
        return new Manifest(
                json.constant("state", Manifest.RunState.values()),
                text(json, "version"),
                text(json, "kernel"),
                text(json, "backend"),
                text(json, "reason"),
                textsByKey(json, "inputs"),
                textsByKey(json, "digests"),
                json.listIfAny(
                        "steps", step -> new Step("", step.textsIfAny("words"), textsByKey(step, "environment"), null)),
                json.has("status") ? (int) json.longNumber("status") : null,
                json.listIfAny("before", ManifestJson::module),
                json.listIfAny("modules", ManifestJson::module),
                json.textsIfAny("results"),
                json.textsIfAny("image"),
                json.listIfAny(
                        "packages",
                        result -> new PackageResult(
                                text(result, "package"),
                                result.constant("state", PackageResult.PackageState.values()),
                                text(result, "reason"))),
                json.has("failure") ? diagnosis(json.object("failure")) : null);
    }

    private static BuiltModule module(JsonTree module) throws UnreadableException {
        return new BuiltModule(
                text(module, "module"),
                "",
                text(module, "file"),
                text(module, "vermagic"),
                text(module, "srcversion"),
                List.of(),
                module.isTrue("signed"));
    }

    private static Diagnosis diagnosis(JsonTree failure) throws UnreadableException {
        Cause cause = StableId.of(text(failure, "cause"), List.of(Cause.values()));
        return new Diagnosis(
                cause == null ? Cause.UNKNOWN : cause,
                text(failure, "line"),
                text(failure, "file"),
                text(failure, "next"));
    }

    private static String text(JsonTree json, String key) throws UnreadableException {
        return json.hasText(key) ? json.require(key) : "";
    }

    private static Map<String, String> textsByKey(JsonTree json, String key) throws UnreadableException {
        return json.has(key) ? json.object(key).allTexts() : Map.of();
    }
}
