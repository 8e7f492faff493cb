package dev.weaklink.system.offers;

import dev.weaklink.sys.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/** Writes repository metadata in the format of createrepo_c into the cache of dnf. */
public final class RpmMetadata {
    private final StringBuilder packages = new StringBuilder();
    private int count;

    /**
     * Adds a package.
     *
     * @param provides lines such as {@code kernel(printk) = 0x12}
     */
    public RpmMetadata add(String name, String version, String release, String... provides) {
        count++;
        packages.append("<package type=\"rpm\">\n  <name>" + name + "</name>\n  <arch>x86_64</arch>\n")
                .append("  <version epoch=\"0\" ver=\"" + version + "\" rel=\"" + release + "\"/>\n")
                .append("  <summary>a &lt; b</summary>\n  <format>\n    <rpm:provides>\n");
        for (String one : provides) {
            packages.append(entry(one));
        }
        packages.append("    </rpm:provides>\n    <rpm:requires>\n");
        packages.append("      <rpm:entry name=\"kernel(never)\" flags=\"EQ\" ver=\"0x1\"/>\n");
        packages.append("    </rpm:requires>\n  </format>\n</package>\n");
        return this;
    }

    /**
     * Adds version 2-1 of a package with a module.
     *
     * @param requires a requirement of the package, such as {@code kernel-uname-r = K}
     */
    public RpmMetadata driver(String name, String provides, String requires) {
        add(name, "2", "1", provides);
        int here = packages.lastIndexOf("    </rpm:requires>");
        packages.insert(here, entry(requires));
        return this;
    }

    private static String entry(String said) {
        int equals = said.indexOf(" = ");
        if (equals < 0) {
            return "      <rpm:entry name=\"" + said + "\"/>\n";
        }
        String version = said.substring(equals + 3);
        int dash = version.indexOf('-');
        return "      <rpm:entry name=\""
                + said.substring(0, equals)
                + "\" flags=\"EQ\" epoch=\"0\" ver=\""
                + (dash < 0 ? version : version.substring(0, dash) + "\" rel=\"" + version.substring(dash + 1))
                + "\"/>\n";
    }

    /**
     * Adds the packages of a kernel like those of RHEL.
     *
     * @param provides the lines of kernel-core
     */
    public RpmMetadata kernel(String release, String... provides) {
        String version = release.substring(0, release.indexOf('-'));
        String rest = release.substring(release.indexOf('-') + 1).replace(".x86_64", "");
        String[] all = new String[provides.length + 1];
        all[0] = "kernel-uname-r = " + release;
        System.arraycopy(provides, 0, all, 1, provides.length);
        return add("kernel", version, rest)
                .add("kernel-core", version, rest, all)
                .add("kernel-modules", version, rest, "kernel(of_a_module) = 0x1")
                .add("kernel-devel", version, rest)
                .add("kernel-tools", version, rest)
                .add("kernel-headers", version, rest);
    }

    /** Returns these exports and enough others for the list to count as complete. */
    public static String[] many(String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        all.add("kernel(module_layout) = 0x11223344");
        for (int i = 0; i < 5000; i++) {
            all.add("kernel(other_" + i + ") = 0x" + Integer.toHexString(i));
        }
        return all.toArray(new String[0]);
    }

    /** Returns the contents of {@code primary.xml}. */
    public String primary() {
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<metadata xmlns:rpm=\"x\" packages=\""
                + count
                + "\">\n"
                + packages
                + "</metadata>\n";
    }

    /** Writes the metadata as the only repository of a root directory. */
    public void write(Path root) throws IOException {
        write(root, primary().getBytes(StandardCharsets.UTF_8), "primary.xml");
    }

    /** Writes primary metadata with any contents. */
    public static void write(Path root, byte[] primary, String file) throws IOException {
        Path repodata = root.resolve("var/cache/dnf/base-0123456789abcdef/repodata");
        Files.createDirectories(repodata);
        Files.write(repodata.resolve(file), primary);
        MessageDigest digest = Sha256.start();
        digest.update(primary);
        Files.writeString(
                repodata.resolve("repomd.xml"),
                "<?xml version=\"1.0\"?>\n<repomd xmlns=\"x\">\n  <data type=\"filelists\">"
                        + "<checksum type=\"sha256\">00</checksum><location href=\"repodata/f.xml\"/></data>\n"
                        + "  <data type=\"primary\">\n    <checksum type=\"sha256\">"
                        + Sha256.hex(digest)
                        + "</checksum>\n    <open-checksum type=\"sha256\">00</open-checksum>\n"
                        + "    <location href=\"repodata/"
                        + file
                        + "\"/>\n  </data>\n</repomd>\n");
    }
}
