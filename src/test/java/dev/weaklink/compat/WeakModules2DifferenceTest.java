package dev.weaklink.compat;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.testing.RpmImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SUSE's weak-modules2 compared with weaklink's, with the real rpm. */
class WeakModules2DifferenceTest extends DifferenceRun {
    private static final String PROPERTY = "weaklink.weak-modules2";
    private static final Map<String, String> ENVIRONMENT = Map.of("INITRD_IN_POSTTRANS", "1");

    private static final Pattern KERNEL = Pattern.compile("6\\.4\\.0-\\d-default");

    @TempDir
    Path directory;

    private RealScript script;
    private final Map<String, Path> packages = new TreeMap<>();

    /** Prepares the script to run in its own mount namespace, in which the root's directories replace the system's. */
    @BeforeEach
    void findScript() throws IOException {
        Path real = RealScript.named(PROPERTY);
        Process namespace = new ProcessBuilder("unshare", "-m", "true").start();
        assumeTrue(namespace.onExit().join().exitValue() == 0, "no mount namespaces");
        Path root = directory.resolve("root");
        Path tools = Files.createDirectory(directory.resolve("tools"));
        Path sort = tools.resolve("rpmsort");
        Path copy = RealScript.replacing(real, "/usr/lib/rpm/rpmsort", sort, "exec sort -V \"$@\"");
        copy = RealScript.replacing(copy, "/usr/bin/lsinitrd", tools.resolve("lsinitrd"), "true");
        RealScript.tool(tools.resolve("rpm"), "exec /usr/bin/rpm --dbpath " + root + "/usr/lib/sysimage/rpm \"$@\"");
        RealScript.tool(tools.resolve("depmod"), DEPMOD.formatted(root));
        RealScript.tool(tools.resolve("inside"), INSIDE.formatted(root));
        script = RealScript.of("unshare", "-m", tools.resolve("inside").toString(), "bash", copy.toString())
                .with("PATH", tools + ":" + System.getenv("PATH"))
                .with("DEPMOD", tools.resolve("depmod").toString())
                .with("INITRD_IN_POSTTRANS", "1");
    }

    /** A wrapper of depmod, because SUSE's depmod reads modules below {@code usr/lib} of any root directory. */
    private static final String DEPMOD = """
      [ "$1" != -b ] || [ "$2" = / ] || [ -e "$2/lib" ] || ln -s usr/lib "$2/lib"
      exec /sbin/depmod -C %s/etc/depmod.d "$@\"""";

    private static final String INSIDE = """
      set -e
      mount --bind %1$s/usr/lib/modules /usr/lib/modules
      mount --bind %1$s/boot /boot
      mount --bind %1$s/run /run
      exec "$@\"""";

    @Test
    void endsEachStepLikeTheRealScript() throws IOException {
        Path scratch = Files.createDirectory(directory.resolve("packages"));
        RpmImage builder = RpmImage.orSkip(scratch, scratch);
        for (Map.Entry<String, List<String>> one : SuseSequence.packages().entrySet()) {
            packages.put(one.getKey(), builder.build(one.getKey(), List.of(), one.getValue()));
        }
        compare("weak-modules2", directory);
    }

    @Override
    Sequence sequence(long seed, Path root) throws IOException {
        return new SuseSequence(seed, root, RpmImage.orSkip(directory, root), packages);
    }

    @Override
    StepOutcome real(Step step, Path root) throws IOException {
        RealScript.Run run = script.run(directory, step.stdin(), step.words());
        return outcome(run.status(), run.err(), root);
    }

    @Override
    StepOutcome ours(Step step, Path root) throws IOException {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        List<String> words = new ArrayList<>(step.words());
        words.addAll(List.of("--basedir", root.toString()));
        StandardStreams streams = new StandardStreams(
                "weak-modules2",
                new ByteArrayInputStream(step.stdin().getBytes(StandardCharsets.UTF_8)),
                new ByteArrayOutputStream(),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                directory);
        int status = new SuseDialect(streams, ENVIRONMENT, TransactionSettings.DEFAULT).run(words);
        return outcome(status, err.toString(StandardCharsets.UTF_8), root);
    }

