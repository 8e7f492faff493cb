package dev.weaklink.system;

import dev.weaklink.sys.DpkgStatus;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Finds the package, with its version, that owns a file: by dpkg's lists of files, or else by rpm. */
public final class PackageOwners {
    private static final String DPKG = "/var/lib/dpkg";
    private static final int LIST_LIMIT = 8 << 20;

    private PackageOwners() {}

    /**
     * Looks up the owners of files.
     *
     * @param files the paths inside the root directory
     * @return the package and its version, such as {@code libibverbs1 44.0-2}, by path. A file without an owner is not
     *     in the result; if no database can be read, the result is empty
     */
    public static Map<String, String> of(Collection<String> files, Root root) {
        if (files.isEmpty()) {
            return Map.of();
        }
        RootText text = new RootText(root);
        Map<String, String> wanted = new HashMap<>();
        for (String file : files) {
            wanted.put(RpmDatabase.merged(file), file);
        }
        Map<String, String> owners = new HashMap<>();
        for (String name : text.names(DPKG + "/info")) {
            if (name.endsWith(".list")) {
                for (String line : text.read(DPKG + "/info/" + name, LIST_LIMIT).split("\n", -1)) {
                    String file = wanted.get(RpmDatabase.merged(line));
                    if (file != null) {
                        owners.put(file, name.substring(0, name.length() - ".list".length()));
                    }
                }
            }
        }
        return owners.isEmpty() ? rpm(files, root) : withVersions(owners, text);
    }

    private static Map<String, String> withVersions(Map<String, String> owners, RootText text) {
        Map<String, String> versions = DpkgStatus.installed(text.read(DPKG + "/status", DpkgStatus.LIMIT));
        Map<String, String> named = new HashMap<>();
        owners.forEach((file, owner) -> {
            String bare = owner.replaceFirst(":.*", "");
            named.put(file, (bare + " " + versions.getOrDefault(bare, "")).strip());
        });
        return named;
    }

    private static Map<String, String> rpm(Collection<String> files, Root root) {
        try {
            RpmDatabase database = RpmDatabase.find(root);
            return database == null ? Map.of() : database.libraryOwners(files);
        } catch (IOException e) {
            return Map.of();
        }
    }
}
