package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.Root;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/**
 * An image with two kernels: the older kernel has its own modules, and the newer kernel has links to them. Its depmod
 * is a shell script that records the modules that it saw.
 */
final class SmallImage {
    static final String OLD = "6.1.0-1-amd64";
    static final String NEW = "6.1.0-2-amd64";
    static final String LINKS = "/lib/modules/" + NEW + "/weak-updates/";
    static final String MODULES = "/lib/modules/" + OLD + "/extra/";

    static final String FILES = "/lib/modules/" + NEW + "/updates/";
    static final Path MODULE = Path.of("test-fixtures/small-image/module").toAbsolutePath();
    static final Path CONF = MODULE.resolveSibling("conf");

    /** A script that, like depmod, writes each file under another name first. */
    private static final String DEPMOD = """
      #!/bin/sh
      # depmod -b BASE -C CONFIGURATION RELEASE
      cd "$2/lib/modules/$5" || exit 1
      list=
      for module in kernel/*.ko extra/*.ko weak-updates/*.ko weak-updates/*/*.ko; do
        [ -e "$module" ] || continue
        read -r content < "$module"
        list="$list$module: $content
      "
      done
      for name in modules.dep modules.dep.bin modules.symbols; do
        printf '%s\\n%s' "$name" "$list" > "$name.$$" && mv "$name.$$" "$name" || exit 1
      done
      """;

    private final Path root;
    private final Path depmod;

    /** Makes the image, and deletes an earlier image in this directory. */
    SmallImage(Path directory) throws IOException {
        this.root = directory.resolve("image");
        this.depmod = directory.resolve("depmod");
        DurableFiles.deleteTree(root);
        makeTree();
        if (!Files.exists(depmod)) {
            depmod(DEPMOD);
        }
    }

    private void makeTree() throws IOException {
        for (String name : List.of("a", "b", "c", "d")) {
            file("lib/modules/" + OLD + "/extra/" + name + ".ko", name + " of the old kernel\n");
        }
        file("lib/modules/" + NEW + "/kernel/a.ko", "a of the new kernel\n");
        file("etc/depmod.d/search.conf", "search updates weak-updates built-in\n");
        file("lib/modules/" + NEW + "/modules.order", "kernel/a.ko\n");
        file("lib/modules/" + NEW + "/modules.dep", "as it was\n");
        file("lib/modules/" + NEW + "/modules.alias", "as it was, and depmod does not renew it\n");
        file("lib/modules/" + NEW + "/updates/g.ko", "g as it was\n");
        Files.setPosixFilePermissions(
                root.resolve(FILES.substring(1) + "g.ko"), PosixFilePermissions.fromString("rw-r-----"));
        Files.createSymbolicLink(root.resolve(FILES.substring(1) + "h.ko"), Path.of("g.ko"));
        link("a.ko", "/lib/modules/nowhere/a.ko");
        link("old/b.ko", MODULES + "b.ko");
        link("d.ko", MODULES + "d.ko");
        Files.setPosixFilePermissions(weakUpdates().resolve("old"), PosixFilePermissions.fromString("rwxr-x---"));
    }

    /**
     * Returns the transaction that most tests use. It replaces one link, makes one in new directories, removes one, and
     * adds a line for depmod. It puts a file into new directories, over another file, over a link, and into depmod.d.
     */
    static LinkTransaction usual() {
        return new LinkTransaction(
                "a test",
                List.of(
                        put("a.ko", MODULES + "a.ko"),
                        put("new/sub/c.ko", MODULES + "c.ko"),
                        new Change.RemoveLink(LINKS + "old/b.ko", MODULES + "b.ko"),
                        put("d.ko", MODULES + "d.ko"),
                        new Change.AddLines(Change.OVERRIDES, List.of("override a * weak-updates")),
                        new Change.PutFile(FILES + "new/sub/f.ko", MODULE),
                        new Change.PutFile(FILES + "g.ko", MODULE),
                        new Change.PutFile(FILES + "h.ko", MODULE),
                        new Change.PutFile("/etc/depmod.d/f.conf", CONF)),
                List.of(NEW),
                List.of());
    }

    static Change.PutLink put(String name, String target) {
        return new Change.PutLink(LINKS + name, target);
    }

    static LinkTransaction of(Change... changes) {
        return new LinkTransaction("a test", List.of(changes), List.of(NEW), List.of());
    }

    /** Replaces the depmod script. */
    void depmod(String script) throws IOException {
        Files.deleteIfExists(depmod);
        Files.writeString(depmod, script);
        Files.setPosixFilePermissions(depmod, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    void mendDepmod() throws IOException {
        depmod(DEPMOD);
    }

    void file(String path, String content) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    void link(String name, String target) throws IOException {
        Path link = weakUpdates().resolve(name);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of(target));
    }

    Path root() {
        return root;
    }

    Path weakUpdates() {
        return root.resolve("lib/modules").resolve(NEW).resolve("weak-updates");
    }

    /** Returns everything that transactions may change, and more. */
    SortedMap<String, String> snapshot() throws IOException {
        SortedMap<String, String> snapshot = TreeSnapshot.of(root.resolve("lib"));
        TreeSnapshot.of(root.resolve("etc")).forEach((path, what) -> snapshot.put("etc/" + path, what));
        return snapshot;
    }

    TransactionSettings settings() {
        return settings(depmod.resolveSibling(""));
    }

    /** Returns the settings for the image in this directory. */
    static TransactionSettings settings(Path directory) {
        return new TransactionSettings(
                Duration.ZERO,
                directory.resolve("depmod"),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Clock.fixed(Instant.ofEpochSecond(1_800_000_000), ZoneOffset.UTC),
                FaultPoint.NONE);
    }

    TransactionRunner runner() throws IOException {
        return runner(TransactionListener.NONE, FaultPoint.NONE);
    }

    TransactionRunner runner(TransactionListener listener, FaultPoint faults) throws IOException {
        return new TransactionRunner(Root.of(root), settings().withFaults(faults), listener);
    }

    History history() throws IOException {
        return History.read(Root.of(root));
    }

    /** Returns the paths of temporary and unfinished files in the image. */
    List<String> leftovers() throws IOException {
        List<String> leftovers = new ArrayList<>();
        for (String path : TreeSnapshot.of(root).keySet()) {
            String name = path.substring(path.lastIndexOf('/', path.length() - 2) + 1);
            if (name.startsWith(WeakUpdates.TEMPORARY)
                    || name.endsWith(".new")
                    || name.equals("depmod/")
                    || name.equals("reserve")) {
                leftovers.add(path);
            }
        }
        return leftovers;
    }
}
