package dev.weaklink.check;

import dev.weaklink.check.SignatureCheck.GivenCertificates;
import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile;
import dev.weaklink.format.archive.PackageFile.EntryVisitor;
import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.RegularFile;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.Sha256;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.Workers;
import dev.weaklink.system.ModuleArguments;
import dev.weaklink.system.ModuleSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The modules of local files whose digest is wanted, by digest. If several files have the same contents, only the first
 * is parsed.
 */
public final class ModulesByDigest {
    private static final int BUFFER_SIZE = 64 << 10;

    private final Map<String, KernelModule> modules = new HashMap<>();
    private final Set<String> wanted;
    private final ReadOptions options;
    private final List<InputProblem> problems;
    private @Nullable ModuleBatch batch;

    private ModulesByDigest(Set<String> wanted, ReadOptions options, List<InputProblem> problems) {
        this.wanted = wanted;
        this.options = options;
        this.problems = problems;
    }

    public static ModulesByDigest find(
            List<String> places, Set<String> wanted, ReadOptions options, List<InputProblem> problems) {
        ModulesByDigest found = new ModulesByDigest(wanted, options, problems);
        if (!places.isEmpty()) {
            ModuleArguments arguments = ModuleArguments.expand(
                    places, InputStream.nullInputStream(), Root.HOST, List.of(), options.packages(), false);
            arguments.problems().forEach(met -> problems.add(new InputProblem(met.subject(), met.message())));
            found.take(arguments.modules());
        }
        return found;
    }

    public @Nullable KernelModule get(@Nullable String digest) {
        return digest == null ? null : modules.get(digest);
    }

    public SetSignatures signatures(List<String> certificates) {
        return new SetSignatures(batch, GivenCertificates.read(certificates, problems));
    }

    private void take(List<ModuleSource> sources) {
        @Nullable String[] digests = digests(sources);
        List<ModuleSource> matching = new ArrayList<>();
        List<String> theirs = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < digests.length; i++) {
            String digest = digests[i];
            if (digest != null && wanted.contains(digest) && seen.add(digest)) {
                matching.add(sources.get(i));
                theirs.add(digest);
            }
        }
        ModuleBatch read = ModuleBatch.read(matching, options);
        batch = read;
        for (int i = 0; i < matching.size(); i++) {
            String failure = read.failure(i);
            if (failure == null) {
                modules.put(theirs.get(i), read.module(i));
            } else {
                problems.add(new InputProblem(matching.get(i).origin().toString(), failure));
            }
        }
    }

    private @Nullable String[] digests(List<ModuleSource> sources) {
        Map<Path, Set<String>> packages = new HashMap<>();
        for (ModuleSource source : sources) {
            PackagedModule packaged = source.packaged();
            if (packaged != null) {
                packages.computeIfAbsent(source.host(), key -> new HashSet<>()).add(packaged.member());
            }
        }
        Map<Path, Map<String, String>> inPackages = new HashMap<>();
        packages.forEach((file, members) -> inPackages.put(file, inPackage(file, members)));
        @Nullable String[] digests = new String[sources.size()];
        @Nullable String[] failures = new String[digests.length];
        Workers.start(
                        digests.length,
                        options.threads(),
                        Workers.all(i -> digest(sources.get(i), i, inPackages, digests, failures)))
                .finish();
        for (int i = 0; i < failures.length; i++) {
            String failure = failures[i];
            if (failure != null) {
                problems.add(new InputProblem(sources.get(i).origin().toString(), failure));
            }
        }
        return digests;
    }

    private static void digest(
            ModuleSource source,
            int index,
            Map<Path, Map<String, String>> inPackages,
            @Nullable String[] digests,
            @Nullable String[] failures) {
        PackagedModule packaged = source.packaged();
        if (packaged != null) {
            Map<String, String> members = inPackages.get(source.host());
            digests[index] = members == null ? null : members.get(packaged.member());
            return;
        }
        try {
            digests[index] = digestOf(source.host());
        } catch (IOException e) {
            failures[index] = IoReason.of(e);
        }
    }

    private static String digestOf(Path file) throws IOException {
        try (InputStream in = RegularFile.open(file)) {
            return digestOf(in);
        }
    }

    private static String digestOf(InputStream in) throws IOException {
        MessageDigest digest = Sha256.start();
        byte[] buffer = new byte[BUFFER_SIZE];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            digest.update(buffer, 0, count);
        }
        return "sha256:" + Sha256.hex(digest);
    }

    private static Map<String, String> inPackage(Path file, Set<String> members) {
        Map<String, String> digests = new HashMap<>();
        try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT)) {
            open.forEach(new Digesting(members, digests));
        } catch (UnreadableException e) {
            // The problem was reported when the package's modules were read.
            return digests;
        }
        return digests;
    }

    private record Digesting(Set<String> members, Map<String, String> digests) implements EntryVisitor {
        /**
         * Compares the path with the end of each member's name. In a package of packages, a member's name starts with
         * the path of the inner package.
         */
        @Override
        public boolean wants(String path) {
            for (String member : members) {
                if (member.endsWith(path)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public void visit(PackageEntry entry) throws IOException {
            if (entry.type() == EntryType.FILE && members.contains(entry.member())) {
                digests.put(entry.member(), digestOf(entry.contents()));
            }
        }

        @Override
        public void problem(String subject, String message) {
            // The problem was reported when the package's modules were read.
        }
    }
}
