package dev.weaklink.fleet.intake;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weaklink.fleet.intake.NodeInventory.Dkms;
import dev.weaklink.fleet.intake.NodeInventory.LibraryFinding;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodeInventory.NodeKernel;
import dev.weaklink.fleet.intake.NodeInventory.NodeTrial;
import dev.weaklink.fleet.intake.NodeInventory.Package;
import dev.weaklink.fleet.intake.NodeInventory.RunningModule;
import dev.weaklink.fleet.intake.NodeInventory.Signature;
import dev.weaklink.fleet.intake.NodeInventory.Userspace;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.UnreadableException.UnreadableKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects the facts about a node from the keys of one JSON object, in any order. */
final class InventoryDraft {
    static final String SCHEMA = "weaklink.node/1";
    private static final String PROBLEMS = "problems";

    /**
     * The maximum length of a string in characters. Real names, paths (PATH_MAX), versions and releases are shorter.
     * The limit bounds memory, because each string may be repeated many times.
     */
    private static final int MOST_CHARACTERS = 4096;

    private static final Set<String> KEYS = Set.of(
            "schema",
            "node",
            "running",
            "ofed",
            "security",
            "kernels",
            "modules",
            "loaded",
            "dkms",
            "trials",
            "packages",
            "tables",
            "userspace",
            PROBLEMS);

    private @Nullable String schema;
    private @Nullable String node;
    private @Nullable String running;
    private @Nullable String ofed;
    private NodePolicy policy = NodePolicy.PERMISSIVE;
    private @Nullable List<NodeKernel> kernels;
    private @Nullable List<Module> modules;
    private final List<RunningModule> loaded = new ArrayList<>();
    private final List<Dkms> dkms = new ArrayList<>();
    private final List<NodeTrial> trials = new ArrayList<>();
    private final List<Package> packages = new ArrayList<>();
    private @Nullable Userspace userspace;
    private final ModuleTables tables;
    private int unread;
    private long tableLength;

    InventoryDraft(ModuleTables tables) {
        this.tables = tables;
    }

