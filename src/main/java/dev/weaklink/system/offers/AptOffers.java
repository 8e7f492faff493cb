package dev.weaklink.system.offers;

import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.codec.Streams;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.sys.DpkgStatus;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import dev.weaklink.system.offers.Offers.Dependent;
import dev.weaklink.system.offers.Offers.Driver;
import dev.weaklink.system.offers.Offers.Need;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the kernels that apt's package lists offer: those of Debian, Ubuntu and Proxmox. */
final class AptOffers {
    private static final String LISTS = "/var/lib/apt/lists";

    private static final String STATUS = "/var/lib/dpkg/status";
    private static final int MAX_LINE = 64 << 10;
    private static final int MAX_STANZAS = 50_000;
    private static final int MAX_NEEDS = 100;
    private static final Pattern LIST =
            Pattern.compile("(.*?)(?:_binary-[a-z0-9]+)?_Packages(?:\\.(?:lz4|gz|xz|zst|bz2|lzma))?");

    /** The name of a package that belongs to a single kernel: its kind, and the kernel's release. */
    static final Pattern OF_KERNEL =
            Pattern.compile("(?<kind>linux-image|linux-image-unsigned|linux-modules|linux-modules-extra"
                    + "|linux-headers|(?:proxmox|pve)-kernel|(?:proxmox|pve)-headers)"
                    + "-(?<release>[0-9]+\\.[0-9]+\\.[0-9][A-Za-z0-9.+~-]*?)"
                    + "(?<!-dbg|-dbgsym)(?:-unsigned|-signed)?");

    /** The versions that are unambiguous in apt's preferences. */
    private static final Pattern VERSION = Pattern.compile("[0-9][A-Za-z0-9.+~:-]*");

    private AptOffers() {}

    /** Returns whether a root directory uses dpkg; on Fedora, dpkg may be installed without being used. */
    static boolean isUsed(Root root) {
        RootText text = new RootText(root);
        return text.read(STATUS, DpkgStatus.LIMIT).contains("ok installed\n")
                || text.isDirectory(LISTS) && !RpmOffers.isUsed(root);
    }

    static boolean hasLists(Root root) {
        return new RootText(root).isDirectory(LISTS);
    }

    private static boolean isClosed(Root root) {
        try {
            Path lists = root.resolve(LISTS);
            return Files.isDirectory(lists) && !(Files.isReadable(lists) && Files.isExecutable(lists));
        } catch (IOException e) {
            return true;
        }
    }

    /**
     * Reads all lists.
     *
     * @param drivers the drivers to find other builds of
     */
    static Offers read(Root root, List<Driver> drivers) {
        Predicate<String> wanted = name -> name.startsWith("linux-")
                || name.startsWith("proxmox-")
                || name.startsWith("pve-")
                || drivers.stream().anyMatch(driver -> driver.isNamed(name));
        Map<OfferedPackage, Stanza> found = new TreeMap<>();
        List<InputProblem> problems = new ArrayList<>();
        if (isClosed(root)) {
            problems.add(new InputProblem(LISTS, "permission denied"));
        }
        for (String name : new RootText(root).names(LISTS)) {
            Matcher list = LIST.matcher(name);
            if (list.matches()) {
                String file = LISTS + "/" + name;
                read(root, file, problems, wanted, stanza -> stanza.add(list.group(1), found));
            }
        }
        Set<String> installed = new HashSet<>();
        read(root, STATUS, problems, wanted, stanza -> stanza.addInstalled(installed));
        return offers(found, installed, problems);
    }

    private static void read(
            Root root, String inside, List<InputProblem> problems, Predicate<String> wanted, Consumer<Stanza> each) {
        try {
            Path file = root.resolve(inside);
            if (!Files.exists(file)) {
                return;
            }
            try (InputStream in = Streams.openPacked(file, Limits.STREAM)) {
                if (!new Lines(wanted, each).read(in)) {
                    problems.add(new InputProblem(inside, "not a list of packages; what it offers is not known"));
                }
            }
        } catch (IOException e) {
            problems.add(new InputProblem(inside, IoReason.of(e)));
        }
    }

    private static Offers offers(
            Map<OfferedPackage, Stanza> found, Set<String> installed, List<InputProblem> problems) {
        Map<List<String>, List<Stanza>> kernels = new LinkedHashMap<>();
        List<Dependent> dependents = new ArrayList<>();
        Set<OfferedPackage> wanted = wanted(found.values(), installed);
        for (Stanza stanza : found.values()) {
            Matcher own = OF_KERNEL.matcher(stanza.name());
            if (own.matches()) {
                List<String> key = List.of(own.group("release"), stanza.version());
                kernels.computeIfAbsent(key, none -> new ArrayList<>()).add(stanza);
            } else {
                OfferedPackage offered = stanza.offered();
                dependents.add(new Dependent(offered, stanza.needs(), wanted.contains(offered), Set.of(), Map.of()));
            }
        }
        List<OfferedKernel> offered = new ArrayList<>();
        kernels.forEach((key, stanzas) -> {
            OfferedKernel kernel = kernel(key.get(0), stanzas, installed, wanted);
            if (kernel != null) {
                offered.add(kernel);
            }
        });
        offered.sort(Comparator.comparing(OfferedKernel::release, KernelReleaseOrder.INSTANCE));
        return new Offers(Offers.APT, offered, dependents, problems);
    }

