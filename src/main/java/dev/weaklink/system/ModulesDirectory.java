package dev.weaklink.system;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The directory of one kernel's modules.
 *
 * @param inside the path inside the root directory, such as {@code /lib/modules/K}
 * @param host the same directory with links resolved inside the root directory
 */
public record ModulesDirectory(String inside, Path host) {
    /**
     * The directories that contain the kernels' module directories; on most systems, both paths mean the same
     * directory.
     */
    public static final List<String> PARENTS = List.of("/lib/modules", "/usr/lib/modules");

    private static final int DEEPEST = 16;

    /**
     * Returns the directory of a kernel release; null if there is none. If both parents contain this directory, the one
     * with a kernel is preferred, because a removed kernel may leave an empty directory.
     *
     * @throws IOException if the release is not a valid name, or links form a cycle
     */
    public static @Nullable ModulesDirectory find(Root root, String release) throws IOException {
        if (release.isEmpty() || release.startsWith(".") || release.indexOf('/') >= 0) {
            throw new IOException("not a kernel release: " + release);
        }
        ModulesDirectory shell = null;
        for (String parent : PARENTS) {
            String inside = parent + "/" + release;
            ModulesDirectory found = new ModulesDirectory(inside, root.resolve(inside));
            if (found.isKernel()) {
                return found;
            }
            if (shell == null && Files.isDirectory(found.host())) {
                shell = found;
            }
        }
        return shell;
    }

    String place(String path) {
        return path.startsWith(inside + "/") ? path.substring(inside.length() + 1) : path;
    }

    /** Returns whether the directory contains a part of the kernel or depmod's {@code modules.dep}. */
    public boolean isKernel() {
        return hasOwnModules() || Files.exists(host.resolve("modules.dep"));
    }

    /**
     * Returns whether the directory contains a part of the kernel: {@code kernel}, {@code modules.order} or
     * {@code modules.builtin}.
     */
    public boolean hasOwnModules() {
        return Files.isDirectory(host.resolve("kernel"))
                || Files.exists(host.resolve("modules.order"))
                || Files.exists(host.resolve("modules.builtin"));
    }

    public boolean hasInTreeModule() {
        Path kernel = host.resolve("kernel");
        return Files.isSymbolicLink(kernel) || hasModule(kernel, DEEPEST);
    }

    private static boolean hasModule(Path directory, int depth) {
        List<Path> below = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (ModuleNames.isModuleFile(String.valueOf(entry.getFileName()))) {
                    return true;
                }
                if (depth > 0 && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                    below.add(entry);
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return false;
        } catch (IOException | DirectoryIteratorException e) {
            // a later reader of the directory reports the error
            return true;
        }
        for (Path next : below) {
            if (hasModule(next, depth - 1)) {
                return true;
            }
        }
        return false;
    }
}
