package dev.weaklink.check;

import dev.weaklink.codec.FileContents;
import dev.weaklink.codec.Limits;
import dev.weaklink.codec.UnreadableFileException;
import dev.weaklink.load.Finding;
import dev.weaklink.load.FindingKind;
import dev.weaklink.load.Outcome;
import dev.weaklink.load.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.Origin;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.source.FoundFile;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.tree.AliasLookup;
import dev.weaklink.tree.ConfigLines;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Notes on modules that others name ({@code request_module}, dependencies) and that a kernel does
 * not have: neither by a name nor by an alias, of its own modules, of what is compiled in, or of
 * the modules that are checked. Nothing is said where not all of these are known.
 */
final class ModuleRequests {
  /** What modprobe makes of exports; they are asked for by no driver. */
  private static final String SYMBOL = "symbol:";

  private final Root root;
  private final List<KernelModule> modules = new ArrayList<>();
  private final List<List<Wanted>> wanted = new ArrayList<>();
  private final Set<String> given = new HashSet<>();
  private boolean isAny;
  private boolean isComplete = true;

  private record Wanted(String name, FindingKind kind) {}

  /** Of none so far; {@code root} has the configuration of modprobe. */
  ModuleRequests(Root root) {
    this.root = root;
  }

  /** Those of files that have been read. */
  static ModuleRequests of(Root root, ModuleFacts reading) {
    ModuleRequests requests = new ModuleRequests(root);
    for (int i = 0; i < reading.size(); i++) {
      requests.add(reading.module(i), reading.runtime(i));
    }
    return requests;
  }

  /** A module more, null if it could not be read, and what it asks for when it runs. */
  void add(@Nullable KernelModule module, RuntimeNames runtime) {
    List<Wanted> names = module == null ? List.of() : wanted(module, runtime);
    wanted.add(names);
    isAny |= !names.isEmpty();
    if (module == null || module.elf() == null) {
      isComplete = false;
    } else {
      modules.add(module);
    }
  }

  private static List<Wanted> wanted(KernelModule module, RuntimeNames runtime) {
    List<Wanted> names = new ArrayList<>();
    for (String name : runtime.modules()) {
      names.add(new Wanted(name, FindingKind.DEPENDENCY_REQUESTED));
    }
    for (String soft : module.modInfo().softDependencies()) {
      names.add(new Wanted(soft, FindingKind.DEPENDENCY_SOFT));
    }
    return names;
  }

  /**
   * Adds the notes.
   *
   * @param judged a verdict for every file, in their order
   */
  void note(OpenTarget target, List<Verdict> judged) {
    List<List<Finding>> notes = notes(target);
    for (int i = 0; i < notes.size(); i++) {
      if (!notes.get(i).isEmpty()) {
        judged.set(i, judged.get(i).with(notes.get(i)));
      }
    }
    for (int i = 0; i < judged.size(); i++) {
      if (misses(judged.get(i))) {
        judged.set(i, judged.get(i).with(absent(target, judged.get(i).module())));
      }
    }
  }

  /** What a module that misses symbols depends on, and nobody has. */
  private List<Finding> absent(OpenTarget target, KernelModule module) {
    NativeModules natives = target.natives();
    if (natives == null || !natives.hasInTree()) {
      return List.of();
    }
    List<Finding> notes = new ArrayList<>();
    for (String depends : module.modInfo().depends()) {
      String name = Origin.moduleName(depends);
      if (!natives.has(name) && !target.kernel().image().isTaken(name) && !isGiven(name)) {
        String detail = "depends on the module " + name + ", which the kernel does not have";
        notes.add(note(FindingKind.DEPENDENCY_ABSENT, name, detail + "; check both"));
      }
    }
    return notes;
  }

  private static boolean misses(Verdict verdict) {
    if (verdict.outcome() == Outcome.INCOMPATIBLE) {
      for (Finding finding : verdict.findings()) {
        if (finding.kind() == FindingKind.SYMBOL_MISSING) {
          return verdict.module().modInfo().knows("depends");
        }
      }
    }
    return false;
  }

  private boolean isGiven(String name) {
    if (given.isEmpty()) {
      modules.forEach(module -> given.add(module.name()));
    }
    return given.contains(name);
  }

