package dev.weaklink.check;

import dev.weaklink.btf.TypeGraph;
import dev.weaklink.explain.CauseFinder;
import dev.weaklink.explain.ExplainReport;
import dev.weaklink.explain.KernelDifference;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.source.InputProblem;
import dev.weaklink.source.ModuleArguments;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Compares two kernels and finds out why CRCs differ. */
public final class Explainer {
  private final ExplainRequest request;
  private final Root root;
  private final List<InputProblem> problems;

  private Explainer(ExplainRequest request, Root root, List<InputProblem> problems) {
    this.request = request;
    this.root = root;
    this.problems = problems;
  }

  /**
   * Compares.
   *
   * @param problems takes what could not be read
   * @throws IOException if the root is none
   */
  public static ExplainReport explain(ExplainRequest request, List<InputProblem> problems)
      throws IOException {
    Root root = request.root() == null ? Root.HOST : Root.of(request.root());
    return new Explainer(request, root, problems).run();
  }

  private ExplainReport run() {
    KernelReading older = find(request.from());
    KernelReading newer = find(request.to());
    if (older == null || newer == null) {
      return nothing();
    }
    BackgroundTask<TypedKernel> reading = BackgroundTask.start(() -> TypedKernel.read(newer));
    TypedKernel from = TypedKernel.read(older);
    TypedKernel to = reading.get();
    problems.addAll(from.problems());
    problems.addAll(to.problems());
    Set<String> asked = asked();
    ExportTable before = from.exports();
    ExportTable after = to.exports();
    if (before == null || after == null) {
      return nothing();
    }
    boolean all = request.symbols().isEmpty() && request.modules().isEmpty();
    Predicate<String> wanted = all ? symbol -> true : asked::contains;
    List<String> notes = new ArrayList<>();
    from.notes().forEach(note -> notes.add(from.label() + ": " + note));
    to.notes().forEach(note -> notes.add(to.label() + ": " + note));
    return new ExplainReport(
        request.from(),
        request.to(),
        KernelDifference.between(before, after, wanted, causes(from, to)),
        unknown(before, after),
        notes);
  }

  private ExplainReport nothing() {
    return new ExplainReport(request.from(), request.to(), null, List.of(), List.of());
  }

  /** Finds causes by the types of two kernels; none where one of them has no types. */
  static KernelDifference.Causes causes(TypedKernel from, TypedKernel to) {
    TypeGraph before = from.types();
    TypeGraph after = to.types();
    if (before == null || after == null) {
      return (symbol, owner) -> null;
    }
    ModuleCauses modules = new ModuleCauses(from.tree(), to.tree(), before, after);
    CauseFinder kernel = new CauseFinder(before, after);
    return (symbol, owner) -> {
      CauseFinder finder = owner.equals(Symvers.VMLINUX) ? kernel : modules.finder(owner, kernel);
      return finder == null ? null : finder.find(symbol);
    };
  }

  private @Nullable KernelReading find(String kernel) {
    StoredTargets store = StoredTargets.in(root, request.store(), problems);
    List<KernelReading> found = new TargetFinder(root, store, problems).find(List.of(kernel));
    return found.isEmpty() ? null : found.get(0);
  }

  private List<String> unknown(ExportTable before, ExportTable after) {
    return request.symbols().stream()
        .filter(symbol -> before.find(symbol) < 0 && after.find(symbol) < 0)
        .toList();
  }

  /** The symbols asked for, and those that the modules asked for import. */
  private Set<String> asked() {
    Set<String> asked = new TreeSet<>(request.symbols());
    if (request.modules().isEmpty()) {
      return asked;
    }
    ModuleArguments found =
        ModuleArguments.expand(
            request.modules(),
            InputStream.nullInputStream(),
            root,
            List.of(request.from(), request.to()));
    problems.addAll(found.problems());
    ModuleBatch batch = ModuleBatch.read(found.modules(), request.reading());
    for (int i = 0; i < found.modules().size(); i++) {
      addImports(batch.module(i), asked);
      String failure = batch.failure(i);
      if (failure != null) {
        problems.add(new InputProblem(found.modules().get(i).origin().file(), failure));
      }
    }
    return asked;
  }

  private static void addImports(KernelModule module, Set<String> asked) {
    SymbolNames names = module.imports().names();
    for (int i = 0; i < names.size(); i++) {
      asked.add(names.name(i));
    }
  }
}
