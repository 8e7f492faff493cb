package dev.weaklink.system.offers;

import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.codec.Streams;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.RegularFile;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.RepositoryKernel;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import dev.weaklink.system.offers.Offers.Dependent;
import dev.weaklink.system.offers.Offers.Driver;
import dev.weaklink.system.offers.Offers.Need;
import dev.weaklink.system.offers.RepositoryXml.Tag;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the kernels that the repositories of dnf and zypper offer, from downloaded metadata: {@code repomd.xml} and the
 * {@code primary.xml} to which it refers.
 */
final class RpmOffers {
    private static final List<String> CACHES = List.of("/var/cache/dnf", "/var/cache/libdnf5", "/var/cache/zypp/raw");

    private static final List<String> CONFIGURATIONS = List.of(
            "/etc/yum.repos.d",
            "/etc/yum/repos.d",
            "/etc/distro.repos.d",
            "/etc/zypp/repos.d",
            "/etc/dnf/repos.override.d");

    private static final Pattern ENABLED = Pattern.compile("enabled\\s*[=:]\\s*(.*)");
    private static final Set<String> DISABLED = Set.of("0", "no", "false", "off");
    private static final int MOST_CONFIGURATION = 1 << 20;

    private static final String REPOMD = "/repodata/repomd.xml";

    /** The prefix of a declaration {@code kmod(NAME.ko)} that a package contains a module. */
    private static final String MODULE = "kmod(";

    private static final int MOST_REPOSITORIES = 500;

    private static final int MOST_PARTS = 5000;

    private static final int MOST_PACKAGES = 40;
    private static final Map<String, String> DIGESTS =
            Map.of("sha256", "SHA-256", "sha384", "SHA-384", "sha512", "SHA-512");

    /** A name that dnf, zypper and terminals accept unchanged and that is not a path. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._+~^-]{0,150}");

    private static final Pattern RELEASE_NAME = Pattern.compile("[0-9][A-Za-z0-9._+~-]{0,120}");

    private final PublishedSymbols.Wanted wanted;
    private final List<Driver> drivers;
    private final Map<List<String>, KernelPackages> groups = new LinkedHashMap<>();
    private final Map<OfferedPackage, Dependent> builds = new TreeMap<>();
    private final List<InputProblem> problems = new ArrayList<>();

    private RpmOffers(Set<String> symbols, List<Driver> drivers) {
        this.drivers = drivers;
        wanted = new PublishedSymbols.Wanted(symbols);
    }

    static boolean isUsed(Root root) {
        return !repositories(root).isEmpty();
    }

    /**
     * Reads the metadata of all enabled repositories. If a file's checksum differs from that in {@code repomd.xml}, the
     * file is not used and a problem is added.
     *
     * @param symbols the kernel symbols to look for
     * @param installed the releases of installed kernels
     * @param drivers the drivers to find other builds of
     */
    static Offers read(Root root, Set<String> symbols, Set<String> installed, List<Driver> drivers) {
        RpmOffers offers = new RpmOffers(symbols, drivers);
        for (String repository : repositories(root)) {
            offers.repository(root, repository);
        }
        offers.addBases();
        List<OfferedKernel> kernels = new ArrayList<>();
        for (KernelPackages group : offers.groups.values()) {
            OfferedKernel kernel = group.kernel(installed);
            if (kernel != null) {
                kernels.add(kernel);
            }
        }
        kernels.sort(Comparator.comparing(OfferedKernel::release, KernelReleaseOrder.INSTANCE));
        return new Offers(Offers.RPM, kernels, List.copyOf(offers.builds.values()), offers.problems);
    }

    /**
     * Adds SUSE's kernel-default-base to kernel-default, so that both are held together. Both contain the same kernel;
     * the version of kernel-default-base has an additional suffix.
     */
    private void addBases() {
        for (KernelPackages base : groups.values()) {
            String plain = base.base.replaceFirst("-base$", "");
            int dot = plain.equals(base.base) ? -1 : base.version.lastIndexOf('.');
            for (; dot > 0; dot = base.version.lastIndexOf('.', dot - 1)) {
                String version = base.version.substring(0, dot);
                KernelPackages whole = groups.get(List.of(plain, version, base.architecture));
                if (whole != null) {
                    whole.packages.addAll(base.packages);
                    base.hasKernel = false;
                }
            }
        }
    }

