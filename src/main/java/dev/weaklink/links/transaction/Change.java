package dev.weaklink.links.transaction;

import java.nio.file.Path;
import java.util.List;

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
     */
    record PutLink(String path, String target) implements Change {}

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
