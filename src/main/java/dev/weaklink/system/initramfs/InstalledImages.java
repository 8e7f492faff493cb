package dev.weaklink.system.initramfs;

import dev.weaklink.sys.Root;
import dev.weaklink.system.initramfs.ImageSearch.ImageFile;
import dev.weaklink.system.initramfs.ImageSearch.SafeNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The images of a kernel, and how each is regenerated. */
public final class InstalledImages {
    private final ImageSearch search;
    private final RenewalCommand renewal;
    private final String kernel;

    /** Looks in a root for the images of a kernel release. */
    public InstalledImages(Root root, String kernel) {
        this.search = new ImageSearch(root);
        this.renewal = new RenewalCommand(root);
        this.kernel = kernel;
    }

    /**
     * An image.
     *
     * @param path as given, or as seen from inside the root
     * @param file the path to open
     */
    public record Image(String path, Path file, Renewal renewal) {}

    /** All that are in the places where images are; none for a release that is no plain name. */
    public List<Image> all() {
        List<Image> images = new ArrayList<>();
        if (SafeNames.isSafe(kernel)) {
            for (ImageFile image : search.imagesOf(kernel)) {
                images.add(new Image(image.inside(), image.host(), renewal(image)));
            }
        }
        return images;
    }

    /** One that was named; if it is one of those, as such. */
    public Image given(String path) {
        Path file = Path.of(path);
        for (Image image : all()) {
            if (isSameFile(image.file(), file)) {
                return new Image(path, file, image.renewal());
            }
        }
        return new Image(
                path, file, new Renewal(List.of(), "regenerate it for " + kernel + " with the tool that made it"));
    }

    private static boolean isSameFile(Path one, Path other) {
        try {
            return Files.isSameFile(one, other);
        } catch (IOException e) {
            // One of them is not there.
            return false;
        }
    }

    private Renewal renewal(ImageFile image) {
        List<String> command = renewal.of(kernel, image);
        return new Renewal(command, InitramfsPlanner.instruction(image, command));
    }

    /**
     * How an image is regenerated; it is only shown, never done here.
     *
     * @param command the command and its arguments, as seen from inside the root; empty if no tool is there
     * @param words what to do, for people
     */
    public record Renewal(List<String> command, String words) {
        public Renewal {
            command = List.copyOf(command);
        }
    }
}
