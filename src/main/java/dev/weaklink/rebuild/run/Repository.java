package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Bundle;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.ShellWord;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A directory that offers built modules to other machines, with a repository index if a tool for it is installed. */
public final class Repository {
    private static final Duration LIMIT = Duration.ofMinutes(20);

    private final Path directory;
    private final Map<String, String> environment;

    public Repository(Path directory, Map<String, String> environment) {
        this.directory = directory.toAbsolutePath().normalize();
        this.environment = environment;
    }

    /**
     * Copies the packages and, if a tool for it is installed, creates a repository index. Without packages, copies the
     * modules.
     *
     * @param kernel the release for which the modules were built
     * @param bundle the installation image of Mellanox from which the modules were built, or null
     * @return lines that explain how to use the repository
     * @throws IOException if a file cannot be written or a tool fails
     */
    public List<String> fill(String kernel, @Nullable Bundle bundle, RebuildOutcome.Results results)
            throws IOException {
        Files.createDirectories(directory);
        List<Path> packages = results.packages();
        if (packages.isEmpty()) {
            Path modules = Files.createDirectories(directory.resolve(kernel));
            copy(results.modules(), modules);
            return List.of("modules in " + modules);
        }
        copy(packages, directory);
        boolean debian = packages.get(0).toString().endsWith(".deb");
        return debian ? apt() : yum(kernel, bundle, packages);
    }

    private static void copy(List<Path> files, Path to) throws IOException {
        for (Path file : files) {
            Path target = to.resolve(String.valueOf(file.getFileName()));
            Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private List<String> yum(String kernel, @Nullable Bundle bundle, List<Path> packages) throws IOException {
        for (String tool : List.of("createrepo_c", "createrepo")) {
            Path program = ProgramSearch.find(tool, environment);
            if (program != null) {
                ExternalCommand.Result result = ExternalCommand.of(
                                List.of(program.toString(), "--quiet", directory.toString()), LIMIT)
                        .run();
                if (!result.succeeded()) {
                    throw new IOException(tool + ": " + result.reason());
                }
                List<String> lines = new ArrayList<>(List.of(
                        "[weaklink-" + kernel + "]",
                        "name=Modules for " + kernel,
                        "baseurl=file://" + directory,
                        "gpgcheck=0"));
                lines.addAll(use(bundle, packages));
                return lines;
            }
        }
        return List.of("packages in " + directory + ", without an index, because createrepo_c is not installed");
    }

    /**
     * Returns lines with the installation command. The command names the packages, because a plain update would also
     * update unrelated packages.
     */
    private static List<String> use(@Nullable Bundle bundle, List<Path> packages) {
        StringBuilder install = new StringBuilder("then, on each machine: dnf install");
        for (Path file : packages) {
            install.append(' ').append(ShellWord.of(name(String.valueOf(file.getFileName()))));
        }
        List<String> lines = new ArrayList<>(List.of(install.toString()));
        if (bundle != null) {
            lines.add(bundle.metapackage()
                    + " requires only the drivers, "
                    + bundle.metapackage().replace("kernel-only", "all")
                    + " also the user space; both are metapackages in the image's repository");
        }
        return lines;
    }

    /** Returns the name in {@code NAME-VERSION-RELEASE.ARCH.rpm}; neither version nor release contains a dash. */
    private static String name(String file) {
        int release = file.lastIndexOf('-');
        int version = file.lastIndexOf('-', release - 1);
        return version <= 0 ? file : file.substring(0, version);
    }

    private List<String> apt() throws IOException {
        Path program = ProgramSearch.find("dpkg-scanpackages", environment);
        if (program == null) {
            return List.of("packages in " + directory + ", without an index, because dpkg-dev is not installed");
        }
        List<String> words = new ArrayList<>(List.of(program.toString(), "--multiversion", "."));
        ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
        builder.redirectInput(new File("/dev/null"));
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        // The draft protects the index: other processes may read it meanwhile, or may have put a link in its place.
        Path draft = DurableFiles.draft(directory, ".Packages", new byte[0]);
        builder.redirectOutput(draft.toFile());
        Process process = builder.start();
        try {
            boolean ended = process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            process.destroyForcibly();
            if (!ended || process.waitFor() != 0) {
                Files.delete(draft);
                throw new IOException("dpkg-scanpackages failed");
            }
            DurableFiles.move(draft, directory.resolve("Packages"));
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return List.of("deb [trusted=yes] file:" + directory + " ./");
    }
}