    boolean take(String key, JsonParser json) throws IOException {
        switch (key) {
            case "schema" -> schema = text(key, json);
            case "node" -> node = text(key, json);
            case "running" -> running = text(key, json);
            case "ofed" -> ofed = text(key, json);
            case "security" -> policy = policy(item(key, json));
            case "kernels" -> kernels = items(key, json, InventoryDraft::kernel);
            case "modules" -> modules = items(key, json, InventoryDraft::module);
            case "loaded" -> loaded.addAll(items(key, json, InventoryDraft::loaded));
            case "dkms" -> dkms.addAll(items(key, json, InventoryDraft::dkms));
            case "trials" -> trials.addAll(items(key, json, InventoryDraft::trial));
            case "packages" -> packages.addAll(items(key, json, InventoryDraft::installed));
            case "userspace" -> userspace = userspace(json);
            case "tables" -> readTables(json);
            case PROBLEMS -> unread += items(key, json, item -> item).size();
            default -> {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether this key shows that the object is not about a node: the key is unknown, and none of the keys
     * schema, kernels and modules came before it.
     */
    boolean isOther(String key) {
        return schema == null && kernels == null && modules == null && !KEYS.contains(key);
    }

    /**
     * Reads symbol tables. Their size does not count towards the size of the inventory, because equal tables of many
     * nodes are stored once.
     */
    private void readTables(JsonParser json) throws IOException {
        long start = json.currentLocation().getByteOffset();
        tables.read(json);
        tableLength += json.currentLocation().getByteOffset() - start;
    }

    long tableLength() {
        return tableLength;
    }

    @Nullable
    String node() {
        return node;
    }

    NodeInventory finish() throws UnreadableException {
        if (schema == null || !schema.equals(SCHEMA)) {
            throw new UnreadableException(
                    UnreadableKind.CONTENTS, schema == null ? "not a node's inventory" : "schema is not " + SCHEMA);
        }
        if (kernels == null || modules == null) {
            throw new UnreadableException(
                    UnreadableKind.CONTENTS, "'" + (kernels == null ? "kernels" : "modules") + "' is missing");
        }
        return new NodeInventory(
                running, kernels, modules, loaded, dkms, trials, packages, ofed, policy, userspace, unread);
    }

    private static NodeKernel kernel(JsonScalars item) throws UnreadableException {
        return new NodeKernel(item.require("release"), Boolean.TRUE.equals(item.truth("installed")));
    }

    private static Dkms dkms(JsonScalars item) throws UnreadableException {
        return new Dkms(item.require("module"), item.require("version"), item.get("builds"), item.get("source"));
    }

    private static NodeTrial trial(JsonScalars item) throws UnreadableException {
        return new NodeTrial(
                item.require("product"),
                item.require("kernel"),
                item.require("result"),
                item.get("line"),
                item.require("day"),
                item.require("source"));
    }

    private static Package installed(JsonScalars item) throws UnreadableException {
        return new Package(item.require("name"), item.require("version"));
    }

    private static RunningModule loaded(JsonScalars item) throws UnreadableException {
        return new RunningModule(item.require("name"), item.get("srcversion"), item.get("taint"));
    }

    private static Module module(JsonScalars item) throws UnreadableException {
        return new Module(
                item.require("kernel"),
                item.require("name"),
                item.require("path"),
                item.truth("used"),
                item.get("link"),
                item.get("file"),
                item.get("digest"),
                item.get("version"),
                item.get("srcversion"),
                item.get("vermagic"),
                signature(item),
                item.get("crcs"));
    }

    private static @Nullable Signature signature(JsonScalars item) {
        String kind = item.get("signature");
        return kind == null ? null : new Signature(kind, item.get("signer"), item.get("signerKey"));
    }

    private static NodePolicy policy(JsonScalars item) {
        return NodePolicy.of(item.get("secureBoot"), item.get("lockdown"), item.truth("enforced"));
    }

    private Userspace userspace(JsonParser json) throws IOException {
        require("userspace", json.currentToken() == JsonToken.START_OBJECT);
        String library = null;
        List<LibraryFinding> findings = null;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            json.nextToken();
            switch (key) {
                case "library" -> library = text(key, json);
                case "findings" -> findings = items(key, json, InventoryDraft::libraryFinding);
                default -> json.skipChildren();
            }
        }
        require("userspace", findings != null);
        return new Userspace(library, findings == null ? List.of() : findings);
    }

    private static LibraryFinding libraryFinding(JsonScalars item) throws UnreadableException {
        String packages = item.get("packages");
        return new LibraryFinding(
                item.require("id"), item.require("subject"), item.require("detail"), packages == null ? "" : packages);
    }

    private interface RowReader<T> {
        T make(JsonScalars item) throws UnreadableException;
    }

    private <T> List<T> items(String key, JsonParser json, RowReader<T> maker) throws IOException {
        require(key, json.currentToken() == JsonToken.START_ARRAY);
        List<T> items = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            JsonScalars item = item(key, json);
            requireShort(key, key.equals(PROBLEMS) || !item.hasLonger(MOST_CHARACTERS));
            items.add(maker.make(item));
        }
        return items;
    }

    private JsonScalars item(String key, JsonParser json) throws IOException {
        require(key, json.currentToken() == JsonToken.START_OBJECT);
        return JsonScalars.read(json, tables.pool());
    }

    private static String text(String key, JsonParser json) throws IOException {
        require(key, json.currentToken() == JsonToken.VALUE_STRING);
        requireShort(key, json.getTextLength() <= MOST_CHARACTERS);
        return json.getText();
    }

    private static void requireShort(String key, boolean isShort) throws UnreadableException {
        if (!isShort) {
            throw new UnreadableException(
                    UnreadableKind.CONTENTS, "'" + key + "' has more than " + MOST_CHARACTERS + " characters");
        }
    }

    private static void require(String key, boolean asExpected) throws UnreadableException {
        if (!asExpected) {
            throw new UnreadableException(UnreadableKind.CONTENTS, "'" + key + "' has the wrong type");
        }
    }
}