    private static List<String> repositories(Root root) {
        RootText text = new RootText(root);
        Predicate<String> enabled = enabled(text);
        List<String> found = new ArrayList<>();
        for (String cache : CACHES) {
            for (String name : text.names(cache)) {
                if (found.size() < MOST_REPOSITORIES
                        && text.isFile(cache + "/" + name + REPOMD)
                        && enabled.test(id(name))) {
                    found.add(cache + "/" + name);
                }
            }
        }
        return found;
    }

    private static String id(String directory) {
        return directory.replaceFirst("-[0-9a-f]{16}$", "");
    }

    /**
     * Selects the enabled repositories, because the metadata of disabled repositories may remain. If no configuration
     * is found, all repositories count as enabled, because the files may be outside of the root directory. If a
     * configured name contains a variable, all repositories that are not configured count as enabled.
     */
    private static Predicate<String> enabled(RootText text) {
        Map<String, Boolean> enabled = new HashMap<>();
        for (String directory : CONFIGURATIONS) {
            for (String name : text.names(directory)) {
                if (name.endsWith(".repo") && enabled.size() < MOST_REPOSITORIES) {
                    String id = "";
                    for (String line : text.read(directory + "/" + name, MOST_CONFIGURATION)
                            .split("\n", -1)) {
                        String plain = line.strip();
                        Matcher setting = ENABLED.matcher(plain);
                        if (plain.startsWith("[") && plain.endsWith("]")) {
                            id = plain.substring(1, plain.length() - 1);
                            enabled.putIfAbsent(id, true);
                        } else if (setting.matches()) {
                            enabled.put(id, !DISABLED.contains(setting.group(1).toLowerCase(Locale.ROOT)));
                        }
                    }
                }
            }
        }
        boolean all = enabled.isEmpty() || enabled.keySet().stream().anyMatch(id -> id.contains("$"));
        return id -> enabled.getOrDefault(id, all);
    }

    private void repository(Root root, String inside) {
        String name = inside.substring(inside.lastIndexOf('/') + 1);
        List<Part> here = new ArrayList<>();
        try {
            Repomd repomd = new Repomd();
            scan(root.resolve(inside + REPOMD), repomd, "repomd");
            if (repomd.href == null) {
                return;
            }
            String file = repomd.href.substring(repomd.href.lastIndexOf('/') + 1);
            if (!PLAIN.matcher(file).matches()) {
                throw new IOException("repomd.xml contains an invalid file name for the primary metadata");
            }
            Path primary = root.resolve(inside + "/repodata/" + file);
            if (!Files.exists(primary)) {
                throw new IOException(file + " does not exist; 'dnf makecache' or 'zypper refresh' downloads it again");
            }
            BackgroundTask<Boolean> verified = BackgroundTask.start(() -> repomd.isOf(primary));
            scan(primary, new Primary(id(name), here), "metadata");
            if (!get(verified)) {
                throw new IOException(file + " does not match its checksum");
            }
        } catch (IOException e) {
            problems.add(new InputProblem(inside + REPOMD, IoReason.of(e) + "; repository not used"));
            return;
        }
        for (Part part : here) {
            if (!part.isOfKernel()) {
                builds.putIfAbsent(part.offered(), part.build());
                continue;
            }
            List<String> key = List.of(RepositoryKernel.base(part.name), part.version, part.architecture);
            groups.computeIfAbsent(key, none -> new KernelPackages(key)).add(part);
        }
    }

