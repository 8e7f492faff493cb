package dev.weaklink.check;

import dev.weaklink.btf.TypeGraph;
import dev.weaklink.codec.Limits;
import dev.weaklink.codec.Streams;
import dev.weaklink.codec.UnreadableFileException;
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
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
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
    KernelDifference difference = KernelDifference.between(before, after, wanted, causes(from, to));
    List<String> passing = passing(difference, before);
    return new ExplainReport(
        request.from(),
        request.to(),
        difference,
        unknown(before, after),
        passing,
        broken(difference, passing),
        notes);
  }

  private List<String> passing(KernelDifference difference, ExportTable before) {
    List<String> passing = new ArrayList<>();
    String file = request.severities();
    if (file == null) {
      return passing;
    }
    Severities severities = Severities.of(file, lines(file), problems);
    for (String symbol : difference.breaking()) {
      int row = before.find(symbol);
      if (row >= 0 && severities.passes(symbol, before.owner(row), before.namespace(row))) {
        passing.add(symbol);
      }
    }
    return passing;
  }

  private @Nullable List<String> broken(KernelDifference difference, List<String> passing) {
    String file = request.stablelist();
    if (file == null) {
      return null;
    }
    Set<String> broken = difference.breaking();
    broken.retainAll(Severities.stablelist(lines(file)));
    broken.removeAll(new TreeSet<>(passing));
    return List.copyOf(broken);
  }

  private List<String> lines(String file) {
    try (InputStream in = Streams.open(Path.of(file), Limits.TEXT)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (InvalidPathException e) {
      problems.add(new InputProblem(file, "no file can have such a name"));
    } catch (UnreadableFileException e) {
      problems.add(new InputProblem(file, e.reason()));
    } catch (IOException e) {
      problems.add(new InputProblem(file, IoReason.of(e)));
    }
    return List.of();
  }

  private ExplainReport nothing() {
    return new ExplainReport(
        request.from(), request.to(), null, List.of(), List.of(), null, List.of());
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
