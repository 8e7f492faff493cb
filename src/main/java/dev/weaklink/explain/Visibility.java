package dev.weaklink.explain;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.sys.ShippedText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A table that lists for each source file of the kernel the structs and unions whose definitions the file includes. The
 * CRC of a symbol covers the definition of a type only if the exporting file includes the definition; otherwise
 * genksyms writes {@code UNKNOWN} instead. BTF does not record which files include a definition.
 *
 * <p>genksyms itself made each table from one kernel's source (see src/data/VisibleTypes.java). For a kernel of another
 * series, the nearest table only shows which definitions a file probably includes. If the table does not list a file,
 * the cost of a type depends on the share of files that include its definition, among those that refer to the type.
 */
final class Visibility {
    private static final String RESOURCE = "/explain/visible-types-";

    static final List<String> SERIES = List.of("6.1", "6.12");

    private static final Pattern NUMBERS = Pattern.compile("([0-9]{1,3})\\.([0-9]{1,3})(?![0-9])");

    private static final Map<String, Visibility> TABLES = new ConcurrentHashMap<>();

    /**
     * The cost of a type whose definition a source file does not include, according to the table or to an unchanged
     * CRC. A cost is -100 times the natural logarithm of the probability that the file includes the definition.
     */
    static final int HIDDEN = 800;

    /**
     * The cost of a type whose definition a file includes according to the table of another series. Between 6.1 and
     * 6.12, files stopped including one in ten of these definitions.
     */
    private static final int DOUBT = 10;

    private static final int UNKNOWN = 150;

    private record SourceFile(BitSet complete, BitSet incomplete) {}

    private final Map<String, Integer> types = new HashMap<>();
    private final Set<String> always = new HashSet<>();
    private final List<SourceFile> files = new ArrayList<>();
    private final Map<String, Integer> fileOf = new HashMap<>(1 << 14);
    private final int[] priors;

    private final boolean own;

    private Visibility(String series, boolean own) {
        this.own = own;
        Iterator<String> lines = lines(series);
        always.addAll(List.of(lines.next().split(" ")));
        for (String name : lines.next().split(" ")) {
            types.put(name, types.size());
        }
        while (lines.hasNext()) {
            String[] words = lines.next().split(" ");
            for (int i = 2; i < words.length; i++) {
                fileOf.put(words[i], files.size());
            }
            files.add(new SourceFile(bits(words[0]), bits(words[1])));
        }
        priors = priors();
        if (!own) {
            SERIES.stream().filter(other -> !other.equals(series)).forEach(this::doubtWhatIsHiddenIn);
        }
    }

    private static Iterator<String> lines(String series) {
        String text = ShippedText.unpacked(RESOURCE + series + ".txt.gz");
        return text.lines().dropWhile(line -> line.startsWith("#")).iterator();
    }

    /** Removes from {@code always} the types that a file of the given series refers to without their definition. */
    private void doubtWhatIsHiddenIn(String series) {
        Iterator<String> lines = lines(series);
        lines.next();
        List.of(lines.next().split(" ")).forEach(always::remove);
    }

    /**
     * Returns the table for a kernel release, such as 6.12.107+deb12-amd64, or else the table of the nearest series.
     *
     * @param release the release, null if unknown
     */
    static Visibility of(@Nullable String release) {
        Matcher numbers = NUMBERS.matcher(release == null ? "" : release);
        String series = numbers.lookingAt() ? numbers.group(1) + "." + numbers.group(2) : "";
        return TABLES.computeIfAbsent(series, name -> new Visibility(nearest(name), SERIES.contains(name)));
    }

    private static String nearest(String series) {
        int age = age(series);
        return SERIES.stream()
                .min(Comparator.comparing(known -> Math.abs(age(known) - age)))
                .get();
    }

    /** Returns the number of releases since 5.0; a major version counts as twenty. An unknown series counts as 5.0. */
    private static int age(String series) {
        int dot = series.indexOf('.');
        return dot < 0
                ? 0
                : (Integer.parseInt(series.substring(0, dot)) - 5) * 20 + Integer.parseInt(series.substring(dot + 1));
    }

