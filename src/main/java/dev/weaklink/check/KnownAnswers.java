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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
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
  private final Map<Question, SetAnswer> answers = new ConcurrentHashMap<>();
  private final AtomicLong kept = new AtomicLong();

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
    private final Traits traits;
    private final long @Nullable [] rows;
    private final boolean keysMatter;
    private final boolean insists;

    private Kernel(OpenTarget target) {
      kernel = target.kernel();
      traits = Traits.of(kernel);
      // What modules of its own would add to an answer is not compared.
      boolean comparable = target.natives() == null && target.known().isEmpty();
      rows = comparable ? asked.rows(kernel.exports()) : null;
      // Neither are the keys in its image.
      keysMatter = !target.images().isEmpty();
      insists = target.insistsOnSignatures();
    }

    private long @Nullable [] rows(int set) {
      boolean asksKeys = insists || sets.get(set).policy() != NodePolicy.PERMISSIVE;
      return keysMatter && asksKeys ? null : rows;
    }

    /** What this kernel says to a set if that is known from another one, else null. */
    @Nullable SetAnswer known(int set) {
      long[] compared = rows(set);
      if (compared == null) {
        return null;
      }
      Question question = question(set, compared);
      SetAnswer answer = answers.get(question);
      return answer != null ? answer : answers.get(question.quoting(kernel.vermagic()));
    }

    /** Takes what this kernel says to a set. */
    void keep(int set, SetAnswer answer) {
      long[] compared = rows(set);
      if (compared != null) {
        Question question = question(set, compared);
        if (kept.addAndGet(question.rows().length) <= MOST_KEPT) {
          boolean quotes = namesVermagic(answer);
          answers.put(quotes ? question.quoting(kernel.vermagic()) : question, answer);
        }
      }
    }

    private Question question(int set, long[] all) {
      Set<String> built = releases.get(set);
      return new Question(
          set,
          traits,
          ifAny(built, Objects.requireNonNullElse(kernel.release(), "")),
          ifAny(built, firstWord(kernel.vermagic())),
          null,
          asked.ofSet(set, all));
    }
  }

  Kernel on(OpenTarget target) {
    return new Kernel(target);
  }

  /** The release, if some module was built for it; which one it is else makes no difference. */
  private static @Nullable String ifAny(Set<String> built, String release) {
    return built.contains(release) ? release : null;
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
   * All that an answer depends on.
   *
   * @param quoted the kernel's vermagic, if the answer has it in its words
   */
  private record Question(
      int set,
      Traits traits,
      @Nullable String release,
      @Nullable String magicRelease,
      @Nullable String quoted,
      long[] rows) {
    Question quoting(@Nullable String vermagic) {
      return new Question(set, traits, release, magicRelease, String.valueOf(vermagic), rows);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Question asked
          && set == asked.set
          && Objects.equals(release, asked.release)
          && Objects.equals(magicRelease, asked.magicRelease)
          && Objects.equals(quoted, asked.quoted)
          && Arrays.equals(rows, asked.rows)
          && traits.equals(asked.traits);
    }

    @Override
    public int hashCode() {
      return Objects.hash(set, release, magicRelease, quoted) * 31 + Arrays.hashCode(rows);
    }
  }
}
