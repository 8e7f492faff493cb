package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Bundle;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepositoryTest {
    private static final String KERNEL = "5.14.0-570.el9.x86_64";

    @TempDir
    Path directory;

    private Path offer;

    @BeforeEach
    void installIndexer() throws IOException {
        offer = directory.resolve("offer");
        Path tool = Files.createDirectory(directory.resolve("bin")).resolve("createrepo_c");
        Files.writeString(tool, "#!/bin/sh\n: > \"$2/index\"\n");
        assertThat(tool.toFile().setExecutable(true)).isTrue();
    }

    private List<String> fill(@Nullable Bundle bundle, String... names) throws IOException {
        List<Path> packages = new ArrayList<>();
        for (String name : names) {
            packages.add(Files.writeString(directory.resolve(name), name));
        }
        RebuildOutcome.Results results =
                new RebuildOutcome.Results(packages, packages, List.of(), List.of(), null, null);
        String path = directory.resolve("bin") + ":/usr/bin:/bin";
        return new Repository(offer, Map.of("PATH", path)).fill(KERNEL, bundle, results);
    }

    private static Bundle bundle(String product) {
        return new Bundle("/mnt", Bundle.Form.DIRECTORY, "", product, "24.10", null, true, null, false, 0, List.of());
    }

    @Test
    void installsPackagesByTheirNames() throws IOException {
        List<String> lines = fill(null, "kmod-iser-24.10-1.x86_64.rpm", "kmod-odd name-1-1.noarch.rpm");
        assertThat(lines)
                .containsExactly(
                        "[weaklink-" + KERNEL + "]",
                        "name=Modules for " + KERNEL,
                        "baseurl=file://" + offer,
                        "gpgcheck=0",
                        "then, on each machine: dnf install kmod-iser 'kmod-odd name'");
        assertThat(offer.resolve("index")).exists();
        assertThat(offer.resolve("kmod-iser-24.10-1.x86_64.rpm")).exists();
    }

    @Test
    void explainsPackagesOfAnImageThatRequireOthers() throws IOException {
        assertThat(fill(bundle("mlnx-en"), "kmod-mlnx-en-24.10-1.x86_64.rpm"))
                .last()
                .isEqualTo("mlnx-en-kernel-only requires only the drivers, mlnx-en-all also the user space; both"
                        + " are metapackages in the image's repository");
        assertThat(fill(bundle("MLNX_OFED_LINUX"), "kmod-iser-24.10-1.x86_64.rpm"))
                .last()
                .asString()
                .startsWith("mlnx-ofed-kernel-only requires only the drivers, mlnx-ofed-all ");
    }

    @Test
    void replacesALinkAtThePathOfTheIndex() throws IOException {
        Path tool = directory.resolve("bin/dpkg-scanpackages");
        Files.writeString(tool, "#!/bin/sh\necho Package: a\n");
        assertThat(tool.toFile().setExecutable(true)).isTrue();
        Path theirs = Files.writeString(directory.resolve("theirs"), "as it was");
        Files.createSymbolicLink(Files.createDirectory(offer).resolve("Packages"), theirs);
        assertThat(fill(null, "a_1_all.deb")).containsExactly("deb [trusted=yes] file:" + offer + " ./");
        assertThat(theirs).hasContent("as it was");
        assertThat(offer.resolve("Packages")).hasContent("Package: a");
        assertThat(RootText.names(offer)).containsExactly("Packages", "a_1_all.deb");
    }
}
