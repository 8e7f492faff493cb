package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.PathChange.PathState;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change that is asked for. Paths are as seen from inside the root: of links {@code /lib/modules/K/weak-updates/…},
 * of files a module elsewhere in {@code /lib/modules/K}, both also below {@code /usr}, or
 * {@code /etc/depmod.d/NAME.conf}; anything else is refused.
 */
public sealed interface Change {
    /** Where the lines are written that make depmod choose a link. */
    String OVERRIDES = "/etc/depmod.d/weaklink.conf";

    /** Where it is, as seen from inside the root. */
    String path();

    /**
     * Makes a symbolic link, or lets an existing one point elsewhere; missing directories on the way to it are made. A
     * link that exists already with this target is left as it is.
     *
     * @param target the link's text, taken verbatim: it is neither looked up nor checked
     * @param replacesFile whether the link may replace a module's file
     */
    record PutLink(String path, String target, boolean replacesFile) implements Change {
        public PutLink(String path, String target) {
            this(path, target, false);
        }

        /** Returns what keeps the link from being made, such as a file at its path; null if nothing does. */
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
     * Puts a file, over a file or a link that may be there; missing directories on the way to it are made. One that
     * exists already with this content is left as it is.
     *
     * @param source a regular file of the host with the content
     */
    record PutFile(String path, Path source) implements Change {}

    /** Adds lines to {@link #OVERRIDES}, but for those that it has; makes it if it is not there. */
    record AddLines(String path, List<String> lines) implements Change {
        public AddLines {
            lines = List.copyOf(lines);
        }
    }

    /**
     * Removes a symbolic link, and the directories below {@code weak-updates} that this leaves empty. One that is gone
     * already is no error; one with another text is.
     *
     * @param expectedTarget the text the link must have
     */
    record RemoveLink(String path, String expectedTarget) implements Change {}
}
