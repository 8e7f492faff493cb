package dev.weaklink.rebuild.run;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.NotDoneException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A copy of a driver's source directory that DKMS can build, even if the driver has no dkms.conf. */
final class DriverSource {
    private static final int MOST_FILES = 100_000;
    private static final long MOST_BYTES = 1L << 30;
    private static final int TEXT_LIMIT = 1 << 20;
    private static final String CONF = "dkms.conf";
    private static final Set<String> VERSION_CONTROL = Set.of(".git", ".hg", ".svn");

    /** The form of names and versions that are safe in paths and that DKMS accepts. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.+~-]{0,99}");

    private static final Pattern OBJECTS =
            Pattern.compile("(?m)^[ \\t]*obj-(?:m|\\$\\([A-Za-z0-9_]+\\))[ \\t]*[:+]?=(.*)$");

    private DriverSource() {}

    /**
     * Copies a source directory, so that an unprivileged build can read it. Leaves out directories of version control.
     * Writes a dkms.conf unless there is one; a dkms.conf that is a link is replaced.
     *
     * @param sources the directory in which the copy {@code NAME-VERSION} is created
     * @return {@code NAME/VERSION} of the DKMS package
     * @throws NotDoneException if the path is not a directory, if its dkms.conf has no plain name and version, or if it
     *     has neither a dkms.conf nor a Makefile or Kbuild that names modules
     */
    static String copy(Path directory, Path sources) throws IOException, NotDoneException {
        if (!Files.isDirectory(directory)) {
            throw new NotDoneException("--source " + directory + ": not a directory");
        }
        Path source = directory.toRealPath();
        Path copy = Files.createDirectory(sources.resolve("new"));
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(source)) {
            new Copier(source).copy((SecureDirectoryStream<Path>) entries, copy, 0);
        }
        String conf = text(copy.resolve(CONF));
        if (conf.isEmpty()) {
            conf = conf(source, copy);
            Files.deleteIfExists(copy.resolve(CONF));
            Files.writeString(copy.resolve(CONF), conf);
            DurableFiles.setMode(copy.resolve(CONF), 0644);
        }
        String name = value(conf, "PACKAGE_NAME", source);
        String version = value(conf, "PACKAGE_VERSION", source);
        Files.move(copy, sources.resolve(name + "-" + version));
        return name + "/" + version;
    }

    private static String text(Path file) throws IOException {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) <= TEXT_LIMIT
                ? Files.readString(file, StandardCharsets.ISO_8859_1)
                : "";
    }

    private static String value(String conf, String key, Path source) throws NotDoneException {
        Matcher found = Pattern.compile("(?m)^[ \\t]*" + key + "=[\"']?([^\"'#\\s]*)[\"']?[ \\t]*(?:#.*)?$")
                .matcher(conf);
        if (found.find() && PLAIN.matcher(found.group(1)).matches()) {
            return found.group(1);
        }
        throw new NotDoneException(source.resolve(CONF) + ": no plain " + key);
    }

    private static String conf(Path source, Path copy) throws IOException, NotDoneException {
        TreeSet<String> modules = new TreeSet<>();
        Matcher objects = OBJECTS.matcher(
                (text(copy.resolve("Kbuild")) + "\n" + text(copy.resolve("Makefile"))).replace("\\\n", " "));
        while (objects.find()) {
            for (String word : objects.group(1).strip().split("[ \\t]+", -1)) {
                String name = word.endsWith(".o") ? word.substring(0, word.length() - 2) : "";
                if (PLAIN.matcher(name).matches()) {
                    modules.add(name);
                }
            }
        }
        if (modules.isEmpty()) {
            throw new NotDoneException(source
                    + ": no dkms.conf, and no Makefile or Kbuild with obj-m that names modules; write a dkms.conf");
        }
        List<String> lines = new ArrayList<>();
        String name = String.valueOf(source.getFileName());
        lines.add("PACKAGE_NAME=" + (PLAIN.matcher(name).matches() ? name : modules.first()));
        lines.add("PACKAGE_VERSION=0");
        int number = 0;
        for (String module : modules) {
            lines.add("BUILT_MODULE_NAME[" + number + "]=" + module);
            lines.add("DEST_MODULE_LOCATION[" + number + "]=/updates");
            number++;
        }
        return String.join("\n", lines) + "\n";
    }

    /**
     * Copies a tree entry by entry through open directories, because the tree's owner can replace each entry by a link
     * to files that only root may read.
     */
    private static final class Copier {
        private static final int MAX_DEPTH = 64;

        private final Path source;
        private long bytes;
        private int files;

        Copier(Path source) {
            this.source = source;
        }

        void copy(SecureDirectoryStream<Path> from, Path to, int depth) throws IOException {
            DurableFiles.setMode(to, 0755);
            for (Path entry : from) {
                Path name = entry.getFileName();
                PosixFileAttributes attributes = from.getFileAttributeView(
                                name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                        .readAttributes();
                if (depth == MAX_DEPTH || ++files > MOST_FILES) {
                    throw tooLarge();
                }
                if (attributes.isDirectory() && !VERSION_CONTROL.contains(name.toString())) {
                    Path directory = Files.createDirectory(to.resolve(name.toString()));
                    try (SecureDirectoryStream<Path> entries =
                            from.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                        copy(entries, directory, depth + 1);
                    }
                } else if (attributes.isSymbolicLink()) {
                    Files.createSymbolicLink(to.resolve(name.toString()), Files.readSymbolicLink(entry));
                } else if (attributes.isRegularFile()) {
                    copyFile(from, name, to.resolve(name.toString()));
                    boolean isProgram = attributes.permissions().contains(PosixFilePermission.OWNER_EXECUTE);
                    DurableFiles.setMode(to.resolve(name.toString()), isProgram ? 0755 : 0644);
                }
            }
        }

        private void copyFile(SecureDirectoryStream<Path> from, Path name, Path to) throws IOException {
            try (SeekableByteChannel in =
                            from.newByteChannel(name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
                    FileChannel out = FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
                while (in.read(buffer) >= 0) {
                    bytes += buffer.position();
                    if (bytes > MOST_BYTES) {
                        throw tooLarge();
                    }
                    buffer.flip();
                    while (buffer.hasRemaining()) {
                        out.write(buffer);
                    }
                    buffer.clear();
                }
            }
        }

        private IOException tooLarge() {
            return new IOException(source + ": not used as a source directory, because it has more than " + MOST_FILES
                    + " files, 1 GiB or " + MAX_DEPTH + " levels of directories");
        }
    }
}
