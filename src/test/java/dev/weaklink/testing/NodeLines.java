package dev.weaklink.testing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes the inventories that nodes report, one line for each node. */
public final class NodeLines {
    private final List<String> kernels = new ArrayList<>();
    private final List<String> modules = new ArrayList<>();
    private final List<String> loaded = new ArrayList<>();
    private final List<String> dkms = new ArrayList<>();
    private final List<String> trials = new ArrayList<>();
    private final List<String> tables = new ArrayList<>();
    private final String running;
    private String security = "";

    /** Starts the inventory of a node that runs this kernel, which is installed. */
    public NodeLines(String running) {
        this.running = running;
        kernel(running);
    }

    /** Adds an installed kernel. */
    public NodeLines kernel(String release) {
        kernels.add("{\"release\":\"" + release + "\",\"installed\":true}");
        return this;
    }

    /** Sets the facts about signature enforcement, as the keys of a JSON object. */
    public NodeLines security(String keys) {
        security = keys;
        return this;
    }

    /** Adds a module in the extra directory of a kernel, with this srcversion and a digest made of it. */
    public NodeLines module(String kernel, String name, String srcversion) {
        String digest = "sha256:" + String.format(Locale.ROOT, "%064x", srcversion.hashCode());
        modules.add(
                "{\"kernel\":\"%1$s\",\"name\":\"%2$s\",\"path\":\"/lib/modules/%1$s/extra/%2$s.ko\",\"used\":true,\"digest\":\"%3$s\",\"srcversion\":\"%4$s\"}"
                        .formatted(kernel, name, digest, srcversion));
        return this;
    }

    /** Adds a dangling weak-updates link. */
    public NodeLines danglingLink(String kernel, String name) {
        modules.add(
                "{\"kernel\":\"%1$s\",\"name\":\"%2$s\",\"path\":\"/lib/modules/%1$s/weak-updates/%2$s.ko\",\"link\":\"/gone.ko\"}"
                        .formatted(kernel, name));
        return this;
    }

    /** Adds an out-of-tree module that the running kernel has loaded. */
    public NodeLines loaded(String name, String srcversion) {
        loaded.add("{\"name\":\"%s\",\"srcversion\":\"%s\",\"taint\":\"OE\"}".formatted(name, srcversion));
        return this;
    }

    /**
     * Adds a DKMS package that has built modules for the running kernel.
     *
     * @param source any text that differs for different sources
     */
    public NodeLines dkms(String product, String source, String builds) {
        dkms.add(
                "{\"module\":\"%s\",\"version\":\"%s\",\"state\":\"installed\",\"kernel\":\"%s\",\"arch\":\"x86_64\",\"builds\":\"%s\",\"source\":\"%s\"}"
                        .formatted(
                                product.substring(0, product.indexOf('/')),
                                product.substring(product.indexOf('/') + 1),
                                running,
                                builds,
                                sha256(source.getBytes(StandardCharsets.UTF_8))));
        return this;
    }

    /**
     * Adds the result of a trial build from such a source.
     *
     * @param line the first error; empty if the modules would load
     */
    public NodeLines trial(String product, String source, String kernel, String result, String line) {
        trials.add(
                "{\"product\":\"%s\",\"kernel\":\"%s\",\"result\":\"%s\",\"line\":\"%s\",\"day\":\"2026-11-26\",\"source\":\"%s\"}"
                        .formatted(product, kernel, result, line, sha256(source.getBytes(StandardCharsets.UTF_8))));
        return this;
    }

    /** A module as {@code weaklink-collect --full} reports it. The digest of its file is made of the reported facts. */
    public static final class Told {
        private final String name;
        private final String vermagic;
        private final List<String> versions = new ArrayList<>();
        private @Nullable List<String> exports;
        private String signature = "";

        public Told(String name, String vermagic) {
            this.name = name;
            this.vermagic = vermagic;
        }

