package dev.weaklink.system;

import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.FileIdentity;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A module file to judge.
 *
 * @param host the path to open
 * @param display the path for reports, not escaped: as given, as found below a given directory, or inside the root
 *     directory
 * @param identity the file's identity when it was found, null if unknown
 * @param packaged the facts of the module inside the package if the path to open is a package, else null
 */
public record ModuleSource(
        Path host,
        String display,
        @Nullable FileIdentity identity,
        @Nullable PackagedModule packaged) {
    public ModuleSource(Path host, String display) {
        this(host, display, null, null);
    }

    public ModuleSource(Path host, String display, @Nullable FileIdentity identity) {
        this(host, display, identity, null);
    }

    public ModuleSource(Path host, String display, PackagedModule packaged) {
        this(host, display, null, packaged);
    }

    public Origin origin() {
        return packaged == null ? Origin.file(display) : new Origin(display, packaged.member(), packaged.owner());
    }
}
