package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.standin.StandInImage;
import dev.weaklink.standin.StandInRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the stand-in for a vendor's installation image builds modules that real kernels would load. */
class StandInIT {
    /** A kernel with another module_layout than all earlier kernels of Debian 12. */
    private static final String NEW = "6.1.0-55-amd64";

    private static final Map<String, String> AS_ROOT_IN_FILES = Map.of("STANDIN_UID", "0", "STANDIN_PACKING", "plain");

    @TempDir
    Path tmp;

    private StandInImage image;
    private BuildTree old;

    @BeforeEach
    void makeImage() throws IOException {
        image = StandInImage.make(tmp.resolve("image"));
        Optional<BuildTree> found = BuildTree.first("6.1.0-53-amd64", "6.1.0-54-amd64");
        assumeThat(found).as("headers of a kernel before %s are installed", NEW).isPresent();
        old = found.orElseThrow();
    }

    @Test
    void builtModulesLoadOnTheirKernelOnly() throws IOException {
        BuildTree tree = BuildTree.orSkip(NEW);
        List<Path> before = modules(rebuild(old, AS_ROOT_IN_FILES));
        assertThat(Check.together(kernel(old), before)).hasSize(3).allMatch(VerdictLine::loads);
        assertThat(Check.together(kernel(tree), before))
                .hasSize(3)
                .allMatch(verdict -> verdict.refusals().get(0).layer().equals("module-layout"));

        List<Path> after = modules(rebuild(tree, AS_ROOT_IN_FILES));
        assertThat(Check.together(kernel(tree), after)).hasSize(3).allMatch(VerdictLine::loads);
    }

    @Test
    void theModulesOfTheStackNeedOneAnother() throws IOException {
        List<Path> built = modules(rebuild(old, AS_ROOT_IN_FILES));
        assertThat(Check.alone(kernel(old), built))
                .filteredOn(VerdictLine::loads)
                .extracting(VerdictLine::module)
                .containsExactly("wl_compat");
    }

    @Test
    void packedForAnotherKernelDoesNotLoad() throws IOException {
        BuildTree tree = BuildTree.orSkip(NEW);
        Map<String, String> switches = new HashMap<>(AS_ROOT_IN_FILES);
        switches.put("STANDIN_FAULT", "wrong-kernel");
        switches.put("STANDIN_OTHER_SOURCES", old.directory().toString());
        List<Path> built = modules(rebuild(tree, switches));
        assertThat(built).hasSize(3).allMatch(file -> file.toString().contains(NEW));
        assertThat(Check.together(kernel(tree), built)).noneMatch(VerdictLine::loads);
    }

    @Test
    void findsTheCompilersErrorInTheLastLog() throws IOException {
        Map<String, String> switches = new HashMap<>(AS_ROOT_IN_FILES);
        switches.put("STANDIN_FAULT", "api-change");
        StandInRun run = rebuild(old, switches);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.lastLine()).startsWith("ERROR: See ");
        assertThat(lastLog()).contains("wl_compat.c:").contains("error: implicit declaration of function");
    }

    @Test
    void namesThePackageOfAMissingBuildTree() throws IOException {
        BuildTree missing = new BuildTree("6.1.0-99-amd64", tmp.resolve("missing"));
        StandInRun run = rebuild(missing, AS_ROOT_IN_FILES);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.lastLine()).isEqualTo("apt-get install linux-headers-6.1.0-99-amd64");
    }

    private StandInRun rebuild(BuildTree tree, Map<String, String> switches) throws IOException {
        Path results = Files.createDirectories(tmp.resolve(tree.release()));
        List<String> arguments = new ArrayList<>(List.of("-m", image.directory().toString(), "-y"));
        arguments.addAll(List.of("-t", results.toString(), "--kmp", "--skip-repo"));
        arguments.addAll(List.of("-k", tree.release(), "-s", tree.directory().toString()));
        arguments.addAll(List.of("--distro", "debian12"));
        return image.run(switches, arguments.toArray(String[]::new));
    }

    private static List<Path> modules(StandInRun run) throws IOException {
        assertThat(run.exitCode()).as(run.output() + run.stderr()).isZero();
        Path below = run.created().getParent();
        Path unpacked = StandInImage.unpack(run.created(), below).directory();
        try (Stream<Path> walk = Files.walk(unpacked)) {
            return walk.filter(path -> path.toString().endsWith(".ko")).sorted().toList();
        }
    }

    private String lastLog() throws IOException {
        try (Stream<Path> walk = Files.walk(tmp)) {
            Path log = walk.filter(path -> path.toString().endsWith(".rpmbuild.log"))
                    .findFirst()
                    .orElseThrow();
            return Files.readString(log);
        }
    }

    private static Kernel kernel(BuildTree tree) {
        Optional<Kernel> kernel = RealKernels.atDefault().find(tree.release());
        assumeThat(kernel).as("%s is in the package index", tree.release()).isPresent();
        return kernel.orElseThrow();
    }
}
