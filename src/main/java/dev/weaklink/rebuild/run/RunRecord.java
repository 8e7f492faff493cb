package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Bundle;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Diagnosis.Cause;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.Manifest.PackageResult;
import dev.weaklink.rebuild.Manifest.RunState;
import dev.weaklink.sys.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

final class RunRecord {
    private static final int MAX_SOURCES = 100_000;

    private final PreparedRebuild prepared;
    private final String version;

    RunRecord(PreparedRebuild prepared, String version) {
        this.prepared = prepared;
        this.version = version;
    }

    Manifest running(List<BuiltModule> installed) throws IOException {
        return manifest(RunState.RUNNING, null, installed, List.of(), List.of(), List.of());
    }

    Manifest ended(
            RunState state,
            BuildExecution.Ended ended,
            List<BuiltModule> installed,
            List<Path> results,
            List<String> image)
            throws IOException {
        return manifest(state, ended.status(), installed, results, image, ended.packages());
    }

    private Manifest manifest(
            RunState state,
            @Nullable Integer status,
            List<BuiltModule> installed,
            List<Path> results,
            List<String> image,
            List<PackageResult> packages)
            throws IOException {
        List<String> names = results.stream().map(Path::toString).toList();
        return new Manifest(
                state,
                version,
                prepared.job().place().kernel(),
                prepared.backend().id(),
                prepared.reason(),
                inputs(),
                digests(results),
                prepared.steps(),
                status,
                installed,
                List.of(),
                names,
                image,
                packages,
                null);
    }

    private Map<String, String> inputs() {
        Job job = prepared.job();
        Map<String, String> inputs = new TreeMap<>();
        if (!subject(job).isEmpty()) {
            inputs.put("subject", subject(job));
        }
        inputs.put("build-tree", job.place().buildTree());
        inputs.put("distribution", prepared.evidence().platform().toString());
        Bundle bundle = job.bundle();
        if (bundle != null) {
            inputs.put("bundle", bundle.path());
            inputs.put("product", (bundle.product() + " " + bundle.version()).strip());
        }
        if (!job.packages().isEmpty()) {
            inputs.put("packages", String.join(" ", job.packages()));
        }
        return inputs;
    }

    /**
     * Returns the product or packages of a job without versions, so that runs of the same product are comparable; empty
     * if unknown.
     */
    static String subject(Job job) {
        Bundle bundle = job.bundle();
        if (bundle != null) {
            return bundle.product();
        }
        List<String> names = new ArrayList<>();
        for (String label : job.packages()) {
            int slash = label.indexOf('/');
            names.add(slash < 0 ? label : label.substring(0, slash));
        }
        names.sort(null);
        return String.join(" ", names);
    }

    private Map<String, String> digests(List<Path> results) throws IOException {
        Job job = prepared.job();
        List<Path> files = new ArrayList<>(results);
        files.add(Path.of(job.place().buildTree()).resolve("Module.symvers"));
        files.add(Path.of(job.place().buildTree()).resolve(".config"));
        Bundle bundle = job.bundle();
        if (bundle != null) {
            files.add(Path.of(bundle.path()));
            files.add(Path.of(bundle.path()).resolve(Bundle.SCRIPT));
        }
        Map<String, String> digests = new TreeMap<>();
        for (Path file : files) {
            if (Files.isRegularFile(file)) {
                digests.put(file.toString(), DurableFiles.digest(file));
            }
        }
        return digests;
    }

    /** Returns a failure if a recorded result has changed or is missing, else null. */
    static @Nullable Diagnosis changed(Manifest manifest) throws IOException {
        for (String file : manifest.results()) {
            boolean there = Files.isRegularFile(Path.of(file), LinkOption.NOFOLLOW_LINKS);
            if (!there
                    || !DurableFiles.digest(Path.of(file))
                            .equals(manifest.digests().get(file))) {
                return new Diagnosis(
                        Cause.BROKEN_RESULT,
                        file + (there ? ": has changed since it was built" : ": no longer exists"),
                        "",
                        "build the modules again");
            }
        }
        return null;
    }

    /**
     * Returns whether an earlier run had the same job with unchanged inputs.
     *
     * @throws IOException if a file cannot be read
     */
    boolean isSameJob(Manifest earlier, RunDirectory run) throws IOException {
        if (!earlier.backend().equals(prepared.backend().id())
                || !earlier.inputs().equals(inputs())) {
            return false;
        }
        for (Map.Entry<String, String> file : digests(List.of()).entrySet()) {
            if (!file.getValue().equals(earlier.digests().get(file.getKey()))) {
                return false;
            }
        }
        FileTime built = Files.getLastModifiedTime(run.manifest());
        for (String label : prepared.job().packages()) {
            Path source = prepared.root().resolve("/usr/src/" + label.replace('/', '-'));
            if (isNewer(source, built)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNewer(Path directory, FileTime since) throws IOException {
        if (!Files.isDirectory(directory)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            int count = 0;
            for (Path file : (Iterable<Path>) files::iterator) {
                if (++count > MAX_SOURCES
                        || Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS)
                                        .compareTo(since)
                                > 0) {
                    return true;
                }
            }
            return false;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    void write(Manifest manifest) throws IOException {
        write(prepared.run(), manifest);
    }

    static void write(RunDirectory run, Manifest manifest) throws IOException {
        DurableFiles.replace(run.manifest(), ManifestJson.bytes(manifest));
    }
}
