package dev.weaklink.system.initramfs;

import dev.weaklink.sys.DpkgStatus;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.ShellWord;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.initramfs.ImageSearch.ImageFile;
import dev.weaklink.system.initramfs.ImageSearch.SafeNames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sign that the installation of a kernel is incomplete.
 *
 * @param reason the problem, without the kernel's name
 * @param next the command or instruction that completes the installation
 */
public record UnfinishedInstallation(String reason, String next) {
    private static final List<String> KERNEL_PACKAGES =
            List.of("linux-image-", "linux-modules-", "linux-binary-", "proxmox-kernel-", "pve-kernel-");

    private static final List<String> UNIFIED_IMAGES =
            List.of("/boot/EFI/Linux", "/boot/efi/EFI/Linux", "/efi/EFI/Linux");

    /**
     * Returns the signs of an unfinished installation below a root directory: packages of the kernel that dpkg has not
     * configured. If all are configured, but another bootable kernel has an initramfs, a missing initramfs is a sign.
     */
    public static List<UnfinishedInstallation> of(String kernel, Root root) {
        List<UnfinishedInstallation> signs = new ArrayList<>();
        RootText text = new RootText(root);
        String within = root.isHost() ? "" : "inside the image: ";
        Map<String, String> states = DpkgStatus.unfinished(text.read("/var/lib/dpkg/status", DpkgStatus.LIMIT));
        states.forEach((name, state) -> {
            if (isOfKernel(name, kernel)) {
                signs.add(new UnfinishedInstallation(
                        name + " is not fully installed (" + state + ")", within + "dpkg --configure -a"));
            }
        });
        // While a package is not configured, a missing initramfs is not reported: configuring the package also creates
        // it.
        if (signs.isEmpty() && SafeNames.isSafe(kernel) && !hasImage(kernel, root, text)) {
            ImageFile other = otherImage(kernel, root);
            if (other != null) {
                signs.add(new UnfinishedInstallation(
                        "the kernel has no initramfs, unlike the kernel of " + other.inside(),
                        within + creation(kernel, other, root)));
            }
        }
        return signs;
    }

    public static List<String> lines(String kernel, Root root) {
        return of(kernel, root).stream()
                .map(sign -> sign.reason() + "; next: " + sign.next())
                .toList();
    }

    /**
     * Returns whether a Debian package belongs to a kernel: its name starts like a kernel package's and ends with the
     * release, or with "-signed" after the release.
     */
    private static boolean isOfKernel(String name, String kernel) {
        String bare = name.endsWith("-signed") ? name.substring(0, name.length() - "-signed".length()) : name;
        return bare.endsWith("-" + kernel) && KERNEL_PACKAGES.stream().anyMatch(bare::startsWith);
    }

    private static boolean hasImage(String kernel, Root root, RootText text) {
        String directory = "/lib/modules/" + kernel;
        return !new ImageSearch(root).imagesOf(kernel).isEmpty()
                || text.isFile(directory + "/initramfs.img")
                || text.isFile(directory + "/initrd")
                || UNIFIED_IMAGES.stream()
                        .anyMatch(place -> text.names(place).stream().anyMatch(name -> name.contains(kernel)));
    }

    private static @Nullable ImageFile otherImage(String kernel, Root root) {
        List<String> releases = new ArrayList<>(InstalledKernels.bootable(root));
        Collections.reverse(releases);
        for (String other : releases) {
            if (!other.equals(kernel) && SafeNames.isSafe(other)) {
                List<ImageFile> images = new ImageSearch(root).imagesOf(other);
                if (!images.isEmpty()) {
                    return images.get(0);
                }
            }
        }
        return null;
    }

    private static String creation(String kernel, ImageFile other, Root root) {
        if (other.style().isNamedByPackage()) {
            return "make an initramfs with the tool that made " + other.inside();
        }
        String inside = other.inside().replace(other.base(), kernel);
        ImageFile missing = new ImageFile(inside, other.host(), other.style(), kernel);
        List<String> command = new RenewalCommand(root).of(kernel, missing);
        if (command.isEmpty()) {
            return "make " + inside + " with the tool that made " + other.inside();
        }
        // update-initramfs(8) -u updates only existing images; -c creates one
        List<String> words = command.stream()
                .map(word -> word.equals("-u") ? "-c" : word)
                .map(ShellWord::of)
                .toList();
        return String.join(" ", words);
    }
}
