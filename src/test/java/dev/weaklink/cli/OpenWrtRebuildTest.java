package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.TreeBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On OpenWrt nothing is ever called compatible, and nothing is built. */
class OpenWrtRebuildTest {
  private static final String HASH = "0123456789abcdef0123456789abcdef";
  @TempDir Path directory;

  private WholeRun rebuild(String database, String text) {
    TreeBuilder image = TreeBuilder.in(directory);
    image.file(
        "etc/os-release",
        "ID=\"openwrt\"\nVERSION_ID=\"24.10\"\n".getBytes(StandardCharsets.UTF_8));
    image.file(database, text.getBytes(StandardCharsets.UTF_8));
    return WholeRun.of("rebuild", "--kernel", "5.15.167", "--root", directory.toString());
  }

  @Test
  void theHashInThePackagesDependencyDecides() {
    WholeRun run =
        rebuild(
            "usr/lib/opkg/status",
            """
            Package: kernel
            Version: 5.15.167-1-%1$s

            Package: kmod-mlx5-core
            Version: 5.15.167-1
            Depends: kernel (= 5.15.167-1-%1$s), kmod-ptp

            Package: kmod-mlnx-ofed
            Version: 24.10
            Depends: libc, kernel (=5.15.160-1-ffff)
            """
                .formatted(HASH));
    assertThat(run.out())
        .isEqualTo(
            """
            5.15.167: OpenWrt, package kernel 5.15.167-1-%s
              INCOMPATIBLE  kmod-mlnx-ofed: cannot be installed: it depends on kernel 5.15.160-1-ffff
              UNDETERMINED  kmod-mlx5-core: for this kernel and configuration; without CRCs no more is known
            Next: in the SDK of this very release and target (it has the same hash):
              make package/mlnx-ofed/compile V=s
              then install the packages from its bin/packages and bin/targets
            """
                .formatted(HASH));
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void apksDatabaseIsReadTooAndTheSameHashProvesNothing() {
    WholeRun run =
        rebuild(
            "lib/apk/db/installed",
            "P:kernel\nV:6.6.73~%1$s-r1\n\nP:kmod-mlx5-core\nV:6.6.73-r1\nD:kernel=6.6.73~%1$s-r1 kmod-ptp\n"
                .formatted(HASH));
    assertThat(run.out()).contains("UNDETERMINED  kmod-mlx5-core").doesNotContain(" COMPATIBLE");
    assertThat(run.status()).isEqualTo(3);
  }
}
