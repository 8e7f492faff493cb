package dev.weaklink.check.userspace;

import dev.weaklink.check.userspace.Libraries.Library;
import dev.weaklink.check.userspace.SharedLibrary.LibraryImport;
import dev.weaklink.check.userspace.SharedLibrary.RequiredVersion;
import dev.weaklink.check.userspace.UserspaceFinding.LibraryDefect;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.ModuleTree.ModuleFile;
import dev.weaklink.system.PackageOwners;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks that libibverbs and its providers match each other and the kernel. Finds every provider named in a .driver
 * file, and simulates the steps by which libibverbs and the dynamic linker load it (rdma-core
 * libibverbs/dynamic_driver.c). The check loads no library.
 */
public final class UserspaceCheck {
    private static final String PRIVATE = "IBVERBS_PRIVATE_";

    private final Root root;
    private final RootText text;
    private final Libraries libraries;
    private final List<UserspaceFinding> findings = new ArrayList<>();
    private final Map<String, ProviderTable> tables = new TreeMap<>();
    private final TreeSet<String> loaded = new TreeSet<>();

    private UserspaceCheck(Root root) {
        this.root = root;
        this.text = new RootText(root);
        this.libraries = new Libraries(root);
    }

    public static UserspaceReport of(Root root) {
        return new UserspaceCheck(root).report();
    }

    private UserspaceReport report() {
        Library library = libraries.find(VerbsLibrary.SONAME, List.of(), null);
        SharedLibrary contents = library == null ? null : library.contents();
        if (library == null) {
            return new UserspaceReport(null, "", "", List.of(), List.of(), List.of());
        }
        if (contents == null) {
            add(LibraryDefect.LIBRARY_UNREADABLE, library.inside(), library.reason(), library.inside());
            return new UserspaceReport(library.inside(), "", "", List.of(), List.of(), findings);
        }
        VerbsLibrary verbs = VerbsLibrary.of(bytes(library));
        DriverFiles files = DriverFiles.read(verbs.configuration(), text);
        findings.addAll(files.problems());
        files.drivers().forEach((driver, file) -> provider(driver, file, verbs, contents.identity()));
        otherFiles(verbs, files.drivers().keySet());
        secondLibrary(library, contents.identity());
        VerbsDevices devices = VerbsDevices.judge(text, tables);
        findings.addAll(devices.findings());
        Map<String, String> owners = owners(library);
        String owner = owners.getOrDefault(library.inside(), "");
        findings.addAll(KernelStack.judge(root, library.inside(), owner));
        return new UserspaceReport(
                library.inside(),
                owner,
                privateVersion(contents),
                List.copyOf(loaded),
                devices.served(),
                named(owners));
    }

    /**
     * Returns the private version of libibverbs, empty if the library has none. No build of rdma-core defines more than
     * one.
     */
    private static String privateVersion(SharedLibrary contents) {
        String found = "";
        for (String version : new TreeSet<>(contents.versions())) {
            found = version.startsWith(PRIVATE) ? version : found;
        }
        return found;
    }

    private byte[] bytes(Library library) {
        try {
            return Libraries.bytes(root.resolve(library.inside()));
        } catch (IOException e) {
            return new byte[0];
        }
    }

    private void provider(String driver, String file, VerbsLibrary verbs, ElfIdentity identity) {
        String name = "lib" + driver + verbs.suffix();
        Library library;
        if (driver.startsWith("/")) {
            library = libraries.open(driver + verbs.suffix());
        } else {
            List<String> first = verbs.providers().isEmpty() ? List.of() : List.of(verbs.providers());
            library = libraries.find(name, first, identity);
        }
        if (library == null) {
            add(LibraryDefect.PROVIDER_MISSING, driver, file + " names it; " + name + " does not exist", file);
            return;
        }
        DynamicLinker.Refusal refusal = DynamicLinker.load(library, libraries);
        if (refusal != null) {
            findings.add(UserspaceFinding.of(refusal.kind(), driver, refusal.message(), refusal.files()));
            return;
        }
        loaded.add(driver);
        try {
            ProviderTable table = ProviderTable.read(bytes(library), driver);
            if (table != null) {
                tables.put(driver, table);
            }
        } catch (UnreadableException e) {
            // the library was replaced since it was first read: the supported ABI stays unknown
            return;
        }
    }

