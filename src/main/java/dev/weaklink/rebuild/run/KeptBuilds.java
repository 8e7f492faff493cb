package dev.weaklink.rebuild.run;

import dev.weaklink.format.codec.FileContents;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Step;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.FileStatus;
import dev.weaklink.sys.Ownership;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.ShellWord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The modules of successful trial builds. With {@code trial = keep}, weaklink keeps them, so that DKMS need not repeat
 * a build from the same inputs. Each build is a directory with the modules and their SHA256SUMS. The directory's name
 * is a digest of the build's inputs.
 */
final class KeptBuilds {
    private static final String PLACE = KeptTrials.PLACE + "/builds";
    private static final String SUMS = "SHA256SUMS";
    private static final long MOST_BYTES = 1L << 30;
    private static final int SUMS_LIMIT = 1 << 20;

    /** The environment variables that can change a build. If one of them is set, no kept build is used. */
    private static final List<String> BUILD_VARIABLES =
            List.of("ARCH", "CC", "CROSS_COMPILE", "HOSTCC", "KCFLAGS", "KCPPFLAGS", "LD", "LLVM", "MAKEFLAGS");

    private final Root root;

    KeptBuilds(Root root) {
        this.root = root;
    }

    /**
     * Returns the name under which a build is kept; empty if dkms.conf contains POST_BUILD or BUILD_DEPENDS. A
     * POST_BUILD script may need files that weaklink does not keep. weaklink would not notice new versions of the
     * packages in BUILD_DEPENDS.
     *
     * @param top the directory in which the headers are below usr/src; the root directory if they are installed
     */
    String key(String product, String kernel, Path source, Path buildTree, Path top) throws IOException {
        String settings = RootText.read(source.resolve("dkms.conf"), 1 << 20);
        boolean isRepeatable = !settings.contains("POST_BUILD") && !settings.contains("BUILD_DEPENDS");
        return isRepeatable
                ? TrialInputs.build(product, kernel, source, buildTree, top, root.resolve("/etc/dkms"))
                : "";
    }

    /**
     * Keeps the modules of a trial build, decompressed, because DKMS itself signs and compresses them. Removes the
     * oldest builds beyond 1 GiB.
     *
     * @param key the build's name; if empty, nothing is kept
     */
    void keep(String key, List<Path> modules) throws IOException {
        if (key.isEmpty()) {
            return;
        }
        Path place = root.resolve(PLACE);
        if (!Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)) {
            DurableFiles.createDirectory(place);
            DurableFiles.setMode(place, 0700);
        }
        // A killed trial may have left a draft. No trial is running, because the caller holds the lock of trials.
        for (String name : RootText.names(place)) {
            if (name.startsWith(TrialRun.PREFIX)) {
                DurableFiles.deleteTree(place.resolve(name));
            }
        }
        Path draft = Files.createDirectory(place.resolve(TrialRun.PREFIX + UUID.randomUUID()));
        StringBuilder sums = new StringBuilder();
        FileContents contents = new FileContents();
        for (Path module : modules) {
            contents.load(module);
            String name = String.valueOf(module.getFileName());
            Path file = draft.resolve(name.substring(0, name.lastIndexOf(".ko")) + ".ko");
            DurableFiles.create(file, Arrays.copyOf(contents.bytes(), contents.length()));
            sums.append(DurableFiles.digest(file))
                    .append("  ")
                    .append(file.getFileName())
                    .append('\n');
        }
        DurableFiles.create(draft.resolve(SUMS), sums.toString().getBytes(StandardCharsets.UTF_8));
        DurableFiles.deleteTree(place.resolve(key));
        DurableFiles.move(draft, place.resolve(key));
        removeOldest(place);
    }

    private static void removeOldest(Path place) throws IOException {
        List<Path> builds = new ArrayList<>();
        for (String name : RootText.names(place)) {
            builds.add(place.resolve(name));
        }
        builds.sort(Comparator.comparing((Path build) -> build.toFile().lastModified())
                .reversed());
        long bytes = 0;
        for (Path build : builds) {
            for (String name : RootText.names(build)) {
                bytes += Files.size(build.resolve(name));
            }
            if (bytes > MOST_BYTES) {
                DurableFiles.deleteTree(build);
            }
        }
    }

    /**
     * Returns the directory of a kept build that only this process's user and root could have written, and whose files
     * match their digests.
     *
     * @return null if there is no such build
     */
    @Nullable
    Path find(String key) throws IOException {
        Path place = root.resolve(PLACE);
        Path build = place.resolve(key);
        if (key.isEmpty() || !Files.isDirectory(build, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        Ownership ours = Ownership.ofProcess();
        Map<String, String> sums = new TreeMap<>();
        for (String line : RootText.read(build.resolve(SUMS), SUMS_LIMIT).split("\n", -1)) {
            int gap = line.indexOf("  ");
            if (gap > 0) {
                sums.put(line.substring(gap + 2), line.substring(0, gap));
            }
        }
        List<String> names = new ArrayList<>(RootText.names(build));
        names.remove(SUMS);
        boolean isIntact = ours.problem(build) == null && !sums.isEmpty();
        for (String name : names) {
            Path file = build.resolve(name);
            isIntact = isIntact
                    && ours.isOurs(FileStatus.of(file, LinkOption.NOFOLLOW_LINKS))
                    && DurableFiles.digest(file).equals(sums.get(name));
        }
        return isIntact && names.size() == sums.size() ? build : null;
    }

    /**
     * Returns the steps of a build. If a kept build of a package can be used, the package's step makes DKMS copy the
     * kept modules instead of compiling. If that step fails, the original step builds the package. DKMS itself signs,
     * compresses and records the modules.
     */
    List<Step> handing(List<Step> steps, Job job, Map<String, String> environment) throws IOException {
        if (RootText.names(root.resolve(PLACE)).isEmpty()
                || BUILD_VARIABLES.stream().anyMatch(environment::containsKey)) {
            return steps;
        }
        List<Step> handing = new ArrayList<>();
        for (Step step : steps) {
            Path build = kept(step.subject(), job.place());
            handing.add(
                    build == null ? step : step.trying("taking the trial build of " + step.subject(), copying(build)));
        }
        return handing;
    }

    private @Nullable Path kept(String product, Job.BuildPlace place) {
        try {
            Path source = root.resolve("/usr/src/" + product.replace('/', '-'));
            return find(key(product, place.kernel(), source, Path.of(place.buildTree()), root.top()));
        } catch (IOException e) {
            // If the inputs cannot be read, the package is built again.
            return null;
        }
    }

    /**
     * Returns arguments with which dkms(8) copies modules from a directory instead of running make. DKMS evaluates MAKE
     * after it has set its arrays of modules, so the command can use them. The last command, true, ignores the words
     * that DKMS appends for kernels built by clang.
     */
    private static List<String> copying(Path build) {
        String make = "for i in \"${!built_module_name[@]}\"; do"
                + " mkdir -p \"./${built_module_location[i]}\" && cp "
                + ShellWord.of(build.toString())
                + "/\"${dest_module_name[i]}.ko\" \"./${built_module_location[i]}${built_module_name[i]}.ko\""
                + " || exit 1; done; true";
        return List.of("--directive", "PRE_BUILD=", "--directive", "CLEAN=true", "--directive", "MAKE=" + make);
    }
}
