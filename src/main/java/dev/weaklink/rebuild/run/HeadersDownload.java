package dev.weaklink.rebuild.run;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A download of packages with headers or sources, with apt-get as the unprivileged user _apt. The files are in a
 * temporary directory that is removed afterwards.
 */
public final class HeadersDownload {
    private static final String USER = "_apt";
    private static final Path PLACE = Path.of("/run/weaklink");
    private static final String PREFIX = "headers-";
    private static final Pattern ABANDONED = Pattern.compile(PREFIX + "([0-9]{1,18})-[0-9]+");
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final List<String> PASSED =
            List.of("http_proxy", "https_proxy", "ftp_proxy", "no_proxy", "all_proxy", "APT_CONFIG");

    private final Map<String, String> environment;
    private final List<InputProblem> problems;

    public HeadersDownload(Map<String, String> environment, List<InputProblem> problems) {
        this.environment = environment;
        this.problems = problems;
    }

    /** The contents of a package, which limit its size. The directory is in /run, so its files take memory. */
    public enum PackageContents {
        HEADERS(64),
        /** The source of a driver; graphics drivers have the largest. */
        SOURCE(256);

        private final int maxMebibytes;

        PackageContents(int maxMebibytes) {
            this.maxMebibytes = maxMebibytes;
        }
    }

    /**
     * A reader of the fetched package files, which are in the order of the request. The files are removed after the
     * reader returns.
     */
    public interface PackageUse<T> {
        @Nullable
        T read(List<Path> files) throws IOException;
    }

    /**
     * Fetches packages and passes their files to a reader.
     *
     * @return the reader's result; null if a package could not be fetched or read, after recording a problem
     */
    public <T> @Nullable T fetch(List<OfferedPackage> packages, PackageContents contents, PackageUse<T> reader) {
        List<String> names = new ArrayList<>();
        packages.forEach(one -> names.add(one.name() + "=" + one.version()));
        String name = String.join(" ", names);
        try {
            DurableFiles.createDirectories(PLACE);
            removeAbandoned();
            String prefix = PREFIX + ProcessHandle.current().pid() + "-";
            Path directory = Files.createTempDirectory(PLACE, prefix);
            try {
                String group = give(directory);
                ExternalCommand.Result result = command(names, group, directory).run();
                take(directory);
                if (!result.succeeded()) {
                    problems.add(new InputProblem(name, "'apt-get download' failed: " + reason(result)));
                    return null;
                }
                return reader.read(files(packages, contents, directory));
            } finally {
                DurableFiles.deleteTree(directory);
            }
        } catch (IOException e) {
            problems.add(new InputProblem(name, "cannot be fetched: " + IoReason.of(e)));
            return null;
        }
    }

    private static String reason(ExternalCommand.Result result) {
        List<String> lines = result.lines();
        for (String line : lines) {
            if (line.startsWith("E: ")) {
                return line.substring("E: ".length());
            }
        }
        return lines.isEmpty() ? result.reason() : lines.get(lines.size() - 1);
    }

    private static void removeAbandoned() throws IOException {
        for (String name : RootText.names(PLACE)) {
            Matcher abandoned = ABANDONED.matcher(name);
            if (abandoned.matches()
                    && ProcessHandle.of(Long.parseLong(abandoned.group(1))).isEmpty()) {
                DurableFiles.deleteTree(PLACE.resolve(name));
            }
        }
    }

    private static String give(Path directory) throws IOException {
        for (String line : RootText.read(Path.of("/etc/passwd"), 1 << 20).split("\n", -1)) {
            String[] fields = line.split(":", -1);
            if (fields.length > 3 && fields[0].equals(USER)) {
                own(directory, USER);
                return fields[3];
            }
        }
        throw new FileSystemException("/etc/passwd", null, "there is no user " + USER);
    }

    private static void take(Path directory) throws IOException {
        own(directory, "root");
    }

    private static void own(Path directory, String user) throws IOException {
        Files.setOwner(
                directory,
                directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user));
    }

    private ExternalCommand command(List<String> names, String group, Path directory) {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        variables.put("LC_ALL", "C.UTF-8");
        for (String variable : PASSED) {
            String value = environment.get(variable);
            if (value != null) {
                variables.put(variable, value);
            }
        }
        List<String> words = new ArrayList<>(List.of("env", "-C", directory.toString(), "setpriv"));
        words.addAll(List.of("--reuid=" + USER, "--regid=" + group, "--clear-groups", "--no-new-privs"));
        words.addAll(List.of("apt-get", "-qq", "-o", "Dir::Etc::preferences=/dev/null"));
        words.addAll(List.of("-o", "Dir::Etc::preferencesparts=/dev/null", "download"));
        words.addAll(names);
        return ExternalCommand.of(words, LIMIT).withEnvironment(variables);
    }

    /** Returns each package's file. Throws IOException if a package has no regular file or the file is too large. */
    static List<Path> files(List<OfferedPackage> packages, PackageContents contents, Path directory)
            throws IOException {
        List<String> names = RootText.names(directory);
        List<Path> files = new ArrayList<>();
        for (OfferedPackage one : packages) {
            Path file = directory;
            for (String name : names) {
                file = name.startsWith(one.name() + "_") && name.endsWith(".deb") ? directory.resolve(name) : file;
            }
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                throw new FileSystemException(one.name(), null, "apt-get left no package");
            }
            if (Files.size(file) > (long) contents.maxMebibytes << 20) {
                throw new FileSystemException(
                        one.name(), null, "the package is larger than the limit of " + contents.maxMebibytes + " MiB");
            }
            files.add(file);
        }
        return files;
    }
}
