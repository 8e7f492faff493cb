package dev.weaklink.system.offers;

import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.codec.Streams;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.kernel.RpmOrder;
import dev.weaklink.sys.DpkgStatus;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.RepositoryKernel;
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
    private static final int MAX_MEMORY = 64 << 20;

    private static final String TOO_LARGE =
            "packages of kernels and drivers, with their dependencies, need more than " + (MAX_MEMORY >> 20) + " MiB";

    private static final String FEWER = "; some were not read; remove apt sources that this machine does not need";
    private static final int MAX_NEEDS = 100;
    private static final int MAX_ALTERNATIVES = 20;
    private static final Pattern LIST =
            Pattern.compile("(.*?)(?:_binary-[a-z0-9]+)?_Packages(?:\\.(?:lz4|gz|xz|zst|bz2|lzma))?");

    /**
     * The names of packages on which Debian's and Ubuntu's headers packages depend: headers that flavours share, and
     * build scripts.
     */
    private static final Pattern SHARED_HEADERS =
            Pattern.compile("linux-(?:kbuild-[a-z0-9.+-]+|(?:[a-z0-9.+-]+-)?headers-[a-z0-9.+-]+)");

    private static final Pattern VERSION = Pattern.compile("[0-9][A-Za-z0-9.+~:-]*");

    private AptOffers() {}

    /**
     * Returns whether the system below a root directory uses dpkg. On Fedora, dpkg may be installed without being used.
     */
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

    static Offers read(Root root, List<Driver> drivers) {
        Predicate<String> wanted = name -> name.startsWith("linux-")
                || name.startsWith("proxmox-")
                || name.startsWith("pve-")
                || drivers.stream().anyMatch(driver -> driver.isNamed(name));
        Map<OfferedPackage, Stanza> found = new TreeMap<>();
        Budget budget = new Budget();
        List<InputProblem> problems = new ArrayList<>();
        if (isClosed(root)) {
            problems.add(new InputProblem(LISTS, "permission denied"));
        }
        for (String name : new RootText(root).names(LISTS)) {
            Matcher list = LIST.matcher(name);
            if (list.matches()) {
                String file = LISTS + "/" + name;
                read(root, file, problems, wanted, stanza -> stanza.add(list.group(1), found, budget));
            }
        }
        if (found.size() == MAX_STANZAS) {
            problems.add(
                    new InputProblem(LISTS, "more than " + MAX_STANZAS + " packages of kernels and drivers" + FEWER));
        } else if (budget.isExceeded) {
            problems.add(new InputProblem(LISTS, TOO_LARGE + FEWER));
        }
        Set<String> installed = new HashSet<>();
        Budget ofInstalled = new Budget();
        read(root, STATUS, problems, wanted, stanza -> stanza.addInstalled(installed, ofInstalled));
        if (ofInstalled.isExceeded) {
            problems.add(new InputProblem(STATUS, TOO_LARGE + "; some were not read"));
        }
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
                if (!new StanzaParser(wanted, each).read(in)) {
                    problems.add(new InputProblem(inside, "not a valid package list; skipped"));
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
            Matcher own = RepositoryKernel.DEB_NAME.matcher(stanza.name());
            if (own.matches()) {
                List<String> key = List.of(own.group("release"), stanza.version());
                kernels.computeIfAbsent(key, none -> new ArrayList<>()).add(stanza);
            } else {
                boolean isWanted = wanted.contains(stanza.offered());
                dependents.add(new Dependent(stanza.offered(), stanza.needs(), isWanted, Set.of(), Map.of()));
            }
        }
        Map<Need, Stanza> newest = new HashMap<>();
        for (Stanza stanza : found.values()) {
            if (SHARED_HEADERS.matcher(stanza.name()).matches()) {
                newest.merge(new Need(stanza.name(), null), stanza, AptOffers::newer);
                newest.merge(new Need(stanza.name(), stanza.version()), stanza, AptOffers::newer);
            }
        }
        List<OfferedKernel> offered = new ArrayList<>();
        kernels.forEach((key, stanzas) -> {
            OfferedKernel kernel = kernel(key.get(0), stanzas, installed, wanted, newest);
            if (kernel != null) {
                offered.add(kernel);
            }
        });
        offered.sort(Comparator.comparing(OfferedKernel::release, KernelReleaseOrder.INSTANCE)
                .thenComparing(kernel -> kernel.packages().get(0).version(), RpmOrder::compareWhole));
        return new Offers(Offers.APT, offered, dependents, problems);
    }

    private static Set<OfferedPackage> wanted(Collection<Stanza> all, Set<String> installed) {
        Map<Need, List<Stanza>> meant = new HashMap<>();
        Set<OfferedPackage> wanted = new HashSet<>();
        Set<Need> known = new HashSet<>();
        Deque<Need> open = new ArrayDeque<>();
        for (Stanza one : all) {
            Need any = new Need(one.name(), null);
            meant.computeIfAbsent(any, need -> new ArrayList<>()).add(one);
            meant.computeIfAbsent(new Need(one.name(), one.version()), need -> new ArrayList<>())
                    .add(one);
            if (installed.contains(one.name()) && known.add(any)) {
                open.add(any);
            }
        }
        while (!open.isEmpty()) {
            for (Stanza one : meant.getOrDefault(open.remove(), List.of())) {
                if (wanted.add(one.offered())) {
                    for (List<Need> any : one.needs()) {
                        any.stream().filter(known::add).forEach(open::add);
                    }
                }
            }
        }
        return wanted;
    }

    private static @Nullable OfferedKernel kernel(
            String release,
            List<Stanza> stanzas,
            Set<String> installed,
            Set<OfferedPackage> wanted,
            Map<Need, Stanza> newest) {
        Set<OfferedPackage> packages = new TreeSet<>();
        Stanza headers = null;
        Stanza image = null;
        boolean isInstalled = false;
        for (Stanza stanza : stanzas) {
            packages.add(stanza.offered());
            if (stanza.name().contains("-headers-")) {
                headers = stanza;
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
                        headers == null ? null : headers.offered(),
                        headers == null ? List.of() : sharedHeaders(headers, newest),
                        isInstalled,
                        !Collections.disjoint(packages, wanted),
                        null);
    }

    private static List<OfferedPackage> sharedHeaders(Stanza headers, Map<Need, Stanza> newest) {
        Set<OfferedPackage> shared = new TreeSet<>();
        for (List<Need> any : headers.needs()) {
            for (Need need : any) {
                Stanza found = newest.get(need);
                if (found != null) {
                    shared.add(found.offered());
                }
            }
        }
        return List.copyOf(shared);
    }

    private static Stanza newer(Stanza first, Stanza second) {
        return RpmOrder.compareWhole(second.version(), first.version()) > 0 ? second : first;
    }

    /** A memory budget in bytes for packages and their relations, because a list may have any size. */
    private static final class Budget {
        /**
         * The remaining bytes. The kernels of a large distribution, with the packages that depend on them, need less
         * than a tenth of the initial value.
         */
        private long left = MAX_MEMORY;

        private boolean isExceeded;

        boolean spend(long bytes) {
            isExceeded |= bytes > left;
            left -= isExceeded ? 0 : bytes;
            return !isExceeded;
        }
    }

    /**
     * A package of a list, with its dependencies on packages of kernels and drivers.
     *
     * @param installed true if dpkg's status file marks the package as installed
     * @param repository the name of the apt list that contains the package; empty for dpkg's status file
     */
    private record Stanza(OfferedPackage offered, boolean installed, List<List<Need>> needs, String repository) {
        /** The approximate size in memory of an object with two short strings, in bytes. */
        private static final int OVERHEAD = 160;

        static Stanza of(Map<String, String> fields, Predicate<String> names) {
            return new Stanza(
                    new OfferedPackage(
                            fields.getOrDefault("Package", ""),
                            fields.getOrDefault("Version", ""),
                            fields.getOrDefault("Architecture", "")),
                    fields.getOrDefault("Status", "").endsWith(" installed"),
                    needs(fields, names),
                    "");
        }

        String name() {
            return offered.name();
        }

        String version() {
            return offered.version();
        }

        void add(String list, Map<OfferedPackage, Stanza> found, Budget budget) {
            if (VERSION.matcher(version()).matches()
                    && found.size() < MAX_STANZAS
                    && !found.containsKey(offered)
                    && budget.spend(size())) {
                found.put(offered, new Stanza(offered, installed, needs, list));
            }
        }

        private long size() {
            long size = 2L * OVERHEAD + name().length() + version().length();
            for (List<Need> any : needs) {
                for (Need need : any) {
                    size += OVERHEAD + need.name().length();
                    size += need.version() == null ? 0 : need.version().length();
                }
            }
            return size;
        }

        void addInstalled(Set<String> among, Budget budget) {
            if (installed
                    && budget.spend(
                            2L * OVERHEAD + 2L * name().length() + version().length())) {
                among.add(name());
                among.add(name() + " " + version());
            }
        }

        private static List<List<Need>> needs(Map<String, String> fields, Predicate<String> names) {
            List<List<Need>> needs = new ArrayList<>();
            for (String field : List.of("Pre-Depends", "Depends")) {
                String relations = fields.getOrDefault(field, "");
                int end = -1;
                while (end < relations.length() && needs.size() < MAX_NEEDS) {
                    int start = end + 1;
                    int comma = relations.indexOf(',', start);
                    end = comma < 0 ? relations.length() : comma;
                    List<Need> any = alternatives(relations.substring(start, end));
                    if (any.stream().anyMatch(need -> names.test(need.name()))) {
                        needs.add(any);
                    }
                }
            }
            return List.copyOf(needs);
        }

        private static List<Need> alternatives(String relation) {
            String[] alternatives = relation.split("\\|", MAX_ALTERNATIVES + 1);
            if (alternatives.length > MAX_ALTERNATIVES) {
                return List.of();
            }
            List<Need> any = new ArrayList<>();
            for (String one : alternatives) {
                any.add(need(one.strip()));
            }
            return List.copyOf(any);
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
    private static final class StanzaParser {
        private static final Set<String> FIELDS =
                Set.of("Package", "Version", "Architecture", "Depends", "Pre-Depends", "Status");
        private static final String PACKAGE = "Package: ";

        private final Predicate<String> names;
        private final Consumer<Stanza> each;
        private final byte[] line = new byte[MAX_LINE];
        private int length;
        private final Map<String, String> fields = new LinkedHashMap<>();
        private boolean wanted;
        private boolean isList;

        StanzaParser(Predicate<String> names, Consumer<Stanza> each) {
            this.names = names;
            this.each = each;
        }

        /** Reads a list; returns false if the file is not empty but lists no package. */
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
                each.accept(Stanza.of(fields, names));
            }
            fields.clear();
            wanted = false;
        }
    }
}
