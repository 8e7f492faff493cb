package dev.weaklink.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.system.KernelFiles.BuildDirectory;
import dev.weaklink.system.KernelFiles.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelFilesTest {
    private static final String K = "6.4.0-9-default";
    private static final String MODULES = "/lib/modules/" + K;
    private static final String UTS_RELEASE = "#define UTS_RELEASE \"%s\"\n";

    @TempDir
    Path temp;

    private FakeSystem system;

    @BeforeEach
    void makeSystem() throws IOException {
        system = new FakeSystem(temp.resolve("image")).directory(MODULES + "/kernel");
    }

    private KernelFiles locate() throws IOException {
        return KernelFiles.locate(system.root(), K);
    }

    private static String utsRelease(String release) {
        return UTS_RELEASE.replace("%s", release);
    }

    @Test
    void symversAreFoundInTheirDocumentedOrder() throws IOException {
        system.files(
                "/usr/src/linux-" + K + "/Module.symvers",
                "/usr/src/kernels/" + K + "/Module.symvers",
                "/usr/src/linux-headers-" + K + "/Module.symvers",
                "/boot/symvers-" + K,
                "/boot/symvers-" + K + ".xz",
                MODULES + "/symvers.zst",
                MODULES + "/symvers.gz",
                "/boot/symvers-6.4.0-9.gz");
        system.file("/own-build/Module.symvers", "").link(MODULES + "/build", "/own-build");
        assertThat(locate().all(Role.SYMVERS))
                .extracting(FoundFile::inside)
                .containsExactly(
                        MODULES + "/symvers.gz",
                        MODULES + "/symvers.zst",
                        "/boot/symvers-" + K + ".xz",
                        "/boot/symvers-" + K,
                        "/usr/src/linux-headers-" + K + "/Module.symvers",
                        "/usr/src/kernels/" + K + "/Module.symvers",
                        MODULES + "/build/Module.symvers",
                        "/usr/src/linux-" + K + "/Module.symvers");
    }

    @Test
    void imagesAreFoundInBootAndBesideTheModules() throws IOException {
        system.files(
                MODULES + "/vmlinuz",
                "/boot/vmlinux-" + K,
                "/boot/vmlinuz-" + K,
                "/boot/vmlinuz-6.4.0-8-default",
                "/boot/vmlinuz");

        assertThat(locate().all(Role.IMAGE))
                .extracting(FoundFile::inside)
                .containsExactly("/boot/vmlinuz-" + K, MODULES + "/vmlinuz", "/boot/vmlinux-" + K);
    }

    @Test
    void findsHeadersOnceDespiteABuildLink() throws IOException {
        system.files("/usr/src/linux-headers-" + K + "/Module.symvers");
        system.link(MODULES + "/build", "/usr/src/linux-headers-" + K);
        assertThat(locate().all(Role.SYMVERS)).hasSize(1);
        assertThat(locate().all(Role.SYMVERS).get(0).host())
                .isEqualTo(system.at("/usr/src/linux-headers-" + K + "/Module.symvers"));
    }

    @Test
    void reportsAndIgnoresABuildLinkToAnotherKernel() throws IOException {
        system.files("/own-build/Module.symvers", "/own-build/.config").link(MODULES + "/build", "/own-build");
        system.file("/own-build/include/config/kernel.release", "6.5.0-rc1\n");
        assertThat(locate().all(Role.SYMVERS)).isEmpty();
        assertThat(locate().all(Role.CONFIG)).isEmpty();
        assertThat(locate().notes()).containsExactly(MODULES + "/build is for kernel 6.5.0-rc1; not used");
    }

    @Test
    void suseHeadersAreFoundByTheReleaseTheyWereMadeFor() throws IOException {
        for (String flavor : new String[] {"azure", "default"}) {
            String directory = "/usr/src/linux-6.4.0-9-obj/x86_64/" + flavor;
            system.files(directory + "/Module.symvers");
            system.file(directory + "/include/generated/utsrelease.h", utsRelease("6.4.0-9-" + flavor));
        }
        assertThat(locate().all(Role.SYMVERS))
                .extracting(FoundFile::inside)
                .containsExactly("/usr/src/linux-6.4.0-9-obj/x86_64/default/Module.symvers");
    }

    @Test
    void configsAndListsOfBuiltinsAreFound() throws IOException {
        system.files(MODULES + "/config", "/boot/config-" + K);
        system.files("/usr/src/kernels/" + K + "/.config", MODULES + "/modules.builtin.modinfo");
        KernelFiles files = locate();
        assertThat(files.all(Role.CONFIG))
                .extracting(FoundFile::inside)
                .containsExactly("/boot/config-" + K, MODULES + "/config", "/usr/src/kernels/" + K + "/.config");
        assertThat(files.first(Role.BUILTIN_INFO)).isNotNull();
    }

    @Test
    void ofedIsFoundByArchitectureAndByDefault() throws IOException {
        system.files("/usr/src/ofa_kernel/x86_64/" + K + "/Module.symvers");
        system.files("/usr/src/ofa_kernel/x86_64/6.5/Module.symvers");
        system.link("/usr/src/ofa_kernel/default", "x86_64/" + K);
        assertThat(locate().all(Role.OFED_SYMVERS))
                .extracting(FoundFile::inside)
                .containsExactly("/usr/src/ofa_kernel/x86_64/" + K + "/Module.symvers");
        assertThat(locate().notes()).isEmpty();
    }

    @Test
    void reportsAndIgnoresAnOfedDefaultForAnotherKernel() throws IOException {
        system.files("/usr/src/ofa_kernel/x86_64/6.5/Module.symvers");
        system.link("/usr/src/ofa_kernel/default", "/etc/alternatives/ofa");
        system.link("/etc/alternatives/ofa", "/usr/src/ofa_kernel/x86_64/6.5");
        assertThat(locate().all(Role.OFED_SYMVERS)).isEmpty();
        assertThat(locate().notes()).containsExactly("/usr/src/ofa_kernel/default points to 6.5; not used");
    }

    @Test
    void findsNothingOutsideTheRoot() throws IOException {
        Path outside = Files.createFile(temp.resolve("symvers")).toRealPath();
        system.link("/boot/symvers-" + K + ".gz", "../../../../../../../.." + outside);
        system.link("/boot/config-" + K, "/boot/config-" + K);
        assertThat(locate().all(Role.SYMVERS)).isEmpty();
        assertThat(locate().all(Role.CONFIG)).isEmpty();
    }

    @Test
    void readsTheReleaseOfAGivenDirectory() throws IOException {
        system.files("/h/Module.symvers", "/h/.config", "/h/include/config/auto.conf");
        system.file("/h/include/generated/utsrelease.h", utsRelease(K));
        system.file("/h/include/config/kernel.release", "6.4.12\n");
        assertThat(BuildDirectory.of(system.at("/h")))
                .isEqualTo(new BuildDirectory(system.at("/h/Module.symvers"), system.at("/h/.config"), K));
    }

    @Test
    void readsAutoConfIfThereIsNoDotConfig() throws IOException {
        system.files("/h/include/config/auto.conf");
        system.file("/h/include/config/kernel.release", "6.4.12\n");
        assertThat(BuildDirectory.of(system.at("/h")))
                .isEqualTo(new BuildDirectory(null, system.at("/h/include/config/auto.conf"), "6.4.12"));
    }

    @Test
    void readsNothingFromAnEmptyDirectory() throws IOException {
        system.file("/h/include/generated/utsrelease.h", "#define UTS_RELEASE \"cut");
        assertThat(BuildDirectory.of(system.at("/h"))).isEqualTo(new BuildDirectory(null, null, null));
    }
}