    private void otherFiles(VerbsLibrary verbs, Iterable<String> drivers) {
        if (verbs.providers().isEmpty()) {
            return;
        }
        TreeSet<String> named = new TreeSet<>();
        drivers.forEach(driver ->
                named.add((driver.startsWith("/") ? driver : verbs.providers() + "/lib" + driver) + verbs.suffix()));
        for (String name : text.names(verbs.providers())) {
            String file = verbs.providers() + "/" + name;
            if (!name.matches("lib.+-rdmav[0-9]+\\.so") || named.contains(file)) {
                continue;
            }
            if (name.endsWith(verbs.suffix())) {
                add(
                        LibraryDefect.PROVIDER_NOT_CONFIGURED,
                        file,
                        "no file in " + verbs.configuration() + " names it",
                        file);
            } else {
                add(LibraryDefect.PROVIDER_LEFT_OVER, file, "libibverbs loads lib*" + verbs.suffix(), file);
            }
        }
    }

    private void secondLibrary(Library used, ElfIdentity identity) {
        TreeSet<String> others = new TreeSet<>();
        for (String directory : libraries.directories()) {
            Library other = libraries.open(directory + "/" + VerbsLibrary.SONAME);
            SharedLibrary contents = other == null ? null : other.contents();
            if (other != null
                    && contents != null
                    && !other.inside().equals(used.inside())
                    && Libraries.sameMachine(contents.identity(), identity)) {
                others.add(other.inside());
            }
        }
        for (String other : others) {
            add(LibraryDefect.SECOND_LIBRARY, other, "programs load " + used.inside(), used.inside(), other);
        }
    }

    private void add(LibraryDefect kind, String subject, String detail, String... files) {
        findings.add(UserspaceFinding.of(kind, subject, detail, List.of(files)));
    }

    private Map<String, String> owners(Library library) {
        TreeSet<String> files = new TreeSet<>(List.of(library.inside()));
        findings.forEach(finding -> files.addAll(finding.files()));
        return PackageOwners.of(files, root);
    }

    private List<UserspaceFinding> named(Map<String, String> owners) {
        List<UserspaceFinding> named = new ArrayList<>();
        for (UserspaceFinding finding : findings) {
            TreeSet<String> packages = new TreeSet<>();
            finding.files().forEach(file -> packages.add(owners.getOrDefault(file, "")));
            packages.remove("");
            named.add(finding.with(packages));
        }
        named.sort(Comparator.comparing(
                        (UserspaceFinding finding) -> !finding.kind().isFailure())
                .thenComparing(UserspaceFinding::kind)
                .thenComparing(UserspaceFinding::subject));
        return named;
    }

    /** The .driver files, read as libibverbs/dynamic_driver.c:read_config_file does. */
    private record DriverFiles(TreeMap<String, String> drivers, List<UserspaceFinding> problems) {
        private static final int LIMIT = 64 << 10;
        private static final int MOST = 1000;

        /**
         * Reads a directory of .driver files.
         *
         * @return the drivers, each with the first file that names it, and the invalid lines
         */
        static DriverFiles read(String directory, RootText text) {
            DriverFiles files = new DriverFiles(new TreeMap<>(), new ArrayList<>());
            for (String name : text.names(directory)) {
                String file = directory + "/" + name;
                for (String line : text.read(file, LIMIT).split("\n", -1)) {
                    files.line(line.replaceFirst("^[\t ]+", ""), file);
                }
            }
            return files;
        }

