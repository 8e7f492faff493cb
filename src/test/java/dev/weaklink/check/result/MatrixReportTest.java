package dev.weaklink.check.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The series of kernels. The cases of commands cover the other contents of a matrix. */
class MatrixReportTest {
    /** Kernels with another page size need other modules. */
    @Test
    void putsOnlyOneFlavourIntoASeries() {
        assertThat(Stream.of(
                                "6.12.116+deb13-arm64",
                                "6.12.116+deb13-arm64-16k",
                                "5.14.0-503.el9_5.aarch64+64k",
                                "6.1.0-56-cloud-amd64")
                        .map(release ->
                                MatrixReport.MatrixKernel.of(release, release).series()))
                .containsExactly("6.12 deb13 arm64", "6.12 deb13 arm64 16k", "5.14 el9 aarch64 64k", "6.1 cloud amd64");
    }
}
