package dev.weaklink.check.result;

import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.loader.Outcome;
import dev.weaklink.rules.KernelRequirements;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The report on the kernels that accept each build.
 *
 * @param kernels the kernels, grouped by series and sorted from old to new
 * @param rows the builds, in the order given
 * @param required the result for the kernels that every product must support, null without requirements
 * @param changes the differences from an earlier run; empty without an earlier run
 * @param problems the inputs that could not be used
 */
public record MatrixReport(
        List<MatrixKernel> kernels,
        List<Row> rows,
        @Nullable Required required,
        List<MatrixChange> changes,
        List<InputProblem> problems) {
    public MatrixReport {
        kernels = List.copyOf(kernels);
        rows = List.copyOf(rows);
        changes = List.copyOf(changes);
        problems = List.copyOf(problems);
    }

    public MatrixReport(List<MatrixKernel> kernels, List<Row> rows, List<InputProblem> problems) {
        this(kernels, rows, null, List.of(), problems);
    }

    /**
     * The kernels that every product must support.
     *
     * @param by the requirements
     * @param kernels the number of required kernels
     * @param lost the required kernels and the products that do not support them
     */
    public record Required(KernelRequirements by, int kernels, List<Lost> lost) {
        public Required {
            lost = List.copyOf(lost);
        }
    }

    /**
     * A required kernel that a product does not support.
     *
     * @param product the product's name
     * @param outcome the outcome of the product's best build; {@code INCOMPATIBLE} if the product has no build
     * @param reason the reason against that build, or the note that there is no build; escaped
     */
    public record Lost(String kernel, String product, Outcome outcome, String reason) {}

    public List<BuildProduct> products() {
        return BuildProduct.of(rows, required == null ? KernelRequirements.NONE : required.by());
    }

    /**
     * A difference from an earlier run.
     *
     * @param build the build's label
     * @param before the earlier outcome, null for a new kernel
     * @param servedBefore true if the build loads on the preceding kernel of the series
     * @param reason the reason against the build, escaped; empty if the build loads
     */
    public record MatrixChange(
            String kernel, String build, @Nullable Outcome before, boolean servedBefore, Outcome now, String reason) {}

    public MatrixReport requiring(KernelRequirements requirements) {
        List<InputProblem> all = new ArrayList<>(problems);
        for (String pattern : requirements.unmatched(
                kernels.stream().map(MatrixKernel::release).toList())) {
            all.add(new InputProblem(pattern, "is a required kernel, but no kernel of this name was checked"));
        }
        int count = 0;
        List<Lost> lost = new ArrayList<>();
        for (int kernel = 0; kernel < kernels.size(); kernel++) {
            if (requirements.require(kernels.get(kernel).release())) {
                count++;
                for (BuildProduct product : BuildProduct.of(rows, requirements)) {
                    Lost one = lost(product, kernel);
                    if (one != null) {
                        lost.add(one);
                    }
                }
            }
        }
        return new MatrixReport(kernels, rows, new Required(requirements, count, lost), changes, all);
    }

    private @Nullable Lost lost(BuildProduct product, int kernel) {
        List<Outcome> order = List.of(Outcome.COMPATIBLE, Outcome.UNDETERMINED, Outcome.INCOMPATIBLE);
        Row best = product.builds().stream()
                .min(Comparator.comparing(row -> order.indexOf(row.at(kernel).outcome())))
                .orElse(null);
        String name = kernels.get(kernel).name();
        if (best == null) {
            return new Lost(name, product.name(), Outcome.INCOMPATIBLE, "no build of this product was given");
        }
        Outcome outcome = best.at(kernel).outcome();
        return outcome == Outcome.COMPATIBLE ? null : new Lost(name, product.name(), outcome, reason(best, kernel));
    }

    /**
     * Returns the reason against a build on a kernel. If the reason was determined on another kernel of the range, the
     * string also names that kernel.
     */
    public String reason(Row row, int kernel) {
        Range range = row.at(kernel);
        int edge = edge(kernels, row.ranges(), row.ranges().indexOf(range));
        return range.reason().isEmpty() || edge == kernel
                ? range.reason()
                : range.reason() + " (on " + Escape.text(kernels.get(edge).name()) + ")";
    }

    /**
     * Returns the report with the differences from an earlier run. Ignores new builds. Reports a new kernel only if the
     * build loads, or loaded earlier, on a kernel of its series.
     *
     * @param earlier the outcomes by kernel name, for the label of each build
     */
    public MatrixReport since(Map<String, Map<String, Outcome>> earlier) {
        List<MatrixChange> found = new ArrayList<>();
        Set<List<String>> served = served(earlier);
        for (int kernel = 0; kernel < kernels.size(); kernel++) {
            String series = kernels.get(kernel).series();
            for (Row row : rows) {
                Map<String, Outcome> verdicts = earlier.get(row.label());
                Range now = row.at(kernel);
                String name = kernels.get(kernel).name();
                Outcome before = verdicts == null ? null : verdicts.get(name);
                if (verdicts != null
                        && before != now.outcome()
                        && (before != null || served.contains(List.of(row.label(), series)))) {
                    boolean last = kernel > 0
                            && kernels.get(kernel - 1).series().equals(series)
                            && row.at(kernel - 1).loads();
                    found.add(new MatrixChange(name, row.label(), before, last, now.outcome(), reason(row, kernel)));
                }
            }
        }
        return new MatrixReport(kernels, rows, required, found, problems);
    }

    /** Returns pairs of a build and a series in which the build loads, or loaded earlier, on at least one kernel. */
    private Set<List<String>> served(Map<String, Map<String, Outcome>> earlier) {
        Set<List<String>> served = new HashSet<>();
        for (Row row : rows) {
            Map<String, Outcome> verdicts = earlier.getOrDefault(row.label(), Map.of());
            for (int kernel = 0; kernel < kernels.size(); kernel++) {
                if (row.at(kernel).loads() || verdicts.get(kernels.get(kernel).name()) == Outcome.COMPATIBLE) {
                    served.add(List.of(row.label(), kernels.get(kernel).series()));
                }
            }
        }
        return served;
    }

    /**
     * A kernel.
     *
     * @param name the kernel's unique name in the report
     * @param series the group of comparable kernels, such as {@code 5.14 el9 x86_64}
     */
    public record MatrixKernel(String name, String release, String series) {
        public static final Comparator<MatrixKernel> ORDER = Comparator.comparing(
                        MatrixKernel::series, KernelReleaseOrder.INSTANCE)
                .thenComparing(MatrixKernel::release, KernelReleaseOrder.INSTANCE)
                .thenComparing(MatrixKernel::name);

        public static MatrixKernel of(String name, String release) {
            return new MatrixKernel(name, release, seriesOf(release));
        }

        /**
         * Returns the first two parts of a release, and all later parts that contain a letter: {@code 5.14 el9 x86_64}
         * for {@code 5.14.0-427.13.1.el9_4.x86_64}.
         */
        private static String seriesOf(String release) {
            StringBuilder series = new StringBuilder();
            String[] parts = release.split("[.+~-]", -1);
            for (int i = 0; i < parts.length; i++) {
                String part = parts[i];
                boolean word = part.chars().anyMatch(Character::isLetter); // also 16k and 64k
                if (word && part.toLowerCase(Locale.ROOT).startsWith("el") && part.indexOf('_') > 0) {
                    part = part.substring(0, part.indexOf('_')); // el9_4 and el9_6 are one series
                }
                if (i < 2 || word) {
                    series.append(i == 0 ? "" : i == 1 && !word ? "." : " ").append(part);
                }
            }
            return series.toString();
        }
    }

    /**
     * A build on all kernels.
     *
     * @param file the package, directory or module as found
     * @param name the package's name; empty if the build is not a package
     * @param version the package's version; empty if the build is not a package
     * @param builtFor the releases that the modules were built for, sorted
     * @param modules the number of modules
     * @param moduleNames the names of the modules, sorted; for an unreadable module, the file's name
     * @param ranges the ranges of kernels with the same outcome; together the ranges cover all kernels in order
     */
    public record Row(
            String file,
            String name,
            String version,
            List<String> builtFor,
            int modules,
            Set<String> moduleNames,
            List<Range> ranges) {
        public Row {
            builtFor = List.copyOf(builtFor);
            moduleNames = Collections.unmodifiableSet(new TreeSet<>(moduleNames));
            ranges = List.copyOf(ranges);
        }

        public String label() {
            return name.isEmpty() ? file : name + " " + version;
        }

        Range at(int kernel) {
            for (Range range : ranges) {
                if (kernel <= range.last()) {
                    return range;
                }
            }
            throw new IndexOutOfBoundsException(kernel);
        }

        public int serves() {
            return ranges.stream().filter(Range::loads).mapToInt(Range::size).sum();
        }

        public SortedSet<String> unchecked() {
            SortedSet<String> unchecked = new TreeSet<>();
            ranges.forEach(range -> unchecked.addAll(range.unchecked()));
            return unchecked;
        }
    }

    /**
     * Successive kernels of one series with the same outcome.
     *
     * @param first the index of the oldest kernel
     * @param last the index of the newest kernel
     * @param layer the id of the loader's check that fails; empty if the modules load, or if no single check is
     *     responsible
     * @param reason the reason against the build, determined on the kernel from {@link MatrixReport#edge}; empty if the
     *     modules load; escaped
     * @param summary the meaning of a CRC mismatch in plain words; empty for any other reason, or if {@code reason}
     *     gives the cause; escaped
     * @param unchecked the ids of checks that could not be made on at least one of these kernels; empty unless the
     *     modules load
     */
    public record Range(
            int first,
            int last,
            Outcome outcome,
            String layer,
            String reason,
            String summary,
            SortedSet<String> unchecked) {
        public Range {
            unchecked = Collections.unmodifiableSortedSet(new TreeSet<>(unchecked));
        }

        public boolean loads() {
            return outcome == Outcome.COMPATIBLE;
        }

        public int size() {
            return last - first + 1;
        }

        public Range because(String inLayer, String why, String inWords) {
            return new Range(first, last, outcome, inLayer, why, inWords, unchecked);
        }

        public Range unchecking(SortedSet<String> layers) {
            return new Range(first, last, outcome, layer, reason, summary, layers);
        }
    }

    public String series(Range range) {
        return kernels.get(range.first()).series();
    }

    /**
     * The ranges of kernels that a report shows on one line for a build. Series in which the build does not load share
     * a line if each is a single range with the same outcome and layer.
     *
     * @param ranges all ranges of one series, oldest first; for several series, the only range of each
     */
    public record BuildSeries(List<String> series, List<Range> ranges) {
        public BuildSeries {
            series = List.copyOf(series);
            ranges = List.copyOf(ranges);
        }

        public boolean isFolded() {
            return series.size() > 1;
        }

        public Range newest() {
            return ranges.get(ranges.size() - 1);
        }

        public int kernels() {
            return ranges.stream().mapToInt(Range::size).sum();
        }
    }

    public List<BuildSeries> parts(Row row) {
        Map<String, List<Range>> bySeries = new LinkedHashMap<>();
        for (Range range : row.ranges()) {
            bySeries.computeIfAbsent(series(range), none -> new ArrayList<>()).add(range);
        }
        Map<String, List<Range>> alike = new LinkedHashMap<>();
        for (List<Range> ranges : bySeries.values()) {
            Range only = ranges.get(0);
            if (ranges.size() == 1 && !only.loads()) {
                String kind = only.outcome() + " " + only.layer();
                alike.computeIfAbsent(kind, none -> new ArrayList<>()).add(only);
            }
        }
        alike.values().removeIf(ranges -> ranges.size() == 1);
        List<BuildSeries> parts = new ArrayList<>();
        for (Map.Entry<String, List<Range>> series : bySeries.entrySet()) {
            if (alike.values().stream()
                    .noneMatch(ranges -> ranges.contains(series.getValue().get(0)))) {
                parts.add(new BuildSeries(List.of(series.getKey()), series.getValue()));
            }
        }
        for (List<Range> ranges : alike.values()) {
            parts.add(new BuildSeries(ranges.stream().map(this::series).toList(), ranges));
        }
        return parts;
    }

    public static List<Range> ranges(List<MatrixKernel> kernels, List<Outcome> answers) {
        List<Range> ranges = new ArrayList<>();
        int first = 0;
        for (int i = 1; i <= answers.size(); i++) {
            if (i == answers.size()
                    || answers.get(i) != answers.get(first)
                    || !kernels.get(i).series().equals(kernels.get(first).series())) {
                ranges.add(new Range(first, i - 1, answers.get(first), "", "", "", Collections.emptySortedSet()));
                first = i;
            }
        }
        return ranges;
    }

    /**
     * Returns the index of the kernel on which the reason for a range is determined. This is the range's oldest kernel
     * if the build loads on the kernel before it in the series, else the newest.
     */
    public static int edge(List<MatrixKernel> kernels, List<Range> ranges, int index) {
        Range range = ranges.get(index);
        boolean follows = index > 0
                && ranges.get(index - 1).loads()
                && kernels.get(range.first() - 1)
                        .series()
                        .equals(kernels.get(range.first()).series());
        return follows ? range.first() : range.last();
    }

    public ExitCode exitCode() {
        if (kernels.isEmpty() || rows.isEmpty()) {
            return ExitCode.UNUSABLE;
        }
        Set<Outcome> outcomes = new TreeSet<>();
        if (required == null) {
            rows.forEach(row -> row.ranges().forEach(range -> outcomes.add(range.outcome())));
        } else {
            required.lost().forEach(kernel -> outcomes.add(kernel.outcome()));
        }
        if (outcomes.contains(Outcome.INCOMPATIBLE)) {
            return ExitCode.INCOMPATIBLE;
        }
        return outcomes.contains(Outcome.UNDETERMINED) || InputProblem.matter(problems)
                ? ExitCode.UNDETERMINED
                : ExitCode.COMPATIBLE;
    }
}
