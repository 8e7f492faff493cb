package dev.weaklink.system;

import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.StalledReads;
import dev.weaklink.sys.Workers;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.system.cache.PackageFacts;
import dev.weaklink.system.cache.PackageFacts.PackageFactsWriter;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The facts of the packages that one run of weaklink reads. The package of an argument is read at most once, and not at
 * all if the cache contains its facts from an earlier run.
 */
public final class GivenPackages {
    private static final long LARGE = 16L << 20;

    private final FactsCache cache;
    private final int threads;
    private final AtomicLong room = new AtomicLong(PackageScan.MAX_HELD);
    private final Map<String, PackageFacts> read = new ConcurrentHashMap<>();

    public GivenPackages(FactsCache cache, int threads) {
        this.cache = cache;
        this.threads = threads;
    }

    public static GivenPackages unkept() {
        return new GivenPackages(FactsCache.NONE, 1);
    }

    public void readAll(Collection<String> arguments, Progress progress) {
        Map<String, Path> files = new LinkedHashMap<>();
        long size = 0;
        for (String given : arguments) {
            Path file = packageFile(given);
            if (file != null && files.put(given, file) == null) {
                size += file.toFile().length();
            }
        }
        if (!files.isEmpty()) {
            List<Map.Entry<String, Path>> each = new ArrayList<>(files.entrySet());
            progress.start((int) (size >> 10), "KiB of packages");
            IntConsumer reader = i -> read(each.get(i).getValue(), each.get(i).getKey(), progress);
            Workers.start(each.size(), threads, Workers.all(reader)).finish();
            progress.done();
        }
    }

    /**
     * Returns the path of a package; null if the argument is not a package. Files named like modules are not opened
     * here: there may be thousands of them, and they are read soon anyway.
     */
    private static @Nullable Path packageFile(String given) {
        try {
            Path file = Path.of(given);
            boolean candidate = !given.isEmpty()
                    && !ModuleNames.isModuleFile(String.valueOf(file.getFileName()))
                    && StalledReads.exists(file);
            return candidate && PackageReader.isPackage(file) ? file : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    PackageFacts read(Path file, String given) {
        PackageFacts known = read.get(given);
        return known != null ? known : read(file, given, Progress.NONE);
    }

    private PackageFacts read(Path named, String given, Progress progress) {
        Path file = real(named);
        long started = cache.now();
        FileIdentity before = FileIdentity.ofOrNull(file);
        PackageFacts facts = before == null ? null : cache.find(file, before, given);
        if (facts == null) {
            PackageFactsWriter found = PackageScan.read(file, given, room, count -> progress.step((int) (count >> 10)));
            boolean same = before != null && before.equals(FileIdentity.ofOrNull(file));
            facts = cache.keep(file, same ? before : null, started, given, found);
            collect(file);
        }
        read.put(given, facts);
        return facts;
    }

    /**
     * Collects garbage after reading a large kernel package, which leaves some 50 MiB behind. Otherwise the JVM would
     * request as much memory again for the next package. The collection takes 20 to 40 ms.
     */
    private static void collect(Path file) {
        if (file.toFile().length() >= LARGE) {
            System.gc();
        }
    }

    static void report(PackageFacts facts, String given, List<InputProblem> problems) {
        for (PackageFacts.PackageProblem met : facts.problems()) {
            problems.add(new InputProblem(subject(given, met.subject()), met.message()));
        }
        if (facts.failure() != null) {
            problems.add(new InputProblem(given, facts.failure()));
        }
    }

    static String subject(String given, String inside) {
        return inside.isEmpty() ? given : given + "!" + inside;
    }

    private static Path real(Path file) {
        try {
            return file.toRealPath();
        } catch (IOException e) {
            return file;
        }
    }
}
