package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.check.userspace.UserspaceCheck;
import dev.weaklink.check.userspace.UserspaceFinding;
import dev.weaklink.check.userspace.UserspaceReport;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests deliberate mixtures of the RDMA libraries of Debian's suites: the C library of one, libibverbs of another,
 * providers of a third. In each root directory, dlopen(3) itself shows which providers would load.
 */
class UserspaceIT {
    private static final List<String> PACKAGES =
            List.of("libc6", "libgcc-s1", "libnl-3-200", "libnl-route-3-200", "libibverbs1", "ibverbs-providers");

    private static final String LIBRARIES = "usr/lib/x86_64-linux-gnu";
    private static final String PROGRAM = """
      #include <dlfcn.h>
      #include <stdio.h>
      int main(int count, char **files)
      {
        for (int i = 1; i < count; i++)
          puts(dlopen(files[i], RTLD_NOW) ? "loaded" : dlerror());
      }
      """;

    /** The libraries of single vendors that are targets of the providers' links. */
    private static final String VENDORS = "\"$1\"/libmlx* \"$1\"/libefa* \"$1\"/libmana* \"$1\"/libhns*";

    @TempDir
    Path scratch;

    private final Map<String, Path> roots = new TreeMap<>();

    @Test
    void agreesWithDlopenOnEveryMixture() throws IOException, InterruptedException {
        assumeThat(Files.isWritable(Path.of("/root"))).as("root, for chroot").isTrue();
        ExternalTool gcc = ExternalTool.orSkip("gcc");
        for (String suite : List.of("bookworm", "trixie", "sid")) {
            SuitePackages.unpacked("rdma", suite, PACKAGES).ifPresent(root -> roots.put(suite, root));
        }
        assertThat(roots).as("suites that were fetched").isNotEmpty();
        Path program = scratch.resolve("load");
        Path source = Files.writeString(scratch.resolve("load.c"), PROGRAM);
        gcc.run("-o", program.toString(), source.toString());

        int asked = 0;
        int refused = 0;
        for (Path base : roots.values()) {
            for (Path library : roots.values()) {
                for (Path providers : roots.values()) {
                    Path root = mixed(base, library, providers);
                    Files.copy(program, root.resolve("load"));
                    Map<String, String> ours = ours(root);
                    Map<String, String> theirs = theirs(root, ours.keySet());
                    assertThat(ours).as("%s, %s, %s", base, library, providers).isEqualTo(theirs);
                    asked += ours.size();
                    refused += (int) theirs.values().stream()
                            .filter(word -> !word.equals("loaded"))
                            .count();
                    if (base.equals(library) && base.equals(providers)) {
                        assertThat(ours.values()).containsOnly("loaded");
                    }
                }
            }
        }
        System.out.printf("user space: %d providers asked, %d refused, all alike%n", asked, refused);
    }

    private Path mixed(Path base, Path library, Path providers) throws IOException {
        Path root = Files.createTempDirectory(scratch, "root");
        run("cp", "-al", base + "/.", root.toString());
        run(
                "sh",
                "-c",
                "rm -rf \"$1\"/*verbs* \"$1\"/libnl* " + VENDORS + " \"$2\"",
                "sh",
                root.resolve(LIBRARIES).toString(),
                root.resolve("etc/libibverbs.d").toString());
        run(
                "sh",
                "-c",
                "cp -a \"$1\"/libibverbs.so* \"$1\"/libnl* \"$2\"",
                "sh",
                library.resolve(LIBRARIES).toString(),
                root.resolve(LIBRARIES).toString());
        run(
                "sh",
                "-c",
                "cd \"$1\"; for f in libibverbs libmlx* libefa* libmana* libhns*; do"
                        + " [ ! -e \"$f\" ] || cp -a \"$f\" \"$2\"; done",
                "sh",
                providers.resolve(LIBRARIES).toString(),
                root.resolve(LIBRARIES).toString());
        run(
                "cp",
                "-a",
                providers.resolve("etc/libibverbs.d").toString(),
                root.resolve("etc").toString());
        return root;
    }

    private static void run(String... words) throws IOException {
        try {
            Process process = new ProcessBuilder(words).inheritIO().start();
            assertThat(process.waitFor()).as("%s", List.of(words)).isZero();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns weaklink's answer for every driver. */
    private static Map<String, String> ours(Path root) throws IOException {
        UserspaceReport report = UserspaceCheck.of(Root.of(root));
        Map<String, String> answers = new TreeMap<>();
        report.providers().forEach(provider -> answers.put(provider, "loaded"));
        for (UserspaceFinding finding : report.findings()) {
            if (finding.kind() == UserspaceFinding.LibraryDefect.PROVIDER_MISSING) {
                answers.put(finding.subject(), "cannot open shared object file: No such file or directory");
            } else if (finding.kind().isFailure()) {
                answers.put(finding.subject(), withoutNames(finding.detail()));
            }
        }
        return answers;
    }

    private static Map<String, String> theirs(Path root, Iterable<String> drivers) throws IOException {
        String version = UserspaceCheck.of(Root.of(root)).privateVersion();
        String suffix = version.replace("IBVERBS_PRIVATE_", "-rdmav") + ".so";
        List<String> words = new ArrayList<>(List.of("chroot", root.toString(), "/load"));
        List<String> names = new ArrayList<>();
        for (String driver : drivers) {
            names.add(driver);
            words.add("/" + LIBRARIES + "/libibverbs/lib" + driver + suffix);
        }
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        List<String> lines =
                new String(process.getInputStream().readAllBytes()).lines().toList();
        assertThat(lines).as("%s", lines).hasSameSizeAs(names);
        Map<String, String> answers = new TreeMap<>();
        for (int i = 0; i < names.size(); i++) {
            String line = lines.get(i).replaceFirst("^\\S+: (cannot open)", "$1");
            answers.put(names.get(i), withoutNames(line));
        }
        return answers;
    }

    /**
     * Removes directories and versions of files from a message, because the linker prints names as it received them.
     */
    private static String withoutNames(String message) {
        return message.replaceAll("/[\\w./-]*/lib(\\w+)-rdmav\\d+\\.so", "$1")
                .replaceAll("/[\\w./-]*/lib([\\w-]+?)\\.so[.\\d]*", "$1");
    }
}
