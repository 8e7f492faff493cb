package dev.weaklink.system;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An image with dummy module files. */
final class FakeImage {
    static final String RELEASE = "6.1.0-9-test";
    static final String BASE = "/lib/modules/" + RELEASE;

    private final Path top;

    FakeImage(Path directory) throws IOException {
        top = Files.createDirectories(directory).toRealPath();
        Files.createDirectories(top.resolve("etc/depmod.d"));
        Files.createDirectories(top.resolve(BASE.substring(1)).resolve("kernel"));
    }

    Path top() {
        return top;
    }

    Root root() throws IOException {
        return Root.of(top);
    }

    Path at(String inside) {
        return top.resolve(inside.substring(1));
    }

    Path kernel(String relative) {
        return at(BASE + "/" + relative);
    }

    /** Makes empty files below the kernel's directory. */
    FakeImage with(String... files) throws IOException {
        for (String file : files) {
            touch(BASE + "/" + file);
        }
        return this;
    }

    void touch(String inside) throws IOException {
        Files.createDirectories(at(inside).getParent());
        if (!Files.exists(at(inside))) {
            Files.createFile(at(inside));
        }
    }

    FakeImage link(String file, String target) throws IOException {
        Files.createDirectories(kernel(file).getParent());
        Files.createSymbolicLink(kernel(file), Path.of(target));
        return this;
    }

    FakeImage config(String name, String... lines) throws IOException {
        Files.write(at("/etc/depmod.d/" + name), List.of(lines));
        return this;
    }

    /**
     * Makes the image's own absolute path lead back to the image from inside. An external directory then has the same
     * name for depmod, which does not resolve the path inside the image, and for weaklink.
     */
    void reachItselfFromInside() throws IOException {
        Path again = at(top.toString());
        Files.createDirectories(again.getParent());
        Files.createSymbolicLink(again, Path.of("/"));
    }

    /** Returns weaklink's choices, in the form of {@link Depmod#choices}. */
    List<String> choices() throws IOException {
        ModuleTree tree = ModuleTree.scan(root(), RELEASE);
        List<String> files = new ArrayList<>();
        for (String name : tree.names()) {
            String inside = tree.chosen(name).inside();
            files.add(inside.startsWith(BASE) ? inside.substring(BASE.length() + 1) : inside);
        }
        files.sort(null);
        return files;
    }
}
