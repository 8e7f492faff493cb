package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.testing.RpmImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests links between real kernels in the layouts of Red Hat's and SUSE's systems. The tests compare the links with
 * those of the tools that weaklink replaces, and with depmod's messages.
 *
 * <p>The tools link some modules that replace modules of the kernel. Other modules of the kernel would then no longer
 * load, as depmod shows.
 */
class WeakUpdatesIT {
    /** The modules that weak-modules links from 6.1.0-53 into 6.1.0-54. */
    private static final Set<String> LINKED_BY_WEAK_MODULES = Set.of(
            "ansi_cprng",
            "async_memcpy",
            "bq27xxx_battery_hdq",
            "comedi_8255",
            "intel-uncore-frequency-common",
            "mce-inject",
            "nhpoly1305-sse2",
            "qnx6",
            "rc-em-terratec",
            "rc-khadas");

    private static final Set<String> REFUSED_BY_WEAK_MODULES = Set.of(
            "seco-cec",
            "kvm",
            "intel-cstate",
            "ds2760_battery",
            "firewire-core",
            "intel-uncore",
            "mma7455_core",
            "power",
            "camellia-aesni-avx-x86_64",
            "hid-ite",
            "ezusb",
            "adxl345_i2c",
            "3w-9xxx",
            "cpuid",
            "gspca_pac207",
            "gspca_vicam",
            "hid-ft260",
            "ramoops",
            "bq24190_charger",
            "quota_v1");

    private static final int MANY = 300;
    private static final int PACKAGE = 10;

    @TempDir
    Path scratch;

    private final RealKernels kernels = RealKernels.atDefault();
    private Path directory;

    /** Creates the directory beside the kernels, so that their files can have hard links in it. */
    @BeforeEach
    void makeDirectory() throws IOException {
        Files.createDirectories(Report.DIRECTORY);
        directory = Files.createTempDirectory(Report.DIRECTORY, "links");
    }

