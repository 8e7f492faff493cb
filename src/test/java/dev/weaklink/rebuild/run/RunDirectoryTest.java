package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.Ownership;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that other users cannot replace a work directory, and that the runs of a hostile image stay inside it. */
class RunDirectoryTest {
    private static final String KERNEL = "6.1.0-1-amd64";

    @TempDir
    Path directory;

    private Path image;
    private Path outside;
    private Path shared;

    @BeforeEach
    void prepare() throws IOException {
        directory = directory.toRealPath();
        image = Files.createDirectory(directory.resolve("image"));
        outside = Files.createDirectories(directory.resolve("outside"));
        shared = Files.createDirectory(directory.resolve("shared"));
        Files.setAttribute(shared, "unix:mode", 01777);
    }

    private RunDirectory next() throws IOException {
        return RunDirectory.next(Root.of(image), KERNEL, shared, 0);
    }

    @Test
    void makesAPrivateDirectoryWithARandomNameBelowASharedOne() throws IOException {
        RunDirectory run = next();
        assertThat(next().work()).isNotEqualTo(run.work());
        run.make();
        assertThat(run.work()).hasParent(shared);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(run.work())))
                .isEqualTo("rwx------");
    }

    @Test
    void refusesAnExistingDirectory() throws IOException {
        RunDirectory run = next();
        Files.createDirectory(run.work());
        assertThatThrownBy(run::make).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void refusesAPlaceWhereOthersCanReplaceTheDirectory() throws IOException {
        Files.setAttribute(shared, "unix:mode", 0777);
        RunDirectory run = next();
        assertThatThrownBy(run::make)
                .hasMessage("cannot build below "
                        + shared
                        + ": other users may write to "
                        + shared
                        + "; name another directory with --work");
        Assumptions.assumeTrue(Ownership.ofProcess().user() == 0, "only root can give files away");
        Files.setAttribute(shared, "unix:mode", 0755);
        Files.setAttribute(shared, "unix:uid", 65534);
        Path second = Files.createDirectory(directory.resolve("second"));
        assertThatThrownBy(() ->
                        RunDirectory.next(Root.of(second), KERNEL, shared, 0).make())
                .hasMessageContaining(shared + " belongs to user 65534");
        assertThat(shared).isEmptyDirectory();
    }

    @Test
    void makesNothingInARefusedDirectory() throws IOException {
        Files.setAttribute(shared, "unix:mode", 0777);
        RunDirectory run = RunDirectory.next(Root.of(image), KERNEL, shared.resolve("new/place"), 0);
        assertThatThrownBy(run::make).hasMessageContaining("other users may write to " + shared);
        assertThat(shared).isEmptyDirectory();
        assertThat(run.host()).doesNotExist();
    }

    @Test
    void followsNoLinkOutOfAnImage() throws IOException {
        Path runs = Files.createDirectories(image.resolve("var/lib/weaklink/rebuilds"));
        Files.createDirectories(outside.resolve("7/work"));
        Files.createSymbolicLink(runs.resolve(KERNEL), outside);
        Root root = Root.of(image);
        assertThat(RunDirectory.newestFirst(root, KERNEL)).isEmpty();
        RunDirectory run = RunDirectory.next(root, KERNEL, null, 0);
        assertThat(run.host()).startsWithRaw(image);
        run.make();
        assertThat(RunDirectory.named(root, KERNEL + "/7")).startsWithRaw(image);
        assertThat(outside).isDirectoryNotContaining(path -> !path.endsWith("7"));
    }

    @Test
    void ignoresARunThatIsALink() throws IOException {
        Path runs = Files.createDirectories(image.resolve("var/lib/weaklink/rebuilds/" + KERNEL));
        Files.createSymbolicLink(runs.resolve("1"), outside);
        Root root = Root.of(image);
        assertThat(RunDirectory.newestFirst(root, KERNEL)).isEmpty();
        assertThat(RunDirectory.named(root, KERNEL + "/1")).startsWithRaw(image);
        assertThat(RunDirectory.next(root, KERNEL, null, 0).host()).endsWithRaw(Path.of("2"));
    }
}
