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
 * @param inside as seen from inside the root, such as {@code /lib/modules/K}
 * @param host the same directory, links resolved inside the root
 */
public record ModulesDirectory(String inside, Path host) {
    /** Where such directories lie; on most systems the first is a link to the second. */
    public static final List<String> PARENTS = List.of("/lib/modules", "/usr/lib/modules");

    private static final int DEEPEST = 16;

    /**
     * The directory of a kernel release, or null if the root has none. Of two different ones that which looks like a
     * kernel's comes first: a removed kernel may leave an empty shell behind.
     *
     * @throws IOException if the release is not a plain name, or links lead nowhere
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

    /** Whether a kernel was installed here: it has its own modules, or lists of them. */
    public boolean isKernel() {
        return hasOwnModules() || Files.exists(host.resolve("modules.dep"));
    }

    /** Whether more is here than modules that were added, and what depmod writes about them. */
    public boolean hasOwnModules() {
        return Files.isDirectory(host.resolve("kernel"))
                || Files.exists(host.resolve("modules.order"))
                || Files.exists(host.resolve("modules.builtin"));
    }

    /** Whether a module that came with the kernel is still here: a removed kernel leaves none. */
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
            // who uses them says what is wrong
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