    @AfterEach
    void removeDirectory() throws IOException {
        try (var walk = Files.walk(directory)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private Kernel kernel(int number) {
        String release = "6.1.0-" + number + "-amd64";
        Optional<Kernel> kernel = kernels.find(release);
        if (kernel.isEmpty()) {
            Report.say("GOLDEN PAIR GONE: no " + release + " any more");
        }
        assumeThat(kernel).as(release + " is gone").isPresent();
        return kernel.orElseThrow();
    }

    private static List<Path> named(Kernel kernel, Set<String> names) {
        return kernel.files().stream()
                .filter(file -> names.contains(WeakUpdatesRoot.name(file)))
                .toList();
    }

    private static Set<String> thirty() {
        Set<String> names = new TreeSet<>(LINKED_BY_WEAK_MODULES);
        names.addAll(REFUSED_BY_WEAK_MODULES);
        return names;
    }

    /** Returns a sample of modules from the whole kernel, the same in every run. */
    private static List<Path> sample(Kernel kernel, int size) {
        List<Path> files = kernel.files();
        List<Path> sample = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            sample.add(files.get((int) ((long) i * files.size() / size)));
        }
        return sample;
    }

    private static Set<String> names(List<Path> files) {
        return files.stream().map(WeakUpdatesRoot::name).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> install(WeakUpdatesRoot root, String directory, List<Path> modules) throws IOException {
        List<String> paths = new ArrayList<>();
        for (Path module : modules) {
            paths.add(root.add(directory, module));
        }
        return paths;
    }

    private WeaklinkRunner.Run run(String stdin, String... words) throws IOException {
        Path input = Files.writeString(scratch.resolve("stdin"), stdin);
        WeaklinkRunner.Run run = WeaklinkRunner.run(List.of(words), input);
        assertThat(run.exitCode()).as(run.stderr()).isIn(0, 1);
        return run;
    }

    private WeaklinkRunner.Run weakModules(WeakUpdatesRoot root, String stdin, String... words) throws IOException {
        List<String> all = new ArrayList<>(List.of("weak-modules", "--no-initramfs", "--verbose"));
        all.addAll(List.of("--basedir", root.top.toString()));
        all.addAll(List.of(words));
        return run(stdin, all.toArray(new String[0]));
    }

    /** Returns the modules that are not linked because the kernel's own modules need the installed ones. */
    private static Set<String> neededBy(WeaklinkRunner.Run run) {
        return run.stdout().stream()
                .filter(line -> line.contains(" needed-by:"))
                .map(line -> WeakUpdatesRoot.name(Path.of(line.split(" ")[1])))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Returns the modules that weak-modules links. A group is a module that no other module needs, with all modules
     * that it needs; all modules of a linked group have the same CRCs.
     *
     * @param left names whose groups are left out
     */
    private static Set<String> linkedByWeakModules(WeakUpdatesRoot root, List<Path> modules, Set<String> left)
            throws IOException {
        CrcComparison same = new CrcComparison(root.target);
        Set<String> fitting = new TreeSet<>();
        for (Path module : modules) {
            if (same.holdFor(module) && !left.contains(WeakUpdatesRoot.name(module))) {
                fitting.add(WeakUpdatesRoot.name(module));
            }
        }
        Map<String, Set<String>> needs = root.dependencies();
        Set<String> needed = new TreeSet<>();
        needs.values().forEach(needed::addAll);
        Set<String> linked = new TreeSet<>();
        for (String name : fitting) {
            Set<String> others = needs.getOrDefault(name, Set.of());
            if (!needed.contains(name) && fitting.containsAll(others)) {
                linked.add(name);
                linked.addAll(others);
            }
        }
        return linked;
    }

    /** Replaces the links by files, and checks that depmod reports nothing new. */
    private static void assertDepmodIsContent(WeakUpdatesRoot root, Set<String> before) throws IOException {
        Set<String> linked = root.linked();
        root.removeWeakUpdates();
        root.putInPlace(linked);
        assertThat(root.depmodObjectsTo()).isEqualTo(before);
        root.removeWeakUpdates();
    }

    @Test
    void linksTheSameTenOfThirtyModulesAsWeakModules() throws IOException {
        WeakUpdatesRoot root = WeakUpdatesRoot.redHat(directory.resolve("root"), kernel(53), kernel(54));
        Set<String> before = root.depmodObjectsTo();
        List<Path> modules = named(root.provider, thirty());
        String list = install(root, "extra/thirty", modules).stream()
                .map(path -> root.top + path + "\n")
                .collect(Collectors.joining());
        assertThat(modules).hasSize(30);

        WeaklinkRunner.Run added = weakModules(root, list, "--add-modules");

        assertThat(root.links()).as("all or nothing").isEmpty();
        assertThat(added.stdout().stream().filter(line -> line.contains(" is compatible with ")))
                .hasSize(10);
        weakModules(root, "", "--add-kernel", root.target.release());
        assertThat(root.linked()).isEqualTo(new TreeSet<>(LINKED_BY_WEAK_MODULES));
        assertThat(root.links().values())
                .allMatch(target -> target.startsWith(root.directory(root.provider) + "/extra/thirty/"));
        assertDepmodIsContent(root, before);
        run("", "apply", "--root", root.top.toString(), "--no-initramfs");
        assertThat(root.linked()).isEqualTo(new TreeSet<>(LINKED_BY_WEAK_MODULES));
        assertDepmodIsContent(root, before);
    }

    @Test
    void linksAsWeakModulesUnlessItHarmsInTreeModules() throws IOException {
        WeakUpdatesRoot root = WeakUpdatesRoot.redHat(directory.resolve("root"), kernel(50), kernel(53));
        Set<String> before = root.depmodObjectsTo();
        List<Path> modules = sample(root.provider, MANY);
        install(root, "extra/many", modules);
        Set<String> expected = linkedByWeakModules(root, modules, Set.of());
        assertThat(expected).isNotEmpty().hasSizeLessThan(MANY);

        WeaklinkRunner.Run run = weakModules(root, "", "--add-kernel", root.target.release());

        Set<String> harmful = neededBy(run);
        harmful.retainAll(expected);
        Set<String> linked = root.linked();
        Report.say("weak-modules 50 -> 53: %d of %d linked; left out for the kernel's own: %s"
                .formatted(linked.size(), MANY, harmful));
        assertThat(linked).isEqualTo(linkedByWeakModules(root, modules, harmful));
        assertDepmodIsContent(root, before);
        assertHarmIsReal(root, expected, harmful, before);
        run("", "apply", "--root", root.top.toString(), "--no-initramfs");
        assertThat(root.linked()).containsAll(linked);
        assertDepmodIsContent(root, before);
    }

    /**
     * Installs all modules that weak-modules would link, and checks that depmod then reports modules of the kernel
     * itself.
     */
    private static void assertHarmIsReal(
            WeakUpdatesRoot root, Set<String> expected, Set<String> harmful, Set<String> before) throws IOException {
        root.putInPlace(expected);
        Set<String> objections = root.depmodObjectsTo();
        objections.removeAll(before);
        assertThat(objections.stream().anyMatch(file -> file.startsWith("kernel/")))
                .as(objections.toString())
                .isEqualTo(!harmful.isEmpty());
        root.removeWeakUpdates();
    }

    /** Modules that load on 54, and whose exports have other CRCs there. */
    private static final Set<String> REPLACING = Set.of("cx88xx", "lib80211", "saa7134", "sungem_phy", "usb-common");

    private static final Pattern IMPORTER = Pattern.compile("\"importer\":\"([^\"]+)\"");
    private static final Pattern BROKEN = Pattern.compile("(\\d+) modules? would no longer load");

    @Test
    void everyCommandCountsModulesThatDepmodRejectsAndTheirUsers() throws IOException {
        WeakUpdatesRoot root = WeakUpdatesRoot.redHat(directory.resolve("root"), kernel(53), kernel(54));
        Set<String> before = root.depmodObjectsTo();
        root.putInPlace(REPLACING, "updates");
        Set<String> objections = root.depmodObjectsTo();
        objections.removeAll(before);
        Set<String> expected = root.needing(objections);
        Report.say("replaced by those of 53: %s; depmod objects to %d modules, which %d need"
                .formatted(new TreeSet<>(REPLACING), objections.size(), expected.size()));
        assertThat(expected).hasSizeGreaterThan(100).doesNotContainAnyElementsOf(REPLACING);
        String[] in = {"--root", root.top.toString()};

        assertThat(importers(root, REPLACING)).isEqualTo(expected);
        assertThat(importers(root, Set.of())).as("in use").isEqualTo(expected);
        assertThat(broken(run("", "plan", in[0], in[1], "-v"))).isEqualTo(expected.size());
        WeaklinkRunner.Run plan = run("", "plan", in[0], in[1], "--units");
        assertThat(plan.stdout())
                .singleElement()
                .asString()
                .contains(
                        "cx88xx, lib80211, saa7134, sungem_phy, usb_common in place of in-tree modules, but then refuse modules that need these in-tree modules; ");

        for (String name : REPLACING) {
            Files.delete(root.directory(root.target).resolve("updates/" + name + ".ko"));
            root.add("extra", root.provider.filesByName().get(name + ".ko"));
            root.link(name + ".ko");
        }
        assertThat(broken(run("", "status", in[0], in[1]))).isEqualTo(expected.size());
    }

    @Test
    void refusedModuleKeepsItsUsersFromLoading() throws IOException {
        WeakUpdatesRoot root = WeakUpdatesRoot.redHat(directory.resolve("root"), kernel(53), kernel(54));
        root.putInPlace(Set.of("ib_core"), "updates");
        Set<String> objections = root.depmodObjectsTo();
        assertThat(objections).contains("updates/ib_core.ko");
        Set<String> expected = root.needing(Set.of("updates/ib_core.ko"));
        expected.remove("ib_core");
        Report.say("ib_core of 53 is refused on 54, and %d modules need it".formatted(expected.size()));
        assertThat(importers(root, Set.of("ib_core"))).isEqualTo(expected);
    }

    @Test
    void answersAreTheSameIfSymversListsNoExportsOfModules() throws IOException {
        WeakUpdatesRoot root = WeakUpdatesRoot.redHat(directory.resolve("root"), kernel(53), kernel(54));
        List<Path> files = new ArrayList<>(root.provider.files());
        Collections.shuffle(files, new Random(9));
        List<List<Path>> sets = List.of(files.subList(0, 1), files.subList(1, 30), files.subList(30, 150));
        List<List<String>> expected = verdicts(root, sets);

        root.keepSymversOfVmlinux();

        assertThat(verdicts(root, sets)).isEqualTo(expected);
    }

    private List<List<String>> verdicts(WeakUpdatesRoot root, List<List<Path>> sets) throws IOException {
        List<List<String>> verdicts = new ArrayList<>();
        for (List<Path> set : sets) {
            List<String> words = new ArrayList<>(List.of("check", "--root", root.top.toString()));
            words.addAll(List.of("--kernel", root.target.release(), "--format", "ndjson"));
            set.forEach(file -> words.add(file.toString()));
            List<String> lines = run("", words.toArray(new String[0])).stdout();
            verdicts.add(lines.subList(1, lines.size()));
        }
        return verdicts;
    }

    private Set<String> importers(WeakUpdatesRoot root, Set<String> names) throws IOException {
        List<String> words = new ArrayList<>(List.of("check", "--root", root.top.toString()));
        words.addAll(List.of("--kernel", root.target.release(), "--format", "ndjson"));
        words.addAll(names);
        WeaklinkRunner.Run run = run("", words.toArray(new String[0]));
        assertThat(run.exitCode()).isEqualTo(1);
        return IMPORTER.matcher(String.join("\n", run.stdout()))
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static int broken(WeaklinkRunner.Run run) {
        return BROKEN.matcher(String.join(" ", run.stdout()))
                .results()
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .sum();
    }

    @Test
    void packagesAreLinkedWhereWeakModules2LinksThem() throws IOException {
        WeakUpdatesRoot root = WeakUpdatesRoot.suse(directory.resolve("root"), kernel(53), kernel(54));
        RpmImage rpm = RpmImage.orSkip(scratch, root.top);
        Set<String> before = root.depmodObjectsTo();
        for (Path module : named(root.provider, thirty())) {
            String name = WeakUpdatesRoot.name(module);
            rpm.install(name + "-kmp-amd64-1-1", root.add("updates/" + name, module));
        }

        run("", "weak-modules2", "--basedir", root.top.toString(), "--add-kernel", root.target.release());

        assertThat(root.linked()).isEqualTo(new TreeSet<>(LINKED_BY_WEAK_MODULES));
        assertThat(root.links()).allSatisfy((link, target) -> {
            assertThat(target).startsWith("/usr/lib/modules/" + root.provider.release() + "/updates/");
            assertThat(link).startsWithRaw(root.directory(root.target).resolve("weak-updates/updates"));
        });
        assertDepmodIsContent(root, before);
        run("", "apply", "--root", root.top.toString(), "--no-initramfs");
        assertThat(root.linked()).isEqualTo(new TreeSet<>(LINKED_BY_WEAK_MODULES));
        assertDepmodIsContent(root, before);
    }

    @Test
    void packagesOfManyModulesAreLinkedWhollyOrNotAtAll() throws IOException {
        WeakUpdatesRoot root = WeakUpdatesRoot.suse(directory.resolve("root"), kernel(53), kernel(54));
        RpmImage rpm = RpmImage.orSkip(scratch, root.top);
        Set<String> before = root.depmodObjectsTo();
        CrcComparison same = new CrcComparison(root.target);
        List<Path> good = new ArrayList<>();
        List<Path> bad = new ArrayList<>();
        for (Path module : sample(root.provider, MANY)) {
            (same.holdFor(module) ? good : bad).add(module);
        }
        List<Path> sorted = new ArrayList<>(good);
        sorted.addAll(bad);
        for (int i = 0; i < sorted.size(); i += PACKAGE) {
            String name = "p%02d-kmp-amd64".formatted(i / PACKAGE);
            List<String> files = install(root, "updates/" + name, sorted.subList(i, i + PACKAGE));
            rpm.install(name + "-1-1", files.toArray(new String[0]));
        }

        WeaklinkRunner.Run run = run(
                "",
                "weak-modules2",
                "--basedir",
                root.top.toString(),
                "--add-kernel",
                root.target.release(),
                "--debug");

        Set<String> expected = new TreeSet<>();
        Set<String> harmful = new TreeSet<>();
        for (int i = 0; i + PACKAGE <= good.size(); i += PACKAGE) {
            Set<String> names = names(good.subList(i, i + PACKAGE));
            if (isHarmful(names, run.stderr())) {
                harmful.addAll(names);
            } else {
                expected.addAll(names);
            }
        }
        Report.say("weak-modules2 53 -> 54: %d of %d modules linked; packages left out for the kernel's own: %s"
                .formatted(root.linked().size(), MANY, harmful));
        assertThat(root.linked()).isNotEmpty().isEqualTo(expected);
        assertDepmodIsContent(root, before);
        assertHarmIsReal(root, names(good.subList(0, good.size() / PACKAGE * PACKAGE)), harmful, before);
    }

    private static boolean isHarmful(Set<String> names, String messages) {
        return messages.lines()
                .filter(line -> line.contains(": these modules of the kernel would no longer load: "))
                .anyMatch(line -> names.contains(WeakUpdatesRoot.name(Path.of(line.split(":")[0]))));
    }

    @Test
    void rejectedPackageDoesNotPreventOtherLinks() throws IOException {
        WeakUpdatesRoot root = WeakUpdatesRoot.suse(directory.resolve("root"), kernel(53), kernel(54));
        RpmImage rpm = RpmImage.orSkip(scratch, root.top);
        for (List<String> names :
                List.of(List.of("ansi_cprng"), List.of("qnx6", "rc-khadas"), List.of("kvm", "firewire-core"))) {
            List<String> files = install(root, "updates/" + names.get(0), named(root.provider, Set.copyOf(names)));
            rpm.install(names.get(0) + "-kmp-amd64-1-1", files.toArray(new String[0]));
        }

        WeaklinkRunner.Run run = run(
                "",
                "weak-modules2",
                "--basedir",
                root.top.toString(),
                "--add-kernel",
                root.target.release(),
                "-v",
                "--debug");

        assertThat(root.linked()).containsExactly("ansi_cprng", "qnx6", "rc-khadas");
        // weak-modules2 tries the package twice, and prints each of these messages twice: 62 and 24 lines.
        assertThat(symbols(run, "kvm")).hasSize(31);
        assertThat(symbols(run, "firewire-core")).hasSize(12);
    }

    private static Set<String> symbols(WeaklinkRunner.Run run, String module) {
        return run.stderr()
                .lines()
                .filter(line -> line.contains("/" + module + ".ko ") && line.contains(" symbol "))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .collect(Collectors.toSet());
    }
}
