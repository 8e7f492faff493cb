package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The grouping of header packages by kernel. */
class HeaderFilesTest {
    @Test
    void addsSharedPackagesToTheirKernels() {
        assertThat(HeaderFiles.of(List.of(
                        "d/linux-headers-6.1.0-55-common_6.1.1_all.deb",
                        "d/linux-headers-6.1.0-55-amd64_6.1.1_amd64.deb",
                        "d/linux-headers-6.1.0-56-amd64_6.1.2_amd64.deb",
                        "d/linux-headers-6.1.0-56-common_6.1.2_all.deb",
                        "d/linux-kbuild-6.1_6.1.2_amd64.deb")))
                .containsExactly(
                        List.of(
                                "d/linux-headers-6.1.0-55-amd64_6.1.1_amd64.deb",
                                "d/linux-headers-6.1.0-55-common_6.1.1_all.deb",
                                "d/linux-kbuild-6.1_6.1.2_amd64.deb"),
                        List.of(
                                "d/linux-headers-6.1.0-56-amd64_6.1.2_amd64.deb",
                                "d/linux-headers-6.1.0-56-common_6.1.2_all.deb",
                                "d/linux-kbuild-6.1_6.1.2_amd64.deb"));
    }

    @Test
    void ubuntusSharedHeadersBelongToEachFlavour() {
        assertThat(HeaderFiles.of(List.of(
                        "linux-headers-6.8.0-50_6.8.0-50.51_all.deb",
                        "linux-headers-6.8.0-50-generic_6.8.0-50.51_amd64.deb",
                        "linux-headers-6.8.0-5-generic_6.8.0-5.5_amd64.deb")))
                .containsExactly(
                        List.of(
                                "linux-headers-6.8.0-50-generic_6.8.0-50.51_amd64.deb",
                                "linux-headers-6.8.0-50_6.8.0-50.51_all.deb"),
                        List.of("linux-headers-6.8.0-5-generic_6.8.0-5.5_amd64.deb"));
    }

    @Test
    void treatsEveryReleaseDirectoryAndRpmAsAKernel() {
        assertThat(HeaderFiles.of(
                        List.of("6.1.0-55-amd64", "/usr/src/kernels/K", "kernel-devel-1.rpm", "kernel-devel-2.rpm")))
                .containsExactly(
                        List.of("6.1.0-55-amd64"),
                        List.of("/usr/src/kernels/K"),
                        List.of("kernel-devel-1.rpm"),
                        List.of("kernel-devel-2.rpm"));
    }

    @Test
    void leavesOutNoPackageThatBelongsToNoKernel() {
        assertThat(HeaderFiles.of(List.of("6.1.0-55-amd64", "linux-headers-6.1.0-56-common_1_all.deb")))
                .containsExactly(List.of("6.1.0-55-amd64"), List.of("linux-headers-6.1.0-56-common_1_all.deb"));
    }

    @Test
    void sharedPackagesAloneAreTriedTogether() {
        assertThat(HeaderFiles.of(List.of("linux-headers-6.1.0-55-common_1_all.deb")))
                .containsExactly(List.of("linux-headers-6.1.0-55-common_1_all.deb"));
    }
}
