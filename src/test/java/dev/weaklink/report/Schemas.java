package dev.weaklink.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The shipped schemas. */
public final class Schemas {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Path DIRECTORY = Path.of("src/main/resources/schema");
    private static final JsonSchemaFactory FACTORY = JsonSchemaFactory.getInstance(
            SpecVersion.VersionFlag.V202012, builder -> builder.schemaLoaders(loaders -> loaders.schemas(byId())));

    private Schemas() {}

    /** Returns the violations of the schema that the document names by its key {@code schema}. */
    public static Set<ValidationMessage> problems(String json) throws IOException {
        JsonNode document = MAPPER.readTree(json);
        String[] name = document.get("schema").asText().split("[./]");
        return problems(document, name[1]);
    }

    /** Returns the violations of the named schema. */
    public static Set<ValidationMessage> problems(JsonNode document, String name) throws IOException {
        return FACTORY.getSchema(MAPPER.readTree(text(name))).validate(document);
    }

    public static String text(String name) throws IOException {
        return Files.readString(DIRECTORY.resolve(name + ".json"));
    }

    private static Map<String, String> byId() {
        Map<String, String> schemas = new HashMap<>();
        for (String name : List.of("target", "verdict", "problem", "summary", "audit", "userspace")) {
            try {
                schemas.put("urn:weaklink:" + name + ":1", text(name));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return schemas;
    }
}