    @Override
    StepOutcome onDisk(Path root) throws IOException {
        StepOutcome disk = outcome(0, "", root);
        Path modules = root.resolve("usr/lib/modules");
        Path tools = directory.resolve("tools");
        List<String> depmod =
                List.of("unshare", "-m", tools.resolve("inside").toString(), tools.resolve("depmod") + "");
        for (String kernel : Symvers.kernels(modules)) {
            if (!Symvers.depmodSays(depmod, modules, kernel, directory).isEmpty()) {
                disk.links().put("inconsistent " + kernel, "");
            }
        }
        for (Map.Entry<String, String> link : Map.copyOf(disk.links()).entrySet()) {
            if (link.getKey().startsWith("link ") && !Files.exists(Path.of(root + link.getValue()))) {
                disk.links().put("dangling " + kernel(link.getKey()), "");
            }
        }
        return disk;
    }

    /**
     * Returns the outcome for the comparison. The real script's lines about commands are left out, except depmod and
     * touch.
     */
    private static StepOutcome outcome(int status, String err, Path root) throws IOException {
        Stream<String> lines = err.lines()
                .filter(line -> !line.matches("(mkdir -p|ln -sf|rm -f|changed initrd modules) .*"))
                .filter(line -> !line.matches("(comm|depmod): .*"))
                .map(line -> line.replaceAll("^\\S*depmod .* (\\S+)$", "depmod $1"));
        StepOutcome outcome = StepOutcome.of(status, lines, root.resolve("usr/lib/modules"));
        Path flags = root.resolve("run/regenerate-initrd");
        if (Files.exists(flags)) {
            try (Stream<Path> files = Files.list(flags)) {
                files.forEach(file -> outcome.links().put("flag " + file.getFileName(), ""));
            }
        }
        return outcome;
    }

    @Override
    @Nullable
    String reason(Outcomes outcomes, String difference) {
        if (difference.contains("said there only") && difference.contains("System.map not found")) {
            return "System.map is not needed";
        }
        String kernel = kernel(difference);
        Set<String> before = outcomes.before().links().keySet();
        if (outcomes.calls(SuseSequence.GONE)) {
            return difference.contains("link ") ? null : "a package that is not installed is an error";
        }
        if (isMoved(outcomes, kernel)) {
            return "a new version replaces the linked one wherever its modules lie";
        }
        if (outcomes.calls("--dry-run")
                && (outcomes.calls("--remove-kmp") || difference.contains(" does not need to be added "))) {
            return "--dry-run goes on as if what it says were done";
        }
        if (outcomes.calls("--remove-kernel")) {
            return difference.startsWith("status: 1 there, 0 here")
                    ? "--remove-kernel of a kernel that is still there is no failure"
                    : "--remove-kernel runs depmod";
        }
        if (outcomes.ours().lines().stream().anyMatch(line -> isRemoval(outcomes, line, kernel))) {
            return "a change of a kernel removes links to packages that would no longer load";
        }
        if (kernel.isEmpty()
                ? before.stream().anyMatch(key -> key.startsWith("inconsistent "))
                : before.contains("inconsistent " + kernel)) {
            return "modules of the kernel that are broken anyway keep no packages from being linked";
        }
        if (before.contains("dangling " + kernel)) {
            return "dangling links of other versions are in nobody's way";
        }
        boolean index = difference.matches("on disk (here|there) only: dep .*");
        if (outcomes.calls("--dry-run") && index) {
            return "--dry-run writes nothing";
        }
        if (index && outcomes.ours().sameLinks(outcomes.real())) {
            return "depmod does not run for kernels that stay as they are";
        }
        boolean initrd = difference.matches(".*(regenerate-initrd|dracut|flag ).*");
        return outcomes.calls("--remove-kmp") && initrd
                ? "on removal of a package an initrd is asked for only if it is asked for already"
                : null;
    }

    private static boolean isMoved(Outcomes outcomes, String kernel) {
        String weak = "link " + kernel + "/weak-updates/";
        for (String link : outcomes.ours().links().keySet()) {
            String other = link.startsWith(weak + "updates/")
                    ? link.replace(weak + "updates/", weak + "extra/")
                    : link.replace(weak + "extra/", weak + "updates/");
            if (link.startsWith(weak) && outcomes.before().links().containsKey(other)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isRemoval(Outcomes outcomes, String line, String kernel) {
        return !outcomes.calls("--remove-kmp") && line.endsWith(" removed from kernel " + kernel);
    }

    private static String kernel(String difference) {
        Matcher kernel = KERNEL.matcher(difference);
        String last = "";
        while (kernel.find()) {
            last = last.isEmpty() || !difference.startsWith("on disk") ? kernel.group() : last;
        }
        return last;
    }
}
