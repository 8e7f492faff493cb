package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Bundle;
import dev.weaklink.rebuild.Evidence;
import dev.weaklink.rebuild.Evidence.RebuildProduct;
import dev.weaklink.rebuild.Evidence.RebuildProduct.ProductKind;
import dev.weaklink.rebuild.OpenWrtPackages;
import dev.weaklink.rebuild.Platform;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.yaml.RulesReader;
import dev.weaklink.rules.yaml.RulesReader.RulesResult;
import dev.weaklink.rules.yaml.RulesReader.RulesResult.Good;
import dev.weaklink.sys.DpkgStatus;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.DatabaseCopy;
import dev.weaklink.system.DkmsReader;
import dev.weaklink.system.RpmDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

public final class EvidenceReader {
    private static final String DOCA_TOOL = "/opt/mellanox/doca/tools/doca-kernel-support";
    private static final int OPENWRT_LIMIT = 16 << 20;

    private EvidenceReader() {}

    /** Reads the evidence of a system. If a rule is invalid, no rules are used. */
    public static Evidence read(Root root, @Nullable Bundle bundle) {
        return read(root, bundle, RulesReader.read(root) instanceof Good good ? good.rules() : Rules.NONE);
    }

    static Evidence read(Root root, @Nullable Bundle bundle, Rules rules) {
        RootText text = new RootText(root);
        InstalledOfed ofed = InstalledOfed.read(root);
        return new Evidence(
                OsRelease.read(root),
                new ArrayList<>(ofed.found.values()),
                DkmsReader.read(root),
                text.isFile(DOCA_TOOL) ? DOCA_TOOL : null,
                bundle,
                rules,
                ofed.unread);
    }

    /**
     * Returns the rules that apply to a system.
     *
     * @throws NotDoneException if a rule is invalid
     */
    static Rules rules(Root root) throws NotDoneException {
        RulesResult result = RulesReader.read(root);
        if (result instanceof RulesResult.Bad bad) {
            throw new NotDoneException(bad.problems().get(0)
                    + "; fix the rules first ('weaklink rules check"
                    + root.words()
                    + "'); nothing is built until then");
        }
        return ((Good) result).rules();
    }

    /**
     * Returns the module packages in OpenWrt's package database: apk's database if it exists, else opkg's.
     *
     * @param directory the root directory of the system, null for the host
     * @return null if the system is not OpenWrt
     * @throws IOException if the root directory does not exist
     */
    public static @Nullable OpenWrtPackages openWrt(@Nullable Path directory) throws IOException {
        Root root = Root.of(directory);
        if (OsRelease.read(root).family() != Platform.Family.OPENWRT) {
            return null;
        }
        RootText text = new RootText(root);
        String apk = text.read("/lib/apk/db/installed", OPENWRT_LIMIT);
        return apk.isEmpty()
                ? OpenWrtPackages.ofOpkg(lines(text.read("/usr/lib/opkg/status", OPENWRT_LIMIT)))
                : OpenWrtPackages.ofApk(lines(apk));
    }

    private static List<String> lines(String text) {
        return List.of(text.split("\n", -1));
    }

    /**
     * The installed products of Mellanox. The sources are {@code ofed_info} (a script that contains the version),
     * {@code /usr/share/doca-host-*}, Debian's package database and, if these name no product, rpm's database.
     */
    private static final class InstalledOfed {
        private static final int OFED_INFO_LIMIT = 1 << 20;
        private static final Duration RPM_LIMIT = Duration.ofSeconds(20);

        private static final List<String> PACKAGES = List.of(
                "mlnx-ofa_kernel",
                "kmod-mlnx-ofa_kernel",
                "mlnx-ofa_kernel-modules",
                "mlnx-ofed-kernel-dkms",
                "mlnx-ofed-kernel-modules",
                "mlnx-en-utils",
                "mlnx-en-dkms",
                "doca-host",
                "doca-extra",
                "doca-ofed");

        private final Root root;
        private final RootText text;
        private final Map<ProductKind, RebuildProduct> found = new EnumMap<>(ProductKind.class);
        private @Nullable String unread;

        private InstalledOfed(Root root) {
            this.root = root;
            this.text = new RootText(root);
        }

        static InstalledOfed read(Root root) {
            InstalledOfed products = new InstalledOfed(root);
            products.ofedInfo();
            products.docaHost();
            products.dpkg();
            if (products.found.isEmpty()) {
                products.rpm();
            }
            return products;
        }

        private void ofedInfo() {
            String script = text.read("/usr/bin/ofed_info", OFED_INFO_LIMIT);
            add(ProductKind.MLNX_OFED, versionAfter(script, "MLNX_OFED_LINUX-"), "ofed_info");
            add(ProductKind.MLNX_EN, versionAfter(script, "mlnx-en-"), "ofed_info");
            add(ProductKind.DOCA_OFED, versionAfter(script, "OFED-internal-"), "ofed_info");
        }

