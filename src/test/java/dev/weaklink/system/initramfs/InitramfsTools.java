package dev.weaklink.system.initramfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes initramfs images with Debian's initramfs-tools; skips the test if a tool is missing or the user is not root.
 */
public final class InitramfsTools {
    private InitramfsTools() {}

    /** A hook that removes the libraries, which are most of an image and take seconds to compress with xz and lzma. */
    private static final String WITHOUT_LIBRARIES = "find \"$DESTDIR\" -name 'lib*.so*' -delete\n";

    /**
     * Makes an initramfs image.
     *
     * @param directory the directory to work in
     * @param compressor the name of a compression program, such as zstd
     * @param hook shell commands that put files below {@code $DESTDIR}
     * @return the path of the image
     */
    public static Path make(Path directory, String kernel, String compressor, String hook) throws IOException {
        ExternalTool.orSkip("mkinitramfs");
        ExternalTool.orSkip(compressor);
        ExternalTool unshare = ExternalTool.orSkip("unshare");
        assumeTrue("root".equals(System.getProperty("user.name")), "not root: no private /boot");
        Path boot = Files.createDirectory(directory.resolve("boot"));
        Files.writeString(
                boot.resolve("config-" + kernel),
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
                configuration(directory, hook).toString(),
                image.toString(),
                kernel);
        return image;
    }

    private static Path configuration(Path directory, String commands) throws IOException {
        Path configuration = Files.createDirectory(directory.resolve("conf"));
        for (String name : new String[] {"hooks", "conf.d", "scripts"}) {
            Files.createDirectory(configuration.resolve(name));
        }
        Files.writeString(
                configuration.resolve("initramfs.conf"), "MODULES=list\nBUSYBOX=n\nKEYMAP=n\nCOMPRESSLEVEL=1\n");
        Files.writeString(configuration.resolve("modules"), "");
        Path hook = Files.writeString(
                configuration.resolve("hooks/weak"),
                "#!/bin/sh\nset -e\n[ \"$1\" = prereqs ] && exit 0\n" + WITHOUT_LIBRARIES + commands + "\n");
        assertThat(hook.toFile().setExecutable(true)).isTrue();
        return configuration;
    }
}