        private void line(String line, String file) {
            if (line.isEmpty() || line.startsWith("#") || drivers.size() + problems.size() >= MOST) {
                return;
            }
            String[] words = line.split("[\t ]+", 3);
            if (words.length > 1 && words[0].equals("driver") && !words[1].isEmpty()) {
                drivers.putIfAbsent(words[1], file);
            } else {
                problems.add(UserspaceFinding.of(
                        UserspaceFinding.LibraryDefect.CONFIGURATION,
                        file,
                        "bad config directive '" + words[0] + "' is ignored",
                        List.of(file)));
            }
        }
    }

    private record VerbsDevices(List<String> served, List<UserspaceFinding> findings) {
        private static final String CLASS = "/sys/class/infiniband_verbs";

        /**
         * The lowest version of the kernel's uverbs ABI that libibverbs supports (IB_USER_VERBS_MIN_ABI_VERSION in
         * rdma-core's libibverbs/kern-abi.h).
         */
        private static final int LOWEST = 3;

        private static final int HIGHEST = 6;
        private static final int LIMIT = 4096;

        /**
         * Compares the system's devices with the providers, as check_abi_version and match_device of libibverbs/init.c
         * do.
         *
         * @param tables the tables that providers register, by provider
         */
        static VerbsDevices judge(RootText text, Map<String, ProviderTable> tables) {
            VerbsDevices devices = new VerbsDevices(new ArrayList<>(), new ArrayList<>());
            String core = text.read(CLASS + "/abi_version", LIMIT).strip();
            if (isNumber(core) && (number(core) < LOWEST || number(core) > HIGHEST)) {
                devices.add(
                        LibraryDefect.KERNEL_ABI,
                        CLASS + "/abi_version",
                        "the kernel's uverbs ABI is " + core + ", and libibverbs supports " + LOWEST + " to "
                                + HIGHEST);
            }
            for (String name : text.names(CLASS)) {
                String directory = CLASS + "/" + name;
                String device = text.read(directory + "/ibdev", LIMIT).strip();
                String abi = text.read(directory + "/abi_version", LIMIT).strip();
                if (!device.isEmpty() && isNumber(abi)) {
                    String modalias =
                            text.read(directory + "/device/modalias", LIMIT).strip();
                    devices.device(device, number(abi), modalias, tables);
                }
            }
            return devices;
        }

        private static boolean isNumber(String text) {
            return text.matches("[0-9]{1,9}");
        }

        private static long number(String text) {
            return Long.parseLong(text);
        }

        private void device(String device, long abi, String modalias, Map<String, ProviderTable> tables) {
            for (Map.Entry<String, ProviderTable> entry : tables.entrySet()) {
                ProviderTable table = entry.getValue();
                if (!table.matches("rdma_device:N" + device) && !table.matches(modalias)) {
                    continue;
                }
                String supports = entry.getKey() + " supports " + table.lowest() + " to " + table.highest();
                if (abi < table.lowest() || abi > table.highest()) {
                    add(LibraryDefect.DEVICE_ABI, device, "its driver's ABI is " + abi + ", " + supports);
                } else {
                    served.add(device + ": ABI " + abi + ", " + supports);
                }
                return;
            }
            served.add(device + ": ABI " + abi + ", provider unknown");
        }

        private void add(LibraryDefect kind, String subject, String detail) {
            findings.add(UserspaceFinding.of(kind, subject, detail, List.of()));
        }
    }

    /**
     * The check that kernel modules and libraries are of one vendor. NVIDIA's builds of rdma-core have {@code mlnx} in
     * their versions; NVIDIA's ib_uverbs is out of tree.
     */
    private static final class KernelStack {
        private static final String MODULE = "ib_uverbs";
        private static final String VENDOR = "mlnx";

        private KernelStack() {}

