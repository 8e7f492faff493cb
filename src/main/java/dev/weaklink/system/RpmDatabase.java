package dev.weaklink.system;

import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The database of installed packages below a root directory, read by rpm(8).
 *
 * <p>Even a query writes files beside the database (the shared memory of SQLite, the locks of Berkeley DB). Therefore a
 * database below another root directory is copied first. The copy is never queried by path, because rpm would look up
 * the path in the running system.
 */
public final class RpmDatabase {
    /** The locations of the database: of today's SUSE and Fedora, of older systems, and of ostree. */
    private static final List<String> PLACES = List.of("/usr/lib/sysimage/rpm", "/var/lib/rpm", "/usr/share/rpm");

    private static final List<String> KINDS = List.of("rpmdb.sqlite", "Packages.db", "Packages");

    private final Root root;
    private final Path directory;

    private RpmDatabase(Root root, Path directory) {
        this.root = root;
        this.directory = directory;
    }

    /**
     * Returns the rpm database below a root directory; null if there is none.
     *
     * @throws IOException if no database was found, but a location could not be reached inside the root directory
     */
    public static @Nullable RpmDatabase find(Root root) throws IOException {
        IOException unreachable = null;
        for (String place : PLACES) {
            try {
                Path directory = root.resolve(place);
                for (String kind : KINDS) {
                    if (Files.isRegularFile(directory.resolve(kind))) {
                        return new RpmDatabase(root, directory);
                    }
                }
            } catch (IOException e) {
                unreachable = new IOException(place + " cannot be reached: " + IoReason.of(e), e);
            }
        }
        if (unreachable != null) {
            throw unreachable;
        }
        return null;
    }

    /**
     * Returns the packages that own module files.
     *
     * @param files the absolute paths inside the root directory
     * @return the names of packages without versions, by path; a file without an owner is not in the result
     * @throws IOException if rpm is missing or cannot read the database
     */
    public Map<String, String> owners(Collection<String> files) throws IOException {
        if (files.isEmpty()) {
            return Map.of();
        }
        if (root.isHost()) {
            RpmQuery query = new RpmQuery(null);
            return owners(files, query, query.packagesOf(files));
        }
        try (DatabaseCopy copy = copy()) {
            RpmQuery query = new RpmQuery(copy.directory());
            return owners(files, query, query.packagesIn(directories(files)));
        }
    }

    public Path directory() {
        return directory;
    }

    public DatabaseCopy copy() throws IOException {
        return DatabaseCopy.of(directory);
    }

    /**
     * Returns the packages that own files, which need not be modules.
     *
     * @param files the absolute paths inside the root directory
     * @return the names and versions of packages, such as {@code libibverbs 51.0-1.el9}, by path; a file without an
     *     owner is not in the result
     * @throws IOException if rpm is missing or cannot read the database
     */
    public Map<String, String> libraryOwners(Collection<String> files) throws IOException {
        Set<String> names = new TreeSet<>();
        for (String file : files) {
            names.add(file.substring(file.lastIndexOf('/') + 1));
        }
        if (root.isHost()) {
            return owners(files, new RpmQuery(null).filesNamed(names));
        }
        try (DatabaseCopy copy = copy()) {
            return owners(files, new RpmQuery(copy.directory()).filesNamed(names));
        }
    }

    private static Map<String, String> owners(Collection<String> files, RpmQuery query, Set<String> packages)
            throws IOException {
        return owners(files, query.files(packages));
    }

    private static Map<String, String> owners(Collection<String> files, List<RpmQuery.Owned> candidates) {
        Map<String, String> wanted = new HashMap<>();
        for (String file : files) {
            wanted.put(merged(file), file);
        }
        Map<String, String> owners = new HashMap<>();
        for (RpmQuery.Owned owned : candidates) {
            String file = wanted.get(merged(owned.path()));
            if (file != null) {
                owners.putIfAbsent(file, owned.name());
            }
        }
        return owners;
    }

    private static Set<String> directories(Collection<String> files) {
        Set<String> directories = new HashSet<>();
        for (String file : files) {
            directories.add(merged(file.substring(0, file.lastIndexOf('/') + 1)));
        }
        return directories;
    }

    /**
     * Removes /usr from paths below /usr/lib, because packages list the same directory as {@code /lib/modules} or
     * {@code /usr/lib/modules}.
     */
    static String merged(String path) {
        return path.startsWith("/usr/lib/") ? path.substring("/usr".length()) : path;
    }

