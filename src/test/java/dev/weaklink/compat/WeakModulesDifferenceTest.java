package dev.weaklink.compat;

import dev.weaklink.links.transaction.TransactionSettings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Red Hat's weak-modules, of kmod 25-19 or another version, compared with weaklink's. */
class WeakModulesDifferenceTest extends DifferenceRun {
    private static final String PROPERTY = "weaklink.weak-modules";
    private static final Pattern REFUSAL =
            Pattern.compile("Module (\\S+) from kernel \\S+ is not compatible with kernel (\\S+) .*");
    private static final Pattern GIVEN_UP = Pattern.compile("Falling back .*");

    @TempDir
    Path directory;

    private RealScript script;

    /**
     * The flag of scripts as in kmod 28-9. If such a script gives up a group, the group's compatible modules stay in
     * the list of compatible modules.
     */
    private boolean keepsGivenUp;

    @BeforeEach
    void findScript() throws IOException {
        Path real = RealScript.named(PROPERTY);
        keepsGivenUp =
                !Files.readString(real).contains("global_link_state_restore $krel\n        compatible_modules=()");
        String depmod = """
        case " $* " in
        *" -C "*) exec /sbin/depmod "$@" ;;
        esac
        exec /sbin/depmod -C %s/root/etc/depmod.d "$@\"""";
        Path copy =
                RealScript.replacing(real, "/sbin/depmod", directory.resolve("depmod"), depmod.formatted(directory));
        script = RealScript.of("bash", copy.toString());
    }

    @Test
    void endsEachStepLikeTheRealScript() throws IOException {
        compare("weak-modules", directory);
    }

    @Override
    Sequence sequence(long seed, Path root) throws IOException {
        return new RedHatSequence(seed, root);
    }

    @Override
    StepOutcome real(Step step, Path root) throws IOException {
        List<String> words = new ArrayList<>(step.words());
        words.addAll(1, List.of("--dracut", "/bin/true"));
        RealScript.Run run = script.run(directory, step.stdin(), words);
        return outcome(run.status(), run.out(), root);
    }

    @Override
    StepOutcome ours(Step step, Path root) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream err = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        ByteArrayInputStream in = new ByteArrayInputStream(step.stdin().getBytes(StandardCharsets.UTF_8));
        int status = new RedHatDialect(
                        new StandardStreams("weak-modules", in, out, err, directory), TransactionSettings.DEFAULT)
                .run(step.words());
        return outcome(status, out.toString(StandardCharsets.UTF_8), root);
    }

    @Override
    StepOutcome onDisk(Path root) throws IOException {
        StepOutcome disk = outcome(0, "", root);
        Path modules = root.resolve("lib/modules");
        List<String> depmod = List.of("/sbin/depmod", "-b", root.toString(), "-C", root + "/etc/depmod.d");
        for (String kernel : Symvers.kernels(modules)) {
            String said = Symvers.depmodSays(depmod, modules, kernel, directory);
            if (said.contains("/weak-updates/")) {
                disk.links().put("unfit " + kernel, said);
            }
        }
        return disk;
    }

    /**
     * Returns the outcome for the comparison. The tools print the removal of files and the options of depmod
     * differently.
     */
    private static StepOutcome outcome(int status, String out, Path root) throws IOException {
        Stream<String> lines = out.lines()
                .filter(line -> !line.startsWith("rm -rf "))
                .map(line -> line.replaceAll("/\\S*/weak-modules[^/]*\\.\\w{6}/", root + "/lib/modules/"))
                .map(line -> line.replaceAll("^/\\S*/depmod .* (\\S+)$", "depmod $1"));
        return StepOutcome.of(status, lines, root.resolve("lib/modules"));
    }

    @Override
    @Nullable
    String reason(Outcomes outcomes, String difference) {
        if (outcomes.calls("--remove-kernel")) {
            return "--remove-kernel runs depmod";
        }
        if (difference.contains("/missing.ko")) {
            return "a file of the list that is not there is refused, not linked";
        }
        String line = difference.substring(difference.indexOf(": ") + 2);
        if (difference.startsWith("said there only") && outcomes.ours().lines().contains(line)) {
            return "what a kernel has is not tried again for one whose extra is empty";
        }
        if (difference.contains(": dep ")
                && links(outcomes.ours(), difference).equals(links(outcomes.real(), difference))
                && hasTwoVersionsOfAModule(outcomes.ours(), difference)) {
            return "of two linked versions of a module, depmod takes the one that the directory lists last";
        }
        Set<String> unfit = kernelsWithUnfitLinks(outcomes);
        for (String kernel : unfit) {
            if (difference.matches(".*(kernel|link|dep|depmod) \\Q" + kernel + "\\E.*")) {
                return "a link that does not fit keeps no others from being made, and counts for none";
            }
        }
        boolean givesUp = outcomes.real().lines().stream().anyMatch(GIVEN_UP.asMatchPredicate());
        return keepsGivenUp && outcomes.calls("--add-kernel") && givesUp
                ? "what fitted in a group that was given up does not count as linked"
                : null;
    }

    private static boolean hasTwoVersionsOfAModule(StepOutcome outcome, String difference) {
        List<String> names = links(outcome, difference).keySet().stream()
                .map(link -> link.substring(link.lastIndexOf('/')))
                .toList();
        return new HashSet<>(names).size() < names.size();
    }

    /** Returns the links of the kernel whose modules.dep differs, without links to missing files. */
    private static Map<String, String> links(StepOutcome outcome, String difference) {
        Map<String, String> links = new TreeMap<>(outcome.links());
        links.keySet()
                .removeIf(link -> !link.startsWith("link ")
                        || link.endsWith("/missing.ko")
                        || !difference.contains(": dep " + link.substring("link ".length(), link.indexOf('/')) + "/"));
        return links;
    }

    /**
     * Returns the kernels with existing links to which depmod objected before, or to which one of the tools objects.
     */
    private static Set<String> kernelsWithUnfitLinks(Outcomes outcomes) {
        Set<String> kernels = new TreeSet<>();
        Set<String> before = outcomes.before().links().keySet();
        before.stream()
                .filter(key -> key.startsWith("unfit "))
                .forEach(key -> kernels.add(key.substring("unfit ".length())));
        Stream.concat(outcomes.real().lines().stream(), outcomes.ours().lines().stream())
                .map(REFUSAL::matcher)
                .filter(Matcher::matches)
                .filter(refusal -> before.stream()
                        .filter(key -> key.startsWith("link " + refusal.group(2) + "/weak-updates/"))
                        .anyMatch(key -> key.endsWith("/" + refusal.group(1))))
                .forEach(refusal -> kernels.add(refusal.group(2)));
        return kernels;
    }
}