        private void docaHost() {
            for (String name : text.names("/usr/share")) {
                if (name.startsWith("doca-host-")) {
                    String version = name.substring("doca-host-".length());
                    found.remove(ProductKind.DOCA_OFED);
                    add(ProductKind.DOCA_OFED, version, "/usr/share/" + name);
                }
            }
        }

        private void add(ProductKind kind, String version, String evidence) {
            if (!version.isEmpty()) {
                found.putIfAbsent(kind, new RebuildProduct(kind, version, evidence));
            }
        }

        /**
         * Returns the version that follows a product's name: digits, dots and dashes. Skips a name that no digit
         * follows. Returns an empty string if there is no version.
         */
        static String versionAfter(String script, String name) {
            int start = script.indexOf(name);
            while (start >= 0) {
                int from = start + name.length();
                int end = from;
                while (end < script.length()
                        && (Character.isDigit(script.charAt(end)) || ".-".indexOf(script.charAt(end)) >= 0)) {
                    end++;
                }
                if (end > from && Character.isDigit(script.charAt(from))) {
                    return script.substring(from, end);
                }
                start = script.indexOf(name, from);
            }
            return "";
        }

        private void dpkg() {
            String status = text.read("/var/lib/dpkg/status", DpkgStatus.LIMIT);
            DpkgStatus.installed(status).forEach((name, version) -> {
                if (PACKAGES.contains(name)) {
                    addPackage(name, version);
                }
            });
        }

        private void addPackage(String name, String version) {
            ProductKind kind = name.startsWith("doca-")
                    ? ProductKind.DOCA_OFED
                    : name.startsWith("mlnx-en") ? ProductKind.MLNX_EN : ProductKind.MLNX_OFED;
            add(kind, ofedVersion(version), "package " + name + " " + version);
        }

        /** Returns the version of the product in {@code 24.10-OFED.24.10.1.1.4.1}: {@code 24.10}. */
        private static String ofedVersion(String version) {
            int end = version.indexOf("-OFED");
            return end < 0 ? version : version.substring(0, end);
        }

        /**
         * Queries rpm's database. For a root directory other than the host's, queries a copy, because rpm writes beside
         * the database that it reads.
         */
        private void rpm() {
            try {
                RpmDatabase database = RpmDatabase.find(root);
                if (database != null && root.isHost()) {
                    rpm(database.directory());
                } else if (database != null) {
                    try (DatabaseCopy copy = database.copy()) {
                        rpm(copy.directory());
                    }
                }
            } catch (IOException e) {
                unread = "the RPM database cannot be read ("
                        + IoReason.of(e)
                        + "), so it is unknown which product of Mellanox is installed";
            }
        }

        private void rpm(Path database) throws IOException {
            List<String> words = new ArrayList<>(List.of("rpm", "--dbpath", database.toString(), "--query"));
            words.addAll(List.of("--queryformat", "%{NAME} %{VERSION}-%{RELEASE}\\n"));
            words.addAll(PACKAGES);
            ExternalCommand.Result result = ExternalCommand.of(words, RPM_LIMIT)
                    .withEnvironment(Map.of("LC_ALL", "C"))
                    .run();
            if (result.timedOut()) {
                throw new IOException("rpm " + result.reason());
            }
            for (String line : result.lines()) {
                if (line.startsWith("error:")) {
                    throw new IOException(
                            "rpm: " + line.substring("error:".length()).strip());
                }
                int blank = line.indexOf(' ');
                if (blank > 0 && PACKAGES.contains(line.substring(0, blank))) {
                    addPackage(line.substring(0, blank), line.substring(blank + 1));
                }
            }
        }
    }

    static final class OsRelease {
        private static final int LIMIT = 1 << 16;

        private OsRelease() {}

        static Platform read(Root root) {
            RootText text = new RootText(root);
            String content = text.read("/etc/os-release", LIMIT);
            if (content.isEmpty()) {
                content = text.read("/usr/lib/os-release", LIMIT);
            }
            Map<String, String> values = new HashMap<>();
            for (String line : content.split("\n", -1)) {
                int equals = line.indexOf('=');
                if (equals > 0) {
                    values.putIfAbsent(line.substring(0, equals).strip(), unquoted(line.substring(equals + 1)));
                }
            }
            String id = values.getOrDefault("ID", "");
            String like = values.getOrDefault("ID_LIKE", "").strip();
            return new Platform(id, like.isEmpty() ? List.of() : List.of(like.split(" +")), version(id, values, text));
        }

        /**
         * Returns the version. For Debian, reads debian_version, because Debian's os-release has only the major
         * version.
         */
        private static String version(String id, Map<String, String> values, RootText text) {
            String version = values.getOrDefault("VERSION_ID", "");
            if (id.equals("debian")) {
                String finer = text.read("/etc/debian_version", 64).strip();
                return finer.startsWith(version + ".") ? finer : version;
            }
            return version;
        }

        private static String unquoted(String value) {
            String bare = value.strip();
            int last = bare.length() - 1;
            boolean quoted = last > 0
                    && (bare.charAt(0) == '"' || bare.charAt(0) == '\'')
                    && bare.charAt(last) == bare.charAt(0);
            return quoted ? bare.substring(1, last) : bare;
        }
    }
}
