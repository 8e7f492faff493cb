package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of hundreds of real modules the built program tells what the script tells, byte for byte. */
class InventoryIT {
  private static final String SCRIPT = "src/main/dist/weaklink-collect";
  private static final int EVERY = 9;

  @TempDir Path directory;

  @Test
  void aRealTreeWithWeakLinksIsToldAlike() throws IOException {
    ExternalTool.orSkip("modprobe");
    WeakUpdatesRoot root =
        WeakUpdatesRoot.redHat(
            directory.resolve("root"), present("6.1.0-53-amd64"), present("6.1.0-54-amd64"));
    List<Path> all = root.provider.files();
    Path links = root.directory(root.target).resolve("weak-updates/many");
    Files.createDirectories(links);
    for (int i = 0; i < all.size(); i += EVERY) {
      Path file = all.get(i);
      Path added = Path.of(root.add("extra/many", file));
      Files.createSymbolicLink(links.resolve(file.getFileName()), added);
    }

    String script =
        ExternalTool.orSkip("dash")
            .run(Path.of(SCRIPT).toAbsolutePath().toString(), "--full", "--root=" + root.top);
    WeaklinkRunner.Run run =
        WeaklinkRunner.run(List.of("inventory", "--full", "--root", root.top.toString()));
    assertThat(run.stdout()).hasSize(1);
    String here = run.stdout().get(0) + "\n";
    assertThat(here).contains("\"link\":").hasSizeGreaterThan(1 << 20);
    Files.write(directory.resolve("here"), here.getBytes(StandardCharsets.UTF_8));
    Files.write(directory.resolve("script"), script.getBytes(StandardCharsets.UTF_8));
    assertThat(Files.mismatch(directory.resolve("here"), directory.resolve("script")))
        .isEqualTo(-1);
  }

  private static Kernel present(String release) {
    Optional<Kernel> kernel = RealKernels.atDefault().find(release);
    assumeThat(kernel).as(release + " is not in the package index any more").isPresent();
    return kernel.orElseThrow();
  }
}