        /** Adds an entry to the version table. */
        public Told version(String symbol, int crc) {
            versions.add(entry(symbol, crc));
            return this;
        }

        public Told export(String symbol, int crc) {
            export().exports().add(entry(symbol, crc));
            return this;
        }

        /** Reports that the module has no exports except the added ones; otherwise, its exports are unknown. */
        public Told export() {
            exports = exports();
            return this;
        }

        /** Reports that the module has no signature; otherwise, its signature is unknown. */
        public Told unsigned() {
            signature = ",\"signature\":\"none\"";
            return this;
        }

        private List<String> exports() {
            return exports == null ? new ArrayList<>() : exports;
        }

        private static String entry(String symbol, int crc) {
            return String.format(Locale.ROOT, "0x%08x %s", crc, symbol);
        }

        private String file() {
            return sha256((name + vermagic + versions + exports).getBytes(StandardCharsets.UTF_8));
        }

        private String crcs() {
            StringBuilder dump = new StringBuilder();
            versions.forEach(line -> dump.append(line.replace(' ', '\t')).append('\n'));
            return sha256(dump.toString().getBytes(StandardCharsets.UTF_8));
        }

        private String table() {
            return "{\"file\":\""
                    + file()
                    + "\",\"versions\":"
                    + array(versions)
                    + (exports == null ? "" : ",\"exports\":" + array(exports))
                    + "}";
        }

        private static String array(List<String> entries) {
            return entries.isEmpty() ? "[]" : "[\"" + String.join("\",\"", entries) + "\"]";
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return "sha256:" + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Adds a module and its table of symbols. The module is in the extra directory of a kernel, or at a path such as
     * {@code misc/vmmon}.
     */
    public NodeLines told(String kernel, Told module) {
        String place = module.name.indexOf('/') < 0 ? "extra/" + module.name : module.name;
        modules.add(
                "{\"kernel\":\"%1$s\",\"name\":\"%2$s\",\"path\":\"/lib/modules/%1$s/%7$s.ko\",\"used\":true,\"digest\":\"%3$s\",\"vermagic\":\"%4$s\",\"crcs\":\"%5$s\"%6$s}"
                        .formatted(
                                kernel,
                                place.substring(place.lastIndexOf('/') + 1),
                                module.file(),
                                module.vermagic,
                                module.crcs(),
                                module.signature,
                                place));
        if (!tables.contains(module.table())) {
            tables.add(module.table());
        }
        return this;
    }

    public NodeLines withoutTables() {
        tables.clear();
        return this;
    }

    /** Adds a module of which only the digest of the file is reported. */
    public NodeLines file(String kernel, String name, byte[] contents) {
        modules.add(
                "{\"kernel\":\"%1$s\",\"name\":\"%2$s\",\"path\":\"/lib/modules/%1$s/extra/%2$s.ko\",\"used\":true,\"digest\":\"%3$s\"}"
                        .formatted(kernel, name, sha256(contents)));
        return this;
    }

    /**
     * Returns the line without its line feed.
     *
     * @param node the node's name, null to leave it out
     */
    public String line(@Nullable String node) {
        return "{\"schema\":\"weaklink.node/1\","
                + (node == null ? "" : "\"node\":\"" + node + "\",")
                + "\"running\":\""
                + running
                + "\",\"security\":{"
                + security
                + "},\"kernels\":["
                + String.join(",", kernels)
                + "],\"modules\":["
                + String.join(",", modules)
                + "],\"loaded\":["
                + String.join(",", loaded)
                + "],\"dkms\":["
                + String.join(",", dkms)
                + "]"
                + (trials.isEmpty() ? "" : ",\"trials\":[" + String.join(",", trials) + "]")
                + ",\"packages\":[]"
                + (tables.isEmpty() ? "" : ",\"tables\":[" + String.join(",", tables) + "]")
                + ",\"missing\":[],\"problems\":[]}";
    }
}
