package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Step;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptBuildsTest {
    private static final String KERNEL = "6.12.1-amd64";
    private static final String LABEL = "acme/1.0";

    @TempDir
    Path directory;

    private Path place;
    private KeptBuilds kept;

    @BeforeEach
    void makeSourceAndHeaders() throws IOException {
        place = directory.resolve("var/lib/weaklink/trials/builds");
        Files.createDirectories(place.getParent());
        write("usr/src/acme-1.0/dkms.conf", "PACKAGE_NAME=acme\n");
        write("usr/src/acme-1.0/acme.c", "int acme;\n");
        write("usr/src/common/Makefile", "# common\n");
        write("usr/src/common/include/linux/module.h", "\n");
        write("usr/src/headers/Makefile", "include /usr/src/common/Makefile\n");
        write("etc/dkms/framework.conf", "\n");
        kept = new KeptBuilds(Root.of(directory));
    }

    @Test
    void findsAKeptBuildUntilAnInputChanges() throws IOException {
        kept.keep(key(), List.of(module()));
        Path build = kept.find(key());
        assertThat(build).isNotNull();
        assertThat(Files.readString(build.resolve("acme.ko"))).isEqualTo("module");

        for (String changed : List.of(
                "usr/src/acme-1.0/acme.c",
                "usr/src/common/include/linux/module.h",
                "usr/src/headers/Module.symvers",
                "etc/dkms/framework.conf")) {
            String before = key();
            write(changed, "changed\n");
            assertThat(key()).as(changed).isNotEqualTo(before);
        }
        assertThat(kept.find(key())).isNull();
    }

    @Test
    void refusesABuildThatIsDamagedOrThatOthersMayWrite() throws IOException {
        kept.keep(key(), List.of(module()));
        Path build = place.resolve(key());
        Path stray = write(directory.relativize(build.resolve("stray.ko")).toString(), "stray");
        assertThat(kept.find(key())).as("one more module").isNull();
        Files.delete(stray);
        assertThat(kept.find(key())).isNotNull();
        Files.setPosixFilePermissions(build.resolve("acme.ko"), PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(kept.find(key())).as("a module that everybody can write").isNull();
        Files.setPosixFilePermissions(build.resolve("acme.ko"), PosixFilePermissions.fromString("rw-r--r--"));
        Files.writeString(build.resolve("acme.ko"), "other");
        assertThat(kept.find(key())).as("other contents").isNull();
    }

    @Test
    void keepsNothingOfAPackageWhoseScriptNeedsTheCompiledFiles() throws IOException {
        write("usr/src/acme-1.0/dkms.conf", "PACKAGE_NAME=acme\nPOST_BUILD=finish.sh\n");
        assertThat(key()).isEmpty();
        kept.keep(key(), List.of(module()));
        assertThat(place).doesNotExist();
    }

    @Test
    void removesTheOldestBuildsBeyondTheLimit() throws IOException {
        Path old = Files.createDirectories(place.resolve("old"));
        try (RandomAccessFile file =
                new RandomAccessFile(old.resolve("large.ko").toFile(), "rw")) {
            file.setLength(1L << 30);
        }
        Files.setLastModifiedTime(old, FileTime.fromMillis(0));
        kept.keep(key(), List.of(module()));
        assertThat(old).doesNotExist();
        assertThat(place.resolve(key())).isDirectory();
    }

    @Test
    void passesKeptModulesToDkmsUnlessAVariableChangesTheBuild() throws IOException {
        Step building = new Step("building", List.of("dkms", "build"), Map.of(), null, LABEL, List.of(), null);
        assertThat(handing(building, Map.of())).containsExactly(building);
        kept.keep(key(), List.of(module()));

        Step handing = handing(building, Map.of()).get(0);
        assertThat(handing.instead()).isEqualTo(building);
        assertThat(handing.title()).isEqualTo("taking the trial build of acme/1.0");
        assertThat(handing.words()).startsWith("dkms", "build", "--directive", "PRE_BUILD=");
        assertThat(handing.words().get(7)).startsWith("MAKE=for i in ").contains(place.resolve(key()) + "/");
        assertThat(handing(building, Map.of("KCFLAGS", "-O0"))).containsExactly(building);
    }

    private List<Step> handing(Step step, Map<String, String> environment) throws IOException {
        Job.BuildPlace place =
                new Job.BuildPlace(KERNEL, directory.resolve("usr/src/headers").toString(), "/work", null);
        Job job =
                new Job(place, new Job.Settings(null, true, false), null, List.of(LABEL), RebuildHint.SiteCommand.NONE);
        return kept.handing(List.of(step), job, environment);
    }

    private String key() throws IOException {
        return kept.key(
                LABEL, KERNEL, directory.resolve("usr/src/acme-1.0"), directory.resolve("usr/src/headers"), directory);
    }

    private Path module() throws IOException {
        return write("built/acme.ko", "module");
    }

    private Path write(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }
}
