package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Images of file systems and disks as modules, kernels and root directories. */
class DiskImageTest {
    @TempDir
    Path directory;

    private Path image(String name, int offset, String magic) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(40_000);
        bytes.put(offset, magic.getBytes(StandardCharsets.ISO_8859_1));
        return Files.write(directory.resolve(name), bytes.array());
    }

    private String refused(String... arguments) {
        WholeRun run = WholeRun.of(arguments).at(directory);
        assertThat(run.status()).isEqualTo(2);
        return run.err();
    }

    @ParameterizedTest
    @CsvSource({
        "0, hsqs, a squashfs file system; mount it with 'mount -o ro DIR/a.raw /mnt'",
        "1024, \u00e2\u00e1\u00f5\u00e0, an erofs file system; mount it with 'mount -o ro DIR/a.raw /mnt'",
        "1080, S\u00ef, an ext4 file system; mount it with 'mount -o ro DIR/a.raw /mnt'",
        "32769, CD001, an ISO 9660 image; mount it with 'mount -o ro DIR/a.raw /mnt'",
        "0, QFI\u00fb, a qcow2 disk; attach it with 'qemu-nbd --read-only --connect=/dev/nbd0 DIR/a.raw'",
        "512, EFI PART, a disk with partitions; attach it with 'losetup --find --show --partscan --read-only DIR/a.raw'",
        "0, 'PK\u0003\u0004', a zip archive; unpack it with 'unzip DIR/a.raw -d DIR'",
        "0, MZ, 'a PE program, such as a kernel with an EFI stub; if it is a kernel, name it with --kernel'",
    })
    void saysWhatAnImageIsAndHowToLookInside(int offset, String magic, String words) throws IOException {
        String image = image("a.raw", offset, magic).toString();
        assertThat(refused("check", image, "--root", directory.toString()))
                .startsWith("weaklink: DIR/a.raw: " + words)
                .doesNotContain("not an ELF file");
        if (!magic.equals("MZ")) {
            assertThat(refused("inspect", image)).startsWith("weaklink: DIR/a.raw: " + words);
        }
    }

    @Test
    void recognisesAnImageAsKernelRootAndBuild() throws IOException {
        String image = image("sysext.raw", 0, "hsqs").toString();
        String advice =
                ": a squashfs file system; mount it with 'mount -o ro DIR/sysext.raw /mnt', then use --root /mnt\n";
        String module = Files.write(directory.resolve("m.ko"), new byte[0]).toString();
        assertThat(refused("check", module, "--kernel", image)).contains("weaklink: DIR/sysext.raw" + advice);
        assertThat(refused("check", "--root", image)).startsWith("weaklink: --root DIR/sysext.raw" + advice);
        String root = directory.toString();
        assertThat(refused("matrix", image, "--best", "--kernel", image, "--root", root))
                .contains("weaklink: DIR/sysext.raw" + advice);
    }
}
