package dev.weaklink.initramfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images made by the programs that make them. */
class RealImageTest {
  private static final String KERNEL = "6.1.0-weaklink";
  private static final String INSIDE = "usr/lib/modules/" + KERNEL + "/extra/weak.ko";

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "xz", "zstd", "bzip2", "lzma", "lz4", "cat"})
  void findsAModuleInAnImageOfDracut(String compressor) throws IOException {
    ExternalTool dracut = ExternalTool.orSkip("dracut");
    ExternalTool.orSkip(compressor);
    Path module = Files.writeString(directory.resolve("weak.ko"), "a module");
    Path image = directory.resolve("image");
    dracut.run(
        "--force",
        "--no-kernel",
        "--no-hostonly",
        "--nostrip",
        "--tmpdir",
        directory.toString(),
        "-m",
        " ",
        "-i",
        module.toString(),
        "/" + INSIDE,
        "--compress",
        compressor,
        image.toString(),
        KERNEL);
    assertThat(InitramfsImage.read(image).modules())
        .containsExactly(new InitramfsModule(INSIDE, 8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "xz", "zstd", "lz4", "lzma"})
  void findsAModuleInAnImageOfInitramfsTools(String compressor) throws IOException {
    ExternalTool.orSkip("mkinitramfs");
    ExternalTool.orSkip(compressor);
    ExternalTool unshare = ExternalTool.orSkip("unshare");
    assumeTrue("root".equals(System.getProperty("user.name")), "not root: no private /boot");
    Path boot = Files.createDirectory(directory.resolve("boot"));
    Files.writeString(
        boot.resolve("config-" + KERNEL),
        "CONFIG_RD_GZIP=y\nCONFIG_RD_XZ=y\nCONFIG_RD_ZSTD=y\nCONFIG_RD_LZ4=y\nCONFIG_RD_LZMA=y\n");
    Path image = directory.resolve("image");
    unshare.run(
        "-m",
        "sh",
        "-ec",
        "mount --bind \"$1\" /boot; mkinitramfs -c \"$2\" -d \"$3\" -o \"$4\" $5",
        "sh",
        boot.toString(),
        compressor,
        configuration().toString(),
        image.toString(),
        KERNEL);
    assertThat(InitramfsImage.read(image).modules())
        .containsExactly(new InitramfsModule(INSIDE, 9));
  }

  /** A configuration with a hook that puts the module into the image. */
  private Path configuration() throws IOException {
    Path configuration = Files.createDirectory(directory.resolve("conf"));
    for (String name : new String[] {"hooks", "conf.d", "scripts"}) {
      Files.createDirectory(configuration.resolve(name));
    }
    Files.writeString(
        configuration.resolve("initramfs.conf"), "MODULES=list\nBUSYBOX=n\nKEYMAP=n\n");
    Files.writeString(configuration.resolve("modules"), "");
    Path hook =
        Files.writeString(
            configuration.resolve("hooks/weak"),
            "#!/bin/sh\n[ \"$1\" = prereqs ] && exit 0\nf=$DESTDIR/"
                + INSIDE
                + "\nmkdir -p \"${f%/*}\"\necho a module >\"$f\"\n");
    assertThat(hook.toFile().setExecutable(true)).isTrue();
    return configuration;
  }

  @Test
  void readsTheLegacyFormatAsTheToolWritesIt() throws IOException {
    ExternalTool lz4 = ExternalTool.orSkip("lz4");
    byte[] archive = new CpioWriter().file("firmware", 20 << 20).file(INSIDE, 5).end();
    Path plain = Files.write(directory.resolve("plain"), archive);
    Path image = directory.resolve("image");
    lz4.run("-l", "-q", plain.toString(), image.toString());
    assertThat(InitramfsImage.read(image).modules())
        .containsExactly(new InitramfsModule(INSIDE, 5));
  }
}