    /** Returns whether the table is of the kernel's own series and lists the file that exports this symbol. */
    boolean knows(String symbol) {
        return own && fileOf.containsKey(symbol);
    }

    boolean isMeasured() {
        return own;
    }

    private static BitSet bits(String word) {
        return BitSet.valueOf(Base64.getDecoder().decode(word.substring(1)));
    }

    private int[] priors() {
        int[] complete = new int[types.size()];
        int[] incomplete = new int[types.size()];
        for (SourceFile file : files) {
            file.complete.stream().forEach(type -> complete[type]++);
            file.incomplete.stream().forEach(type -> incomplete[type]++);
        }
        int[] costs = new int[types.size()];
        for (int i = 0; i < costs.length; i++) {
            costs[i] = (int) (-100 * Math.log((complete[i] + 0.5) / (complete[i] + incomplete[i] + 1.0)));
        }
        return costs;
    }

    int fileOf(String symbol) {
        return fileOf.getOrDefault(symbol, -1);
    }

    /**
     * The costs of assuming that a source file includes the definition of a type, for each type of a kernel or module.
     */
    final class Costs {
        private final int[] usual;

        /**
         * The types that the table lists, grouped by their number in the table. A type is stored as its number minus
         * the number of the graph's first type. The group of number {@code n} starts at index {@code first[n]}.
         */
        private final int[] places;

        private final int[] first;

        Costs(TypeGraph graph) {
            Btf btf = graph.btf();
            usual = new int[btf.size() - graph.first()];
            int[] numbers = new int[usual.length];
            first = new int[types.size() + 2];
            for (int i = 0; i < usual.length; i++) {
                int id = graph.first() + i;
                numbers[i] = -1;
                if (btf.kind(id).isComposite() && graph.isNode(id)) {
                    numbers[i] = number(btf, id, i);
                }
                if (numbers[i] >= 0) {
                    first[numbers[i] + 2]++;
                }
            }
            for (int i = 2; i < first.length; i++) {
                first[i] += first[i - 1];
            }
            places = new int[first[first.length - 1]];
            for (int i = 0; i < numbers.length; i++) {
                if (numbers[i] >= 0) {
                    places[first[numbers[i] + 1]++] = i;
                }
            }
        }

        private int number(Btf btf, int id, int place) {
            String name = (btf.kind(id) == BtfKind.STRUCT ? "s#" : "u#") + btf.name(id);
            if (always.contains(name)) {
                return -1;
            }
            int number = types.getOrDefault(name, -1);
            usual[place] = number < 0 ? UNKNOWN : priors[number];
            return number;
        }

        /**
         * Writes the costs for a source file.
         *
         * @param file the file's number, -1 if unknown
         * @param costs receives the cost of each type of the graph; if the graph is a module's, the kernel's types are
         *     left out
         */
        void write(int file, int[] costs) {
            System.arraycopy(usual, 0, costs, 0, usual.length);
            if (file >= 0) {
                set(costs, files.get(file).incomplete, HIDDEN);
                set(costs, files.get(file).complete, own ? 0 : DOUBT);
            }
        }

        /**
         * Writes the costs for the search for the worst change. That search follows no pointer to a type whose
         * definition the source file does not include, according to the table. All other types cost nothing.
         */
        void writeHidden(int file, int[] costs) {
            Arrays.fill(costs, 0);
            if (file >= 0) {
                set(costs, files.get(file).incomplete, CauseSearch.LIMIT);
            }
        }

        private void set(int[] costs, BitSet numbers, int cost) {
            for (int number = numbers.nextSetBit(0); number >= 0; number = numbers.nextSetBit(number + 1)) {
                for (int i = first[number]; i < first[number + 1]; i++) {
                    costs[places[i]] = cost;
                }
            }
        }
    }
}
