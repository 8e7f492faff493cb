package dev.weaklink.system.initramfs;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.initramfs.ImageSearch.ImageFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Chooses the command that renews an initramfs image, from the image's style and the installed tools. */
final class RenewalCommand {
    private static final String[] DIRECTORIES = {"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"};

    private final Root root;

    RenewalCommand(Root root) {
        this.root = root;
    }

    List<String> of(String kernel, ImageFile image) {
        boolean preset = image.style().isNamedByPackage()
                && new RootText(root).isFile("/etc/mkinitcpio.d/" + image.base() + ".preset");
        for (RenewalTool tool : image.style().tools()) {
            for (String directory : DIRECTORIES) {
                String program = directory + tool.program();
                if (isProgram(program)) {
                    return tool.command(program, kernel, image, preset);
                }
            }
        }
        return List.of();
    }

    private boolean isProgram(String inside) {
        try {
            Path file = root.resolve(inside);
            return Files.isRegularFile(file) && Files.isExecutable(file);
        } catch (IOException e) {
            return false;
        }
    }

    enum RenewalTool {
        DRACUT("dracut") {
            @Override
            List<String> command(String program, String kernel, ImageFile image, boolean preset) {
                return List.of(program, "-f", image.inside(), kernel);
            }
        },
        UPDATE_INITRAMFS("update-initramfs") {
            @Override
            List<String> command(String program, String kernel, ImageFile image, boolean preset) {
                return List.of(program, "-u", "-k", kernel);
            }
        },
        MKINITCPIO("mkinitcpio") {
            @Override
            List<String> command(String program, String kernel, ImageFile image, boolean preset) {
                if (preset) {
                    return List.of(program, "-p", image.base());
                }
                return image.style() == ImageStyle.PACKAGE_FALLBACK
                        ? List.of(program, "-k", kernel, "-g", image.inside(), "-S", "autodetect")
                        : List.of(program, "-k", kernel, "-g", image.inside());
            }
        };

        private final String program;

        RenewalTool(String program) {
            this.program = program;
        }

        String program() {
            return program;
        }

        abstract List<String> command(String program, String kernel, ImageFile image, boolean preset);
    }

    /**
     * The naming schemes of initramfs images, with K for the kernel's release. Each scheme has the tools that may renew
     * such images, the likeliest first.
     */
    enum ImageStyle {
        /** {@code initramfs-K.img}: the name on Red Hat and Fedora, and dracut's default. */
        RED_HAT(RenewalTool.DRACUT, RenewalTool.MKINITCPIO),

        /** {@code initrd.img-K}: the name of Debian and Ubuntu, whose dracut package also provides update-initramfs. */
        DEBIAN(RenewalTool.UPDATE_INITRAMFS, RenewalTool.DRACUT),

        /** {@code initrd-K} and the older {@code initrd-K.img}. */
        SUSE(RenewalTool.DRACUT),

        /** {@code initramfs-PKGBASE.img}: the name of Arch. */
        PACKAGE_BASE(RenewalTool.MKINITCPIO, RenewalTool.DRACUT),

        /** {@code initramfs-PKGBASE-fallback.img}: a name of Arch; only mkinitcpio knows the options of this image. */
        PACKAGE_FALLBACK(RenewalTool.MKINITCPIO),

        /** {@code TOKEN/K/initrd} on the boot partition: the name of kernel-install. */
        BOOT_ENTRY(RenewalTool.DRACUT, RenewalTool.MKINITCPIO);

        private final List<RenewalTool> tools;

        ImageStyle(RenewalTool... tools) {
            this.tools = List.of(tools);
        }

        List<RenewalTool> tools() {
            return tools;
        }

        boolean isNamedByPackage() {
            return this == PACKAGE_BASE || this == PACKAGE_FALLBACK;
        }
    }
}
