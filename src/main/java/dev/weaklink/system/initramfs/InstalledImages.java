package dev.weaklink.system.initramfs;

import dev.weaklink.sys.Root;
import dev.weaklink.system.initramfs.ImageSearch.ImageFile;
import dev.weaklink.system.initramfs.ImageSearch.SafeNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The initramfs images of a kernel, with instructions for regenerating each. */
public final class InstalledImages {
    private final ImageSearch search;
    private final RenewalCommand renewal;
    private final String kernel;

    public InstalledImages(Root root, String kernel) {
        this.search = new ImageSearch(root);
        this.renewal = new RenewalCommand(root);
        this.kernel = kernel;
    }

    /**
     * An initramfs image.
     *
     * @param path the path as given, or inside the root directory
     * @param file the path to open
     */
    public record Image(String path, Path file, Renewal renewal) {}

    /** Returns the initramfs images at all known locations; empty if the release is not a safe name. */
    public List<Image> all() {
        List<Image> images = new ArrayList<>();
        if (SafeNames.isSafe(kernel)) {
            for (ImageFile image : search.imagesOf(kernel)) {
                images.add(new Image(image.inside(), image.host(), renewal(image)));
            }
        }
        return images;
    }

    public Image given(String path) {
        Path file = Path.of(path);
        for (Image image : all()) {
            if (isSameFile(image.file(), file)) {
                return new Image(path, file, image.renewal());
            }
        }
        return new Image(path, file, new Renewal(List.of(), "run the tool that made it, for kernel " + kernel));
    }

    private static boolean isSameFile(Path one, Path other) {
        try {
            return Files.isSameFile(one, other);
        } catch (IOException e) {
            // A missing file is not the same file as any other.
            return false;
        }
    }

    private Renewal renewal(ImageFile image) {
        List<String> command = renewal.of(kernel, image);
        return new Renewal(command, InitramfsPlanner.instruction(image, command));
    }

    /**
     * Instructions for regenerating an initramfs image, for printing only.
     *
     * @param command the command and its arguments, with paths inside the root directory; empty if the tool is unknown
     *     or not installed
     * @param words the instruction for people
     */
    public record Renewal(List<String> command, String words) {
        public Renewal {
            command = List.copyOf(command);
        }
    }
}