        /**
         * Compares the vendor of libibverbs with the vendor of the ib_uverbs that modprobe would load. If /proc below
         * the root names the running kernel, checks only that kernel, else each installed kernel.
         *
         * @param owner the package and version of libibverbs; if empty, nothing is compared
         */
        static List<UserspaceFinding> judge(Root root, String library, String owner) {
            List<UserspaceFinding> findings = new ArrayList<>();
            if (owner.isEmpty()) {
                return findings;
            }
            boolean vendorLibrary = owner.contains(VENDOR);
            for (String release : releases(root)) {
                ModuleTree tree = tree(root, release);
                ModuleFile module = tree == null ? null : tree.chosen(MODULE);
                if (tree == null || module == null) {
                    continue;
                }
                boolean inbox = module.inside().startsWith(tree.directory().inside() + "/kernel/");
                if (inbox == vendorLibrary) {
                    findings.add(UserspaceFinding.of(
                            UserspaceFinding.LibraryDefect.KERNEL_STACK,
                            release,
                            module.inside()
                                    + (inbox ? " is the kernel's own, " : " is out of tree, ")
                                    + library
                                    + (vendorLibrary ? " is MLNX_OFED's" : " is the distribution's"),
                            List.of(library)));
                }
            }
            return findings;
        }

        private static List<String> releases(Root root) {
            String running = new RootText(root).runningKernel();
            if (!running.isEmpty()) {
                return List.of(running);
            }
            try {
                return InstalledKernels.searchable(root);
            } catch (IOException e) {
                return List.of();
            }
        }

        private static @Nullable ModuleTree tree(Root root, String release) {
            try {
                return ModuleTree.scan(root, release);
            } catch (IOException e) {
                return null;
            }
        }
    }

    /**
     * The constants compiled into a libibverbs (rdma-core libibverbs/dynamic_driver.c).
     *
     * @param configuration the directory of the .driver files
     * @param providers the directory of the providers; empty if libibverbs searches for them like any library
     * @param suffix the end of a provider's file name, for example {@code -rdmav34.so}
     */
    record VerbsLibrary(String configuration, String providers, String suffix) {
        static final String SONAME = "libibverbs.so.1";
        private static final String CONFIGURATION = "/etc/libibverbs.d";
        private static final Pattern PROVIDER =
                Pattern.compile("\0((?:/[\\w.+-]{1,255}){0,40})/?lib%s([\\w.+-]{1,64}\\.so)\0");
        private static final Pattern DIRECTORY = Pattern.compile("\0((?:/[\\w.+-]{1,255}){0,40}/libibverbs\\.d)\0");

        /**
         * Finds the three strings in the library.
         *
         * @return constants with an empty suffix if the library loads no providers (a static build)
         */
        static VerbsLibrary of(byte[] file) {
            String text = new String(file, StandardCharsets.ISO_8859_1);
            String providers = "";
            String suffix = "";
            Matcher provider = PROVIDER.matcher(text);
            for (int at = 0; provider.find(at); at = provider.end() - 1) {
                suffix = provider.group(2);
                if (!provider.group(1).isEmpty()) {
                    providers = provider.group(1);
                    break;
                }
            }
            Matcher directory = DIRECTORY.matcher(text);
            return new VerbsLibrary(directory.find() ? directory.group(1) : CONFIGURATION, providers, suffix);
        }
    }

    /**
     * A simulation of dlopen(3) with RTLD_NOW in a root. The simulation finds all needed libraries, then their required
     * versions, then every symbol (glibc elf/dl-open.c, elf/dl-version.c, elf/dl-lookup.c).
     */
    private static final class DynamicLinker {
        private static final int MOST_LIBRARIES = 1000;

        private final Libraries libraries;

        private final Map<String, Library> loaded = new LinkedHashMap<>();

        private DynamicLinker(Libraries libraries) {
            this.libraries = libraries;
        }

        /**
         * The reason why a library cannot be loaded.
         *
         * @param kind the step that fails
         * @param message a message as from dlerror(3)
         * @param files the affected libraries
         */
        record Refusal(UserspaceFinding.LibraryDefect kind, String message, List<String> files) {}

