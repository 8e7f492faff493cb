package dev.weaklink.system;

import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.FileIdentity;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A module file to be judged.
 *
 * @param host the path to open
 * @param display its path as given, or as found below what was given, or as seen from inside the root. Unescaped
 * @param identity what was there when it was found; null if that is not known
 * @param packaged what has been read of it if the file is a package, else null
 */
public record ModuleSource(
        Path host,
        String display,
        @Nullable FileIdentity identity,
        @Nullable PackagedModule packaged) {
    /** A plain file of which only its place is known. */
    public ModuleSource(Path host, String display) {
        this(host, display, null, null);
    }

    /** A plain file. */
    public ModuleSource(Path host, String display, @Nullable FileIdentity identity) {
        this(host, display, identity, null);
    }

    /** A module in a package. */
    public ModuleSource(Path host, String display, PackagedModule packaged) {
        this(host, display, null, packaged);
    }

    /** What it is called in reports. */
    public Origin origin() {
        return packaged == null ? Origin.file(display) : new Origin(display, packaged.member(), packaged.owner());
    }
}
