package dev.weaklink.check;

import dev.weaklink.audit.AuditReport.ModuleVerdict;
import dev.weaklink.audit.SetAnswer;
import dev.weaklink.elf.ElfIdentity;
import dev.weaklink.intake.NodePolicy;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.load.Layer;
import dev.weaklink.module.KernelModule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What kernels have said to sets of modules, for other kernels that are the same in all these sets
 * look at. Of many kernels most are: an update changes few of the symbols that a driver uses.
 */
final class KnownAnswers {
  /** Numbers kept for comparing: 64 MiB. */
  private static final long MOST_KEPT = 8L << 20;

  private final AskedSymbols asked;
  private final List<SetFacts> sets;
  private final List<Set<String>> releases = new ArrayList<>();
  private final Map<Traits, Traits> allTraits = new HashMap<>();
  private final Map<Sight, Sight> sights = new HashMap<>();
  private final Map<Part, Part> parts = new HashMap<>();
  private final Map<Question, SetAnswer> answers = new ConcurrentHashMap<>();
  private long kept;

  KnownAnswers(List<SetFacts> sets) {
    this.sets = List.copyOf(sets);
    asked = new AskedSymbols(sets);
    for (SetFacts set : sets) {
      Set<String> built = new HashSet<>();
      for (KernelModule module : set.known()) {
        built.add(firstWord(module.modInfo().first("vermagic")));
      }
      releases.add(built);
    }
  }

  /** One kernel, as sets see it. For one thread. */
  final class Kernel {
    private final TargetKernel kernel;
    private final String release;
    private final String magicRelease;
    private final @Nullable Sight sight;
    private final boolean keysMatter;
    private final boolean insists;

    private Kernel(OpenTarget target) {
      kernel = target.kernel();
      release = Objects.requireNonNullElse(kernel.release(), "");
      magicRelease = firstWord(kernel.vermagic());
      // What modules of its own would add to an answer is not compared.
      boolean comparable = target.natives() == null && target.known().isEmpty();
      sight = comparable ? sight(kernel) : null;
      // Neither are the keys in its image.
      keysMatter = !target.images().isEmpty();
      insists = target.insistsOnSignatures();
    }

    /** What this kernel says to a set if that is known from another one, else null. */
    @Nullable SetAnswer known(int set) {
      Question question = question(set);
      if (question == null) {
        return null;
      }
      SetAnswer answer = answers.get(question);
      return answer != null ? answer : answers.get(question.quoting(kernel.vermagic()));
    }

    /** Takes what this kernel says to a set. */
    void keep(int set, SetAnswer answer) {
      Question question = question(set);
      if (question != null) {
        boolean quotes = namesVermagic(answer);
        answers.put(quotes ? question.quoting(kernel.vermagic()) : question, answer);
      }
    }

    /** Null if more than that makes a difference. */
    private @Nullable Question question(int set) {
      boolean asksKeys = insists || sets.get(set).policy() != NodePolicy.PERMISSIVE;
      Part part = sight == null || keysMatter && asksKeys ? null : sight.parts[set];
      if (sight == null || part == null) {
        return null;
      }
      Set<String> built = releases.get(set);
      return new Question(
          sight.traits,
          part,
          built.contains(release) ? release : null,
          built.contains(magicRelease) ? magicRelease : null,
          null);
    }
  }

  Kernel on(OpenTarget target) {
    return new Kernel(target);
  }

  /**
   * What all sets see of a kernel: the same object for kernels of which they see the same. Null if
   * it cannot be numbered.
   */
  private @Nullable Sight sight(TargetKernel kernel) {
    long[] rows = asked.rows(kernel.exports());
    return rows == null ? null : sight(Traits.of(kernel), rows);
  }

