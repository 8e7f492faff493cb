package dev.weaklink.system.initramfs;

import dev.weaklink.format.codec.FileContents;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.Sha256;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.ModuleTree.ModuleFile;
import dev.weaklink.system.initramfs.InitramfsImage.ImageLimits;
import dev.weaklink.system.initramfs.InitramfsImage.InitramfsModule;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

public final class PackedModules {
    private final FileContents contents = FileContents.ofWorker();
    private final MessageDigest digest = Sha256.start();

    /**
     * Returns the modules of an initramfs image in the image's order, without links.
     *
     * @param display the image's name for reports
     * @throws UnreadableException as {@link InitramfsImage#read(Path)}
     */
    public List<PackedModule> ofImage(Path image, String display) throws UnreadableException {
        List<PackedModule> modules = new ArrayList<>();
        InitramfsImage.read(image, ImageLimits.DEFAULT, (module, bytes) -> modules.add(read(module, bytes, display)));
        return modules;
    }

    private PackedModule read(InitramfsModule module, byte[] bytes, String display) throws IOException {
        try {
            contents.load(module.path(), new ByteArrayInputStream(bytes), bytes.length);
            return read(module.path(), module.name(), new Origin(display, module.path()));
        } catch (UnreadableException e) {
            return new PackedModule(module.path(), module.name(), null, "", e.reason());
        } finally {
            contents.release();
        }
    }

    public PackedModule installed(ModuleFile file) {
        try {
            contents.load(file.host());
            return read(file.inside(), file.name(), Origin.file(file.inside()));
        } catch (UnreadableException e) {
            return new PackedModule(file.inside(), file.name(), null, "", e.reason());
        } finally {
            contents.release();
        }
    }

    private PackedModule read(String path, String name, Origin origin) {
        digest.update(contents.bytes(), 0, contents.length());
        String hex = Sha256.hex(digest);
        KernelModule facts =
                ModuleReader.read(origin, contents.bytes(), contents.length()).with(contents.packing());
        return new PackedModule(path, name, facts, hex, null);
    }

    /**
     * A module of an initramfs image, or the installed module to compare it with.
     *
     * @param path the path in the initramfs image; for an installed module, the path inside the root directory
     * @param name the name for modprobe(8), from the file's name
     * @param facts the facts that the loader checks, null if the module could not be read
     * @param digest the SHA-256 of the decompressed file in hexadecimal, empty if the module could not be read
     * @param failure the reason why the module could not be read, null if it could
     */
    public record PackedModule(
            String path,
            String name,
            @Nullable KernelModule facts,
            String digest,
            @Nullable String failure) {}
}
