package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.PathChange.PathState;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A requested change to one path, as seen inside the root directory. Links are at {@code /lib/modules/K/weak-updates/…}
 * and module files elsewhere in {@code /lib/modules/K}, both also below {@code /usr}. Override files are at
 * {@code /etc/depmod.d/NAME.conf}. Any other path is refused.
 */
public sealed interface Change {
    String OVERRIDES = "/etc/depmod.d/weaklink.conf";

    String path();

    /**
     * A change that creates a symbolic link or redirects an existing one, and creates missing parent directories. A
     * link that already has the target is not changed.
     *
     * @param target the link's target; weaklink does not check whether the target exists
     * @param replacesFile true if the link may replace a module file
     */
    record PutLink(String path, String target, boolean replacesFile) implements Change {
        public PutLink(String path, String target) {
            this(path, target, false);
        }

        public @Nullable String obstacle(Root root) {
            try {
                return obstacle(ManagedPath.parse(root, path).state());
            } catch (IOException e) {
                return IoReason.of(e);
            }
        }

        @Nullable
        String obstacle(PathState before) {
            boolean isFile = before instanceof PathState.File && !replacesFile;
            return isFile || before instanceof PathState.Directory
                    ? path + " is a " + (isFile ? "file" : "directory") + ", not a symbolic link"
                    : null;
        }
    }

    /**
     * A change that writes a file with mode 0644, and creates missing parent directories. The file replaces an existing
     * file or, outside of the kernel's {@code kernel/}, a link. A file that already has the content and mode is not
     * changed.
     *
     * @param source a regular file of the host with the content
     */
    record PutFile(String path, Path source) implements Change {}

    /** A change that adds the missing lines to an override file, and creates the file if necessary. */
    record AddLines(String path, List<String> lines) implements Change {
        public AddLines {
            lines = List.copyOf(lines);
        }
    }

    /**
     * A change that removes a symbolic link, and parent directories that become empty. A directory directly in the
     * kernel's directory is only removed if a transaction made it. A missing link is not an error, but a link with
     * another target is.
     *
     * @param expectedTarget the target that the link must have
     */
    record RemoveLink(String path, String expectedTarget) implements Change {}
}