    static List<String> sorted(Collection<String> names) {
        return new ArrayList<>(new TreeSet<>(names));
    }

    /**
     * Queries one database with rpm(8). Result lines start with a marker; all other lines are rpm's messages. As rpm(8)
     * also fails for files without an owner, the exit status is meaningless.
     *
     * @param database the database's directory, null for the running system's database
     */
    private record RpmQuery(@Nullable Path database) {
        record Owned(String name, String path) {}

        private static final String MARK = "weaklink\t";
        private static final String PATH = "/usr/bin:/bin:/usr/sbin:/sbin";
        private static final Duration LIMIT = Duration.ofMinutes(2);

        private static final String MODULES = "basenames=*.ko*";

        private static final int MOST_OUTPUT = 32 << 20;

        /**
         * The maximum number of names in one command, because the kernel limits the size of all arguments (execve(2)).
         */
        private static final int WORDS_AT_ONCE = 500;

        Set<String> packagesOf(Collection<String> files) throws IOException {
            Set<String> packages = new TreeSet<>();
            for (List<String> some : portions(RpmDatabase.sorted(files))) {
                for (String[] answer : ask("-qf", some, "weaklink\\t%{NEVRA}\\t\\n")) {
                    packages.add(answer[1]);
                }
            }
            return packages;
        }

        Set<String> packagesIn(Set<String> directories) throws IOException {
            Set<String> packages = new TreeSet<>();
            for (String[] answer : ask("-qa", List.of(MODULES), "[weaklink\\t%{=NEVRA}\\t%{DIRNAMES}\\n]")) {
                if (directories.contains(RpmDatabase.merged(answer[2]))) {
                    packages.add(answer[1]);
                }
            }
            return packages;
        }

        List<Owned> files(Set<String> packages) throws IOException {
            List<Owned> files = new ArrayList<>();
            for (List<String> some : portions(List.copyOf(packages))) {
                for (String[] answer : ask("-q", some, "[weaklink\\t%{=NAME}\\t%{FILENAMES}\\n]")) {
                    files.add(new Owned(answer[1], answer[2]));
                }
            }
            return files;
        }

        List<Owned> filesNamed(Collection<String> names) throws IOException {
            List<Owned> files = new ArrayList<>();
            for (String name : names) {
                for (String[] answer :
                        ask("-qa", List.of("basenames=" + name), "[weaklink\\t%{=NAME} %{=EVR}\\t%{FILENAMES}\\n]")) {
                    files.add(new Owned(answer[1], answer[2]));
                }
            }
            return files;
        }

        private static List<List<String>> portions(List<String> words) {
            List<List<String>> portions = new ArrayList<>();
            for (int start = 0; start < words.size(); start += WORDS_AT_ONCE) {
                portions.add(words.subList(start, Math.min(words.size(), start + WORDS_AT_ONCE)));
            }
            return portions;
        }

        private List<String[]> ask(String how, List<String> about, String format) throws IOException {
            List<String> words = new ArrayList<>(List.of("rpm"));
            if (database != null) {
                words.addAll(List.of("--dbpath", database.toString()));
            }
            words.addAll(List.of(how, "--qf", format, "--"));
            words.addAll(about);
            ExternalCommand.Result result = run(words);
            List<String[]> answers = new ArrayList<>();
            for (String line : result.lines()) {
                String[] parts = line.split("\t", 3);
                if (line.startsWith(MARK) && parts.length == 3) {
                    answers.add(parts);
                } else if (line.startsWith("error:") && !line.startsWith("error: file ")) {
                    throw new IOException(
                            "rpm says: " + line.substring("error:".length()).strip());
                }
            }
            return answers;
        }

        private static ExternalCommand.Result run(List<String> words) throws IOException {
            ExternalCommand.Result result;
            try {
                result = ExternalCommand.of(words, LIMIT)
                        .withEnvironment(Map.of("PATH", PATH, "LC_ALL", "C"))
                        .withOutputLimit(MOST_OUTPUT)
                        .run();
            } catch (IOException e) {
                throw new IOException("rpm cannot be run: " + IoReason.of(e), e);
            }
            if (result.timedOut() || result.truncated()) {
                throw new IOException("rpm " + (result.timedOut() ? result.reason() : "printed too much"));
            }
            return result;
        }
    }
}