        static @Nullable Refusal load(Library library, Libraries libraries) {
            DynamicLinker linker = new DynamicLinker(libraries);
            Refusal refusal = linker.map(library);
            if (refusal == null) {
                refusal = linker.checkVersions();
            }
            return refusal == null ? linker.resolveSymbols() : refusal;
        }

        private @Nullable Refusal map(Library first) {
            loaded.put(name(first), first);
            List<Library> queue = new ArrayList<>(List.of(first));
            for (int next = 0; next < queue.size() && queue.size() < MOST_LIBRARIES; next++) {
                Library library = queue.get(next);
                SharedLibrary contents = library.contents();
                if (contents == null) {
                    return new Refusal(
                            UserspaceFinding.LibraryDefect.LIBRARY_UNREADABLE,
                            library.inside() + ": " + library.reason(),
                            List.of(library.inside()));
                }
                for (String needed : contents.needed()) {
                    if (loaded.containsKey(needed)) {
                        continue;
                    }
                    Library found = find(needed, library, contents.identity());
                    if (found == null) {
                        return new Refusal(
                                UserspaceFinding.LibraryDefect.LIBRARY_MISSING,
                                needed + ": cannot open shared object file: No such file or directory",
                                List.of(library.inside()));
                    }
                    loaded.put(needed, found);
                    queue.add(found);
                }
            }
            return null;
        }

        private @Nullable Library find(String name, Library by, ElfIdentity identity) {
            List<String> first = new ArrayList<>();
            SharedLibrary contents = by.contents();
            String origin = Libraries.parent(by.inside());
            for (String directory : contents == null ? List.<String>of() : contents.searchPath()) {
                first.add(directory.replace("$ORIGIN", origin).replace("${ORIGIN}", origin));
            }
            return libraries.find(name, first, identity);
        }

        private static String name(Library library) {
            SharedLibrary contents = library.contents();
            String soname = contents == null ? null : contents.soname();
            return soname == null ? library.inside() : soname;
        }

        private @Nullable Refusal checkVersions() {
            for (Library library : loaded.values()) {
                SharedLibrary contents = library.contents();
                for (RequiredVersion demand : contents == null ? List.<RequiredVersion>of() : contents.demands()) {
                    Library asked = loaded.get(demand.library());
                    if (asked != null && lacks(asked, demand)) {
                        return new Refusal(
                                UserspaceFinding.LibraryDefect.VERSION_MISSING,
                                "%s: version `%s' not found (required by %s)"
                                        .formatted(asked.inside(), demand.version(), library.inside()),
                                List.of(library.inside(), asked.inside()));
                    }
                }
            }
            return null;
        }

        private static boolean lacks(Library library, RequiredVersion demand) {
            SharedLibrary contents = library.contents();
            return contents != null
                    && !demand.isWeak()
                    && !contents.versions().isEmpty()
                    && !contents.versions().contains(demand.version());
        }

        private @Nullable Refusal resolveSymbols() {
            List<Library> order = new ArrayList<>(loaded.values());
            for (int i = order.size() - 1; i >= 0; i--) {
                SharedLibrary contents = order.get(i).contents();
                for (LibraryImport symbol : contents == null ? List.<LibraryImport>of() : contents.imports()) {
                    if (!isOffered(symbol)) {
                        String version = symbol.version().isEmpty() ? "" : ", version " + symbol.version();
                        String library = order.get(i).inside();
                        return new Refusal(
                                UserspaceFinding.LibraryDefect.SYMBOL_MISSING,
                                library + ": undefined symbol: " + symbol.name() + version,
                                List.of(library));
                    }
                }
            }
            return null;
        }

        private boolean isOffered(LibraryImport symbol) {
            for (Library library : loaded.values()) {
                SharedLibrary contents = library.contents();
                if (contents != null && contents.offers(symbol)) {
                    return true;
                }
            }
            return false;
        }
    }
}
