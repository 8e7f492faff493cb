package dev.weaklink.format.archive;

import dev.weaklink.sys.RegularFile;
import dev.weaklink.sys.ShellWord;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A format that weaklink reads neither as a package nor as a module, such as a system extension (squashfs, erofs) or
 * the disk of a virtual machine. The magic number identifies the format, so that a message can name the format instead
 * of calling the file a damaged module.
 */
public enum DiskImage {
    SQUASHFS("a squashfs file system", 0, "hsqs"),
    EROFS("an erofs file system", 1024, "\u00e2\u00e1\u00f5\u00e0"),
    EXT4("an ext4 file system", 1024 + 56, "\u0053\u00ef"),
    ISO("an ISO 9660 image", 16 * 2048 + 1, "CD001"),
    QCOW2("a qcow2 disk", 0, "QFI\u00fb"),
    GPT("a disk with partitions", 512, "EFI PART"),
    ZIP("a zip archive", 0, "PK\u0003\u0004"),
    PE("a PE program, such as a kernel with an EFI stub", 0, "MZ");

    private static final int HEAD = 16 * 2048 + 6;
    private static final String ELF = "\u007fELF";

    private final String title;
    private final int offset;
    private final byte[] magic;

    DiskImage(String title, int offset, String magic) {
        this.title = title;
        this.offset = offset;
        this.magic = magic.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Returns the format of a file; null if the file has none of these formats, or cannot be read. */
    public static @Nullable DiskImage of(Path file) {
        try (InputStream in = RegularFile.open(file)) {
            return of(in.readNBytes(HEAD));
        } catch (IOException e) {
            return null; // the next reader of the file reports the error
        }
    }

    private static @Nullable DiskImage of(byte[] head) {
        if (has(head, 0, ELF.getBytes(StandardCharsets.ISO_8859_1))) {
            return null;
        }
        for (DiskImage image : values()) {
            if (has(head, image.offset, image.magic)) {
                return image;
            }
        }
        return null;
    }

    private static boolean has(byte[] head, int offset, byte[] magic) {
        int end = offset + magic.length;
        return end <= head.length && Arrays.equals(head, offset, end, magic, 0, magic.length);
    }

    public String advice(String file) {
        String name = ShellWord.of(file);
        return title
                + "; "
                + switch (this) {
                    case SQUASHFS, EROFS, EXT4 -> "mount it with 'mount -o ro " + name + " /mnt', then use --root /mnt";
                    case ISO ->
                        "mount it with 'mount -o ro " + name + " /mnt', then name a package or directory below /mnt";
                    case QCOW2 ->
                        "attach it with 'qemu-nbd --read-only --connect=/dev/nbd0 "
                                + name
                                + "', mount its partition read-only at /mnt, then use --root /mnt";
                    case GPT ->
                        "attach it with 'losetup --find --show --partscan --read-only "
                                + name
                                + "', mount its partition read-only at /mnt, then use --root /mnt";
                    case ZIP -> "unpack it with 'unzip " + name + " -d DIR', then name DIR";
                    case PE -> "if it is a kernel, name it with --kernel (weaklink explain: with --from or --to)";
                };
    }
}
