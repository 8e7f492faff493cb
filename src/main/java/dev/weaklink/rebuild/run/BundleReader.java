package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Bundle;
import dev.weaklink.rebuild.Bundle.Form;
import dev.weaklink.rebuild.ModulePackages;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the facts of an installation image of Mellanox (MLNX_OFED or mlnx-en). The facts about an archive or an ISO
 * file result only from its name and size.
 */
final class BundleReader {
    private static final int SMALL = 1 << 16;
    private static final int MAX_FILES = 100_000;
    private static final List<String> MARKERS = List.of(".mlnx", "mlnx");
    private static final String ISO = ".iso";
    private static final List<String> ARCHIVES = List.of(".tgz", ".tar.gz", ".tar");

    private BundleReader() {}

    /**
     * Reads an installation image of Mellanox: a directory, an archive or an ISO file.
     *
     * @param environment the environment variables, whose PATH is searched for a program that reads ISO files
     * @return the image; of {@link Form#FOREIGN} if the path is not an image, or no program can read the ISO file
     * @throws IOException if the path does not exist or cannot be read
     */
    static Bundle read(Path given, Map<String, String> environment) throws IOException {
        Path path = given.toRealPath();
        if (Files.isDirectory(path)) {
            return directory(path);
        }
        String name = String.valueOf(path.getFileName());
        for (String ending : ARCHIVES) {
            if (name.endsWith(ending)) {
                return packed(path, Form.ARCHIVE, "tar", name.substring(0, name.length() - ending.length()));
            }
        }
        for (String reader : name.endsWith(ISO) ? Bundle.ISO_READERS : List.<String>of()) {
            if (ProgramSearch.find(reader, environment) != null) {
                return packed(path, Form.ISO, reader, name.substring(0, name.length() - ISO.length()));
            }
        }
        return foreign(path);
    }

    private static Bundle foreign(Path path) {
        return new Bundle(path.toString(), Form.FOREIGN, "", "", "", null, false, null, false, 0, List.of());
    }

    /** Parses the name {@code PRODUCT-VERSION-RELEASE-DISTRO-ARCH}, with or without {@code -ext}. */
    private static Bundle packed(Path path, Form form, String unpacker, String name) throws IOException {
        boolean ethernet = name.startsWith("mlnx-en");
        String product = ethernet ? "mlnx-en" : "MLNX_OFED_LINUX";
        String[] parts =
                name.substring(name.startsWith(product) ? product.length() : 0).split("-", -1);
        String version = parts.length > 2 ? parts[1] + "-" + parts[2] : "";
        String distro = parts.length > 3 ? parts[3] : null;
        return new Bundle(
                path.toString(),
                form,
                unpacker,
                product,
                version,
                distro,
                true,
                ethernet ? "install" : "mlnxofedinstall",
                isDebian(distro),
                Files.size(path),
                List.of());
    }

    private static boolean isDebian(@Nullable String distro) {
        return distro != null && (distro.startsWith("debian") || distro.startsWith("ubuntu"));
    }

    private static Bundle directory(Path path) throws IOException {
        String marker = null;
        for (String name : MARKERS) {
            if (marker == null && Files.isRegularFile(path.resolve(name))) {
                marker = RootText.read(path.resolve(name), SMALL);
            }
        }
        if (marker == null) {
            return foreign(path);
        }
        boolean ethernet = Files.isRegularFile(path.resolve("install"));
        String distro = firstLine(RootText.read(path.resolve("distro"), SMALL));
        BundleContents contents = new BundleContents();
        Files.walkFileTree(path, contents);
        String installer = ethernet ? "install" : "mlnxofedinstall";
        return new Bundle(
                path.toString(),
                Form.DIRECTORY,
                "",
                ethernet ? "mlnx-en" : "MLNX_OFED_LINUX",
                version(marker),
                distro.isEmpty() || distro.equals("skip-distro-check") ? null : distro,
                Files.isRegularFile(path.resolve(Bundle.SCRIPT)),
                Files.isRegularFile(path.resolve(installer)) ? installer : null,
                (contents.debian || Files.isDirectory(path.resolve("DEBS"))) && !contents.rpm,
                contents.bytes,
                contents.packages());
    }

    /** Returns the first part of the text that looks like {@code 24.10-1.1.4.0}. */
    private static String version(String marker) {
        for (int i = 0; i < marker.length(); i++) {
            boolean starts = i == 0 || "\n -_".indexOf(marker.charAt(i - 1)) >= 0;
            if (starts && Character.isDigit(marker.charAt(i))) {
                int end = i;
                while (end < marker.length()
                        && (Character.isDigit(marker.charAt(end)) || ".-".indexOf(marker.charAt(end)) >= 0)) {
                    end++;
                }
                return marker.substring(i, end);
            }
        }
        return "";
    }

    private static String firstLine(String text) {
        List<String> lines = lines(text);
        return lines.isEmpty() ? "" : lines.get(0);
    }

    private static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            if (!line.isBlank()) {
                lines.add(line.strip());
            }
        }
        return lines;
    }

    private static final class BundleContents extends SimpleFileVisitor<Path> {
        private final List<String> packages = new ArrayList<>();
        private long bytes;
        private int files;
        private boolean rpm;
        private boolean debian;

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            bytes += attributes.size();
            String name = String.valueOf(file.getFileName());
            rpm |= name.endsWith(".rpm");
            debian |= name.endsWith(".deb");
            if (attributes.isRegularFile() && ModulePackages.isOne(name)) {
                packages.add(name);
            }
            return ++files > MAX_FILES ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
        }

        List<String> packages() {
            packages.sort(null);
            return packages;
        }
    }
}