  /** The notes on each module; none at all where nothing can be said. */
  private List<List<Finding>> notes(OpenTarget target) {
    AliasLookup lookup = isAny ? lookup(target) : null;
    Set<String> missing = lookup == null ? Set.of() : lookup.missing();
    List<List<Finding>> notes = new ArrayList<>();
    for (int i = 0; !missing.isEmpty() && i < wanted.size(); i++) {
      List<Finding> ofOne = new ArrayList<>();
      for (Wanted one : wanted.get(i)) {
        if (missing.contains(one.name())) {
          ofOne.add(missing(one));
        }
      }
      notes.add(ofOne);
    }
    return notes;
  }

  /** The notes on modules that have all been read, a line each. */
  List<String> lines(OpenTarget target) {
    List<String> lines = new ArrayList<>();
    List<List<Finding>> notes = notes(target);
    for (int i = 0; i < notes.size(); i++) {
      lines.addAll(lines(modules.get(i).name(), notes.get(i)));
    }
    return lines;
  }

  /** What findings on a module say of others that it asks for, a line each. */
  static List<String> lines(String module, List<Finding> findings) {
    List<String> lines = new ArrayList<>();
    for (Finding finding : findings) {
      if (finding.kind() == FindingKind.DEPENDENCY_ABSENT
          || finding.kind() == FindingKind.DEPENDENCY_REQUESTED
          || finding.kind() == FindingKind.DEPENDENCY_SOFT) {
        lines.add(module + " " + finding.detail());
      }
    }
    return lines;
  }

  /** Null if it is not known by which names all of them go. */
  private @Nullable AliasLookup lookup(OpenTarget target) {
    NativeModules natives = target.natives();
    if (!isComplete
        || natives == null
        || target.indexes().builtIn() == null
        || !natives.hasInTree()) {
      return null;
    }
    AliasLookup lookup = new AliasLookup(requested());
    natives.names().forEach(lookup::offer);
    modules.forEach(module -> lookup.offer(module.name()));
    return offerAliases(target.indexes(), natives, lookup) ? lookup : null;
  }

  private Set<String> requested() {
    Set<String> requested = new HashSet<>();
    for (List<Wanted> names : wanted) {
      for (Wanted one : names) {
        if (!one.name().startsWith(SYMBOL)) {
          requested.add(one.name());
        }
      }
    }
    return requested;
  }

  /** False if not all of them can be read. */
  private boolean offerAliases(ModuleIndexes indexes, NativeModules natives, AliasLookup lookup) {
    if (lookup.isDone()) {
      return true;
    }
    FoundFile index = indexes.aliases();
    if (index == null && !natives.arePackaged()) {
      // depmod has not run, and to read thousands of files for a note is too much.
      return false;
    }
    FoundFile builtIn = Objects.requireNonNull(indexes.builtIn());
    FileContents contents = new FileContents(Limits.TEXT);
    try {
      lookup.narrow();
      builtIn.load(contents);
      lookup.offerBuiltIn(contents.bytes(), contents.length());
      if (index != null && !lookup.isDone()) {
        index.load(contents);
        lookup.offerIndex(contents.bytes(), contents.length());
      }
    } catch (UnreadableFileException e) {
      return false;
    }
    lookup.narrow();
    (index == null ? natives.all() : natives.outOfTree())
        .forEach(module -> offerAliases(module, lookup));
    modules.forEach(module -> offerAliases(module, lookup));
    return natives.failures().isEmpty() && (lookup.isDone() || offerConfigured(lookup));
  }

  private boolean offerConfigured(AliasLookup lookup) {
    List<InputProblem> problems = new ArrayList<>();
    new ConfigLines(root, problems, (place, line) -> lookup.offerConfigured(line))
        .read("modprobe.d");
    return problems.isEmpty();
  }

  private static void offerAliases(KernelModule module, AliasLookup lookup) {
    ModInfo info = module.modInfo();
    for (int i = 0; i < info.size() && !lookup.isDone(); i++) {
      lookup.offerEntry(info.bytes(), info.start(i), info.end(i));
    }
  }

  private static Finding missing(Wanted wanted) {
    boolean soft = wanted.kind() == FindingKind.DEPENDENCY_SOFT;
    boolean format = !soft && wanted.name().indexOf('%') >= 0;
    return note(
        wanted.kind(),
        wanted.name(),
        "asks for the module "
            + wanted.name()
            + (soft ? " (softdep)" : " when it runs (request_module)")
            + "; the kernel has none "
            + (format ? "whose name or alias begins so" : "of that name or alias"));
  }

  private static Finding note(FindingKind kind, String name, String detail) {
    return new Finding(kind, Finding.Effect.NOTE, null, null, name, null, null, null, detail);
  }
}