    /** Returns other versions of installed packages, and their dependencies. */
    private static Set<OfferedPackage> wanted(Collection<Stanza> all, Set<String> installed) {
        Map<String, List<Stanza>> byName = new HashMap<>();
        for (Stanza one : all) {
            byName.computeIfAbsent(one.name(), name -> new ArrayList<>()).add(one);
        }
        Set<OfferedPackage> wanted = new HashSet<>();
        Deque<Need> open = new ArrayDeque<>();
        for (String name : byName.keySet()) {
            if (installed.contains(name)) {
                open.add(new Need(name, null));
            }
        }
        while (!open.isEmpty()) {
            Need need = open.remove();
            for (Stanza one : byName.getOrDefault(need.name(), List.of())) {
                boolean isMeant = need.version() == null || need.version().equals(one.version());
                if (isMeant && wanted.add(one.offered())) {
                    one.needs().forEach(open::addAll);
                }
            }
        }
        return wanted;
    }

    private static @Nullable OfferedKernel kernel(
            String release, List<Stanza> stanzas, Set<String> installed, Set<OfferedPackage> wanted) {
        Set<OfferedPackage> packages = new TreeSet<>();
        OfferedPackage headers = null;
        Stanza image = null;
        boolean isInstalled = false;
        for (Stanza stanza : stanzas) {
            packages.add(stanza.offered());
            if (stanza.name().contains("-headers-")) {
                headers = stanza.offered();
            } else if (!stanza.name().startsWith("linux-modules-")) {
                image = stanza;
                isInstalled |= installed.contains(stanza.name() + " " + stanza.version());
            }
        }
        return image == null
                ? null
                : new OfferedKernel(
                        release,
                        image.repository(),
                        List.copyOf(packages),
                        headers,
                        isInstalled,
                        !Collections.disjoint(packages, wanted),
                        null);
    }

    /** The relevant fields of a package. */
    private record Stanza(Map<String, String> fields, String repository) {
        String name() {
            return fields.getOrDefault("Package", "");
        }

        String version() {
            return fields.getOrDefault("Version", "");
        }

        OfferedPackage offered() {
            return new OfferedPackage(name(), version(), fields.getOrDefault("Architecture", ""));
        }

        void add(String list, Map<OfferedPackage, Stanza> found) {
            if (VERSION.matcher(version()).matches() && found.size() < MAX_STANZAS) {
                found.putIfAbsent(offered(), new Stanza(fields, list));
            }
        }

        void addInstalled(Set<String> installed) {
            if (fields.getOrDefault("Status", "").endsWith(" installed")) {
                installed.add(name());
                installed.add(name() + " " + version());
            }
        }

        List<List<Need>> needs() {
            List<List<Need>> needs = new ArrayList<>();
            for (String field : List.of("Pre-Depends", "Depends")) {
                for (String relation : fields.getOrDefault(field, "").split(",", -1)) {
                    List<Need> any = new ArrayList<>();
                    for (String one : relation.split("\\|", -1)) {
                        any.add(need(one.strip()));
                    }
                    if (relation.indexOf('-') >= 0 && needs.size() < MAX_NEEDS) {
                        needs.add(List.copyOf(any));
                    }
                }
            }
            return needs;
        }

        /** Parses {@code NAME:ARCHITECTURE (= VERSION)}. */
        private static Need need(String relation) {
            int space = relation.indexOf(' ');
            String name = space < 0 ? relation : relation.substring(0, space);
            int colon = name.indexOf(':');
            int equals = relation.indexOf("(= ");
            int end = relation.indexOf(')');
            return new Need(
                    colon < 0 ? name : name.substring(0, colon),
                    equals < 0 || end < equals
                            ? null
                            : relation.substring(equals + 3, end).strip());
        }
    }

    /** Parses the lines of a deb822(5) file; only the start of a long line is used. */
    private static final class Lines {
        private static final Set<String> FIELDS =
                Set.of("Package", "Version", "Architecture", "Depends", "Pre-Depends", "Status");
        private static final String PACKAGE = "Package: ";

        private final Predicate<String> names;
        private final Consumer<Stanza> each;
        private final byte[] line = new byte[MAX_LINE];
        private int length;
        private Map<String, String> fields = new LinkedHashMap<>();
        private boolean wanted;
        private boolean isList;

        Lines(Predicate<String> names, Consumer<Stanza> each) {
            this.names = names;
            this.each = each;
        }

        /** Returns false if the file is not empty but lists no package. */
        boolean read(InputStream in) throws IOException {
            byte[] chunk = new byte[MAX_LINE];
            boolean empty = true;
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                empty = false;
                for (int i = 0; i < count; i++) {
                    if (chunk[i] == '\n') {
                        line();
                        length = 0;
                    } else if (length < MAX_LINE) {
                        line[length++] = chunk[i];
                    }
                }
            }
            line();
            end();
            return empty || isList;
        }

        private void line() {
            if (length == 0) {
                end();
            } else if (line[0] == 'P' && startsWith(PACKAGE)) {
                isList = true;
                String name = text(PACKAGE.length());
                wanted = names.test(name);
                put("Package", name);
            } else if (wanted) {
                String field = text(0);
                int colon = field.indexOf(": ");
                if (colon > 0 && FIELDS.contains(field.substring(0, colon))) {
                    put(field.substring(0, colon), field.substring(colon + 2).strip());
                }
            }
        }

        private void put(String field, String value) {
            fields.put(field, value);
        }

        private boolean startsWith(String text) {
            for (int i = 0; i < text.length(); i++) {
                if (i >= length || line[i] != text.charAt(i)) {
                    return false;
                }
            }
            return true;
        }

        private String text(int from) {
            return new String(line, from, length - from, StandardCharsets.UTF_8);
        }

        private void end() {
            if (wanted) {
                each.accept(new Stanza(fields, ""));
                fields = new LinkedHashMap<>();
            }
            fields.clear();
            wanted = false;
        }
    }
}
