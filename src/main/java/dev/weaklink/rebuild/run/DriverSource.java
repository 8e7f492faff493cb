package dev.weaklink.rebuild.run;

import dev.weaklink.sys.NotDoneException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The source directory of a driver that DKMS builds, even if the driver has no dkms.conf. */
final class DriverSource {
    private static final int MOST_FILES = 100_000;
    private static final long MOST_BYTES = 1L << 30;
    private static final int TEXT_LIMIT = 1 << 20;
    private static final String CONF = "dkms.conf";

    /** A name or version that is only letters, digits and a few other characters, as paths and DKMS take them. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.+~-]{0,99}");

    private static final Pattern OBJECTS =
            Pattern.compile("(?m)^[ \\t]*obj-(?:m|\\$\\([A-Za-z0-9_]+\\))[ \\t]*[:+]?=(.*)$");

    private DriverSource() {}

    /**
     * Copies a source directory without version control data, so that an unprivileged build can read it.
     *
     * @param sources the directory for the copy {@code NAME-VERSION}
     * @return {@code NAME/VERSION} of the DKMS package
     * @throws NotDoneException if the directory has no source that DKMS or the kernel's build system can build
     */
    static String copy(Path directory, Path sources) throws IOException, NotDoneException {
        if (!Files.isDirectory(directory)) {
            throw new NotDoneException("--source " + directory + ": not a directory");
        }
        Path source = directory.toRealPath();
        String conf = text(source.resolve(CONF));
        String made = conf.isEmpty() ? conf(source) : "";
        String name = value(conf.isEmpty() ? made : conf, "PACKAGE_NAME", source);
        String version = value(conf.isEmpty() ? made : conf, "PACKAGE_VERSION", source);
        Path copy = sources.resolve(name + "-" + version);
        copyTree(source, copy);
        if (conf.isEmpty()) {
            Files.writeString(copy.resolve(CONF), made);
            Files.setAttribute(copy.resolve(CONF), "unix:mode", 0644);
        }
        return name + "/" + version;
    }

    private static String text(Path file) throws IOException {
        return Files.isRegularFile(file) && Files.size(file) <= TEXT_LIMIT
                ? Files.readString(file, StandardCharsets.ISO_8859_1)
                : "";
    }

    /** Returns the value of a variable in a dkms.conf that the shell does not have to compute. */
    private static String value(String conf, String key, Path source) throws NotDoneException {
        Matcher found = Pattern.compile("(?m)^[ \\t]*" + key + "=[\"']?([^\"'#\\s]*)[\"']?[ \\t]*(?:#.*)?$")
                .matcher(conf);
        if (found.find() && PLAIN.matcher(found.group(1)).matches()) {
            return found.group(1);
        }
        throw new NotDoneException(source.resolve(CONF) + ": no plain " + key);
    }

    /** Returns a dkms.conf for a directory with a Makefile or Kbuild whose {@code obj-m} names modules. */
    private static String conf(Path source) throws IOException, NotDoneException {
        TreeSet<String> modules = new TreeSet<>();
        Matcher objects = OBJECTS.matcher(
                (text(source.resolve("Kbuild")) + "\n" + text(source.resolve("Makefile"))).replace("\\\n", " "));
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

    private static void copyTree(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            private long bytes;
            private int files;

            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                String name = String.valueOf(directory.getFileName());
                if (!directory.equals(from) && (name.equals(".git") || name.equals(".hg") || name.equals(".svn"))) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Path copy = Files.createDirectory(
                        to.resolve(from.relativize(directory).toString()));
                Files.setAttribute(copy, "unix:mode", 0755);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                bytes += attributes.size();
                if (++files > MOST_FILES || bytes > MOST_BYTES) {
                    throw new IOException(from + ": too large for a source directory");
                }
                Path copy = to.resolve(from.relativize(file).toString());
                if (attributes.isSymbolicLink()) {
                    Files.createSymbolicLink(copy, Files.readSymbolicLink(file));
                } else if (attributes.isRegularFile()) {
                    Files.copy(file, copy, LinkOption.NOFOLLOW_LINKS);
                    boolean isProgram = Files.isExecutable(file);
                    Files.setAttribute(copy, "unix:mode", isProgram ? 0755 : 0644, LinkOption.NOFOLLOW_LINKS);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
