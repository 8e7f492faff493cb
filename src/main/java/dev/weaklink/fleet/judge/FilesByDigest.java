package dev.weaklink.fleet.judge;

import dev.weaklink.check.FileDigests;
import dev.weaklink.check.FileProofs;
import dev.weaklink.check.ModuleBatch;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.Workers;
import dev.weaklink.system.ModuleArguments;
import dev.weaklink.system.ModuleSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The modules of nodes among files that are here, by the digest of the file; each read once. */
final class FilesByDigest {
  private final Map<String, KernelModule> modules = new HashMap<>();
  private final Set<String> wanted;
  private final ReadOptions options;
  private final List<InputProblem> problems;
  private FileProofs proofs = FileProofs.NONE;

  private FilesByDigest(Set<String> wanted, ReadOptions options, List<InputProblem> problems) {
    this.wanted = wanted;
    this.options = options;
    this.problems = problems;
  }

  /**
   * Looks for files.
   *
   * @param places files, directories and packages
   * @param wanted digests that nodes report; files with others are not read any further
   */
  static FilesByDigest find(
      List<String> places, Set<String> wanted, ReadOptions options, List<InputProblem> problems) {
    FilesByDigest found = new FilesByDigest(wanted, options, problems);
    if (!places.isEmpty()) {
      ModuleArguments arguments =
          ModuleArguments.expand(
              places,
              InputStream.nullInputStream(),
              Root.HOST,
              List.of(),
              options.packages(),
              false);
      arguments
          .problems()
          .forEach(met -> problems.add(new InputProblem(met.subject(), met.message())));
      found.take(arguments.modules());
    }
    return found;
  }

  /** The facts of the file with this digest, null if it is not here. */
  @Nullable KernelModule get(@Nullable String digest) {
    return digest == null ? null : modules.get(digest);
  }

  /** What cryptography says of their signatures. */
  FileProofs proofs() {
    return proofs;
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
    ModuleBatch batch = ModuleBatch.read(matching, options);
    proofs = new FileProofs(batch, matching.size());
    for (int i = 0; i < matching.size(); i++) {
      String failure = batch.failure(i);
      if (failure == null) {
        modules.put(theirs.get(i), batch.module(i));
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
    packages.forEach((file, members) -> inPackages.put(file, FileDigests.inPackage(file, members)));
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
      digests[index] = FileDigests.of(source.host());
    } catch (IOException e) {
      failures[index] = IoReason.of(e);
    }
  }
}