  private synchronized Sight sight(Traits given, long[] rows) {
    Traits traits = allTraits.computeIfAbsent(given, first -> first);
    Sight seen = new Sight(traits, rows, new Part[sets.size()]);
    Sight same = sights.get(seen);
    if (same != null) {
      return same;
    }
    for (int set = 0; set < seen.parts.length; set++) {
      Part part = new Part(set, asked.ofSet(set, rows));
      seen.parts[set] = known(parts, part, part.rows.length);
    }
    known(sights, seen, rows.length);
    return seen;
  }

  /** The object that stands for all that are equal to this one; null if there is no room for it. */
  private <T> @Nullable T known(Map<T, T> all, T one, int size) {
    T same = all.get(one);
    if (same == null && kept + size <= MOST_KEPT) {
      kept += size;
      all.put(one, one);
      return one;
    }
    return same;
  }

  private static boolean namesVermagic(SetAnswer answer) {
    for (ModuleVerdict module : answer.modules()) {
      for (var finding : module.findings()) {
        if (finding.layer().equals(Layer.VERMAGIC.id())) {
          return true;
        }
      }
    }
    return false;
  }

  private static String firstWord(@Nullable String vermagic) {
    if (vermagic == null) {
      return "";
    }
    int blank = vermagic.indexOf(' ');
    return blank < 0 ? vermagic : vermagic.substring(0, blank);
  }

  private static String withoutFirstWord(String vermagic) {
    return vermagic.substring(firstWord(vermagic).length());
  }

  /**
   * What a loader goes by besides symbols.
   *
   * @param flags what vermagic has behind the release, null if it is not known
   * @param redHat7 whether the release is one of RHEL 7, which changed rules under an old version
   */
  private record Traits(
      @Nullable ElfIdentity machine,
      long structModuleSize,
      boolean exportsComplete,
      boolean ownModulesKnown,
      Set<String> builtIn,
      LoaderRules rules,
      @Nullable String flags,
      boolean redHat7) {
    static Traits of(TargetKernel kernel) {
      String vermagic = kernel.vermagic();
      String release = kernel.release();
      return new Traits(
          kernel.machine(),
          kernel.structModuleSize(),
          kernel.exportsComplete(),
          kernel.ownModulesKnown(),
          kernel.builtIn(),
          kernel.rules(),
          vermagic == null ? null : withoutFirstWord(vermagic),
          release != null && release.contains(".el7"));
    }
  }

  /**
   * What all sets see of a kernel.
   *
   * @param rows what it has by all the names that are asked for
   * @param parts what each set sees of them, null where that is not kept; not compared
   */
  private record Sight(Traits traits, long[] rows, @Nullable Part[] parts) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Sight sight
          && Arrays.equals(rows, sight.rows)
          && traits.equals(sight.traits);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(rows);
    }
  }

  /** What one set sees of a kernel's rows: the same object if it is the same. */
  private record Part(int set, long[] rows) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Part part && set == part.set && Arrays.equals(rows, part.rows);
    }

    @Override
    public int hashCode() {
      return set * 31 + Arrays.hashCode(rows);
    }
  }

  /**
   * All that an answer depends on.
   *
   * @param part compared by identity
   * @param release the kernel's, if some module was built for it; which one it is else makes no
   *     difference
   * @param magicRelease the same of the release in vermagic
   * @param quoted the kernel's vermagic, if the answer has it in its words
   */
  private record Question(
      Traits traits,
      Part part,
      @Nullable String release,
      @Nullable String magicRelease,
      @Nullable String quoted) {
    Question quoting(@Nullable String vermagic) {
      return new Question(traits, part, release, magicRelease, String.valueOf(vermagic));
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // of equal parts there is one object
    public boolean equals(Object other) {
      return other instanceof Question asked
          && part == asked.part
          && Objects.equals(release, asked.release)
          && Objects.equals(magicRelease, asked.magicRelease)
          && Objects.equals(quoted, asked.quoted)
          && traits.equals(asked.traits);
    }

    @Override
    public int hashCode() {
      return Objects.hash(release, magicRelease, quoted) * 31 + System.identityHashCode(part);
    }
  }
}