    private static boolean get(BackgroundTask<Boolean> task) throws IOException {
        try {
            return task.get();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void scan(Path file, RepositoryXml.Handler handler, String top) throws IOException {
        try (InputStream in = Streams.openPacked(file, Limits.STREAM)) {
            RepositoryXml.read(in, top, handler);
        }
    }

    private static final class Repomd implements RepositoryXml.Handler {
        private boolean primary;
        private @Nullable String href;
        private String kind = "";
        private String checksum = "";

        @Override
        public boolean start(Tag tag) {
            if (tag.is("data")) {
                primary = tag.text("type").equals("primary");
            } else if (primary && tag.is("location")) {
                href = tag.text("href");
            } else if (primary && tag.is("checksum")) {
                kind = tag.text("type").toLowerCase(Locale.ROOT);
                return true;
            }
            return false;
        }

        @Override
        public void text(String text) {
            checksum = text.strip().toLowerCase(Locale.ROOT);
        }

        @Override
        public void end(Tag tag) {
            primary &= !tag.is("data");
        }

        boolean isOf(Path file) throws IOException {
            String algorithm = DIGESTS.get(kind);
            if (algorithm == null) {
                throw new IOException(
                        "the checksum of the repository's primary metadata has an untrusted type: '" + kind + "'");
            }
            try (InputStream in = RegularFile.open(file)) {
                MessageDigest digest = MessageDigest.getInstance(algorithm);
                byte[] chunk = new byte[64 << 10];
                for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                    digest.update(chunk, 0, count);
                }
                return HexFormat.of().formatHex(digest.digest()).equals(checksum);
            } catch (NoSuchAlgorithmException e) {
                throw new IOException(algorithm + " is not known to this Java", e);
            }
        }
    }

    private final class Primary implements RepositoryXml.Handler {
        private final String repository;
        private final List<Part> found;
        private Part part = new Part("");
        private boolean wanted;
        private boolean provides;
        private boolean requires;

        Primary(String repository, List<Part> found) {
            this.repository = repository;
            this.found = found;
        }

        @Override
        public boolean start(Tag tag) {
            if (tag.is("package")) {
                part = new Part(repository);
                wanted = true;
            } else if (!wanted) {
                return false;
            } else if (tag.is("name") || tag.is("arch")) {
                return true;
            } else if (tag.is("version")) {
                part.version = version(tag, "-");
            } else if (tag.is("provides")) {
                provides = true;
            } else if (tag.is("requires")) {
                requires = part.isBuild();
            } else if (provides && tag.is("entry")) {
                part.provides(tag);
            } else if (requires && tag.is("entry")) {
                part.requires(tag);
            }
            return false;
        }

        @Override
        public void text(String text) {
            if (part.name.isEmpty()) {
                part.name = text.strip();
                wanted = part.isOfKernel() || !drivers.isEmpty();
                part.named = drivers.stream().anyMatch(driver -> driver.isNamed(part.name));
            } else if (part.architecture.isEmpty()) {
                part.architecture = text.strip();
            }
        }

        @Override
        public void end(Tag tag) throws IOException {
            if (tag.is("provides")) {
                provides = false;
            } else if (tag.is("requires")) {
                requires = false;
            } else if (tag.is("package")) {
                add();
                wanted = false;
                provides = false;
                requires = false;
            }
        }

        private void add() throws IOException {
            boolean plain = PLAIN.matcher(part.architecture).matches();
            String withoutEpoch = part.version.substring(part.version.indexOf(':') + 1);
            boolean counts = part.isOfKernel() || part.isBuild();
            if (wanted && counts && plain && PLAIN.matcher(part.name).matches() && isVersion(withoutEpoch)) {
                if (found.size() == MOST_PARTS) {
                    throw new IOException(
                            "the repository has more than " + MOST_PARTS + " packages of kernels and drivers");
                }
                found.add(part);
            }
        }

        private boolean isVersion(String version) {
            return PLAIN.matcher(version).matches() && version.indexOf('-') > 0;
        }
    }

    private static String version(Tag tag, String dash) {
        String epoch = tag.text("epoch");
        boolean has = epoch.matches("[1-9][0-9]{0,9}");
        String release = tag.text("rel");
        return (has ? epoch + ":" : "") + tag.text("ver") + (release.isEmpty() ? "" : dash + release);
    }

    private final class Part {
        private final String repository;
        private String name = "";
        private String architecture = "";
        private String version = "";
        private String release = "";
        private PublishedSymbols.@Nullable SymbolCollector symbols;
        private final Set<String> modules = new TreeSet<>();

        private boolean named;

        Part(String repository) {
            this.repository = repository;
        }

        boolean isOfKernel() {
            return name.startsWith("kernel");
        }

        boolean isBuild() {
            return !isOfKernel() && (named || !modules.isEmpty());
        }

        OfferedPackage offered() {
            return new OfferedPackage(name, version, architecture);
        }

        Dependent build() {
            List<List<Need>> needs =
                    release.isEmpty() ? List.of() : List.of(List.of(new Need(Offers.RELEASE, release)));
            Map<String, Integer> crcs = symbols == null ? Map.of() : symbols.crcs();
            return new Dependent(offered(), needs, false, modules, crcs);
        }

        void provides(Tag tag) {
            String name = tag.text("name");
            if (name.startsWith(MODULE) && name.endsWith(".ko)")) {
                int end = Math.max(MODULE.length(), name.length() - ".ko)".length());
                String module = ModuleNames.normalized(name.substring(MODULE.length(), end));
                if (drivers.stream().anyMatch(driver -> driver.module().equals(module))) {
                    modules.add(module);
                }
            } else if (isOfKernel()) {
                ofKernel(tag, name);
            }
        }

        void requires(Tag tag) {
            ofKernel(tag, tag.text("name"));
        }

        private void ofKernel(Tag tag, String name) {
            if (name.equals(Offers.RELEASE)) {
                String said = version(tag, "-");
                release = RELEASE_NAME.matcher(said).matches() ? said : "";
                return;
            }
            boolean ofKernel = name.startsWith("kernel(");
            int colon = name.lastIndexOf(':');
            if (!ofKernel && !name.startsWith("ksym(")
                    || !name.endsWith(")")
                    || ofKernel && colon > 0 // SUSE's hash of a set of symbols
            ) {
                return;
            }
            if (symbols == null) {
                symbols = new PublishedSymbols.SymbolCollector(wanted);
            }
            int start = Math.max(colon, ofKernel ? 6 : 4) + 1;
            int place = symbols.find(name.substring(start, name.length() - 1));
            if (place >= 0) {
                symbols.add(place, crc(tag), isOfKernel());
            }
        }

        private static @Nullable Integer crc(Tag tag) {
            String version = tag.text("ver");
            String digits = version.startsWith("0x") ? version.substring(2) : version;
            return tag.text("flags").length() == 2 && tag.text("rel").isEmpty() && isHex(digits)
                    ? (Integer) Integer.parseUnsignedInt(digits, 16)
                    : null;
        }

        private static boolean isHex(String digits) {
            return !digits.isEmpty() && digits.length() <= 8 && digits.chars().allMatch(HexFormat::isHexDigit);
        }
    }

    private final class KernelPackages {
        private final String base;
        private final String version;
        private final String architecture;
        private final Set<OfferedPackage> packages = new TreeSet<>();
        private final PublishedSymbols.SymbolCollector symbols = new PublishedSymbols.SymbolCollector(wanted);
        private final List<Integer> ofModules = new ArrayList<>();
        private int ofVmlinux;
        private boolean hasKernel;
        private String release = "";
        private String repository = "";

        KernelPackages(List<String> key) {
            base = key.get(0);
            version = key.get(1);
            architecture = key.get(2);
        }

        void add(Part part) {
            if (packages.size() == MOST_PACKAGES) {
                return;
            }
            // Two repositories may have different builds of one package; a CRC that differs between them is unknown.
            packages.add(new OfferedPackage(part.name, version, architecture));
            int count = part.symbols == null ? 0 : part.symbols.count;
            if (part.symbols != null) {
                symbols.addAll(part.symbols);
            }
            boolean isCore = part.name.equals(base + "-core");
            if (isCore || part.name.equals(base) && (count > 0 || !part.release.isEmpty())) {
                hasKernel = true;
                repository = part.repository;
                ofVmlinux += count;
                release = part.release.isEmpty() ? release : part.release;
            } else if (part.name.startsWith(base + "-modules")) {
                ofModules.add(count);
            }
        }

        @Nullable
        OfferedKernel kernel(Set<String> installed) {
            String name = release.isEmpty() ? RepositoryKernel.derived(base, version, architecture) : release;
            if (!hasKernel || !RELEASE_NAME.matcher(name).matches()) {
                return null;
            }
            return new OfferedKernel(
                    name,
                    repository,
                    List.copyOf(packages),
                    null,
                    List.of(),
                    installed.contains(name),
                    true,
                    ofVmlinux == 0 ? null : symbols.build(ofVmlinux, ofModules));
        }
    }
}
