package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Backend;
import dev.weaklink.rebuild.Backends;
import dev.weaklink.rebuild.Bundle;
import dev.weaklink.rebuild.DkmsOrder;
import dev.weaklink.rebuild.Evidence;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Obstacle;
import dev.weaklink.rebuild.Preflight;
import dev.weaklink.rebuild.Source;
import dev.weaklink.rebuild.SourceChooser;
import dev.weaklink.rebuild.Step;
import dev.weaklink.rebuild.Surroundings;
import dev.weaklink.rules.RebuildHint;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes of what was asked, and of what a system shows, a rebuild that can be started. */
public final class Preparation {
  private static final String DKMS = "dkms";
  private static final List<String> FAKEROOT = List.of("fakeroot", "--");

  private final RebuildRequest request;
  private final Root root;
  private final EarlierRuns ahead;

  private Preparation(RebuildRequest request, Root root, EarlierRuns ahead) {
    this.request = request;
    this.root = root;
    this.ahead = ahead;
  }

  /**
   * What others will have done by then for the same kernel.
   *
   * @param runs how many there will be
   * @param installed packages of DKMS they will have installed
   */
  record EarlierRuns(int runs, List<String> installed) {
    static final EarlierRuns NOTHING = new EarlierRuns(0, List.of());

    /** The same and one more. */
    EarlierRuns and(PlannedRebuild one, boolean installs) {
      List<String> more = new ArrayList<>(installed);
      PreparedRebuild prepared = one.prepared();
      if (installs && prepared != null && prepared.backend().id().equals(DKMS)) {
        more.addAll(prepared.job().packages());
      }
      return new EarlierRuns(one.kept() == null ? runs + 1 : runs, more);
    }
  }

  /**
   * Prepares it and changes nothing.
   *
   * @throws NotDoneException if it is not known what to run
   * @throws IOException if the root cannot be used
   */
  public static PreparedRebuild prepare(RebuildRequest request)
      throws NotDoneException, IOException {
    return prepare(request, EarlierRuns.NOTHING);
  }

  /** The same, where others will be run first. */
  static PreparedRebuild prepare(RebuildRequest request, EarlierRuns ahead)
      throws NotDoneException, IOException {
    Root root = Root.of(request.root());
    return new Preparation(request, root, ahead).run();
  }

  private PreparedRebuild run() throws NotDoneException, IOException {
    String kernel = request.kernel();
    Evidence evidence = EvidenceReader.read(root, bundle(), EvidenceReader.rules(root));
    Source source = new SourceChooser(evidence).of(request.product());
    Backend backend = backend(source);
    RunDirectory run = RunDirectory.next(root, kernel, request.work(), ahead.runs());
    Job job = job(backend, source, evidence, run);
    if (!request.settings().further().isEmpty() && !backend.takesWords()) {
      throw new NotDoneException(
          backend.id() + " takes no further arguments: " + request.settings().further().get(0));
    }
    List<Step> steps = backend.steps(job);
    Surroundings here =
        new SurroundingsProbe(root, request.environment()).look(backend, job, evidence.platform());
    List<Obstacle> obstacles = Preflight.examine(backend, job, evidence, here);
    boolean faked = backend.privilege() == Backend.Privilege.FAKE_ROOT && !here.root();
    String reason = request.backend() != null ? "asked for" : source.reason();
    return new PreparedRebuild(
        request,
        root,
        evidence,
        backend,
        reason,
        job,
        faked ? faked(steps) : steps,
        obstacles,
        run);
  }

  private static List<Step> faked(List<Step> steps) {
    return steps.stream().map(step -> step.through(FAKEROOT)).toList();
  }

  private @Nullable Bundle bundle() throws NotDoneException {
    Path given = request.bundle();
    if (given == null) {
      return null;
    }
    try {
      return BundleReader.read(given, request.environment());
    } catch (IOException e) {
      throw new NotDoneException(given + ": " + IoReason.of(e));
    }
  }

  private Backend backend(Source source) throws NotDoneException {
    String asked = request.backend();
    Backend backend = Backends.named(asked == null ? source.backend() : asked);
    if (backend == null) {
      throw new NotDoneException(
          "cannot detect the build system of the modules for "
              + request.kernel()
              + ": "
              + source.reason());
    }
    return backend;
  }

  private Job job(Backend backend, Source source, Evidence evidence, RunDirectory run)
      throws NotDoneException, IOException {
    String distro = request.settings().distro();
    Bundle bundle = evidence.bundle();
    if (distro == null && bundle != null) {
      distro = bundle.distroOn(evidence.platform());
    }
    boolean same = backend.id().equals(source.backend());
    List<String> packages = request.packages();
    packages = packages.isEmpty() && same ? source.packages() : packages;
    DkmsOrder order =
        backend.id().equals(DKMS)
            ? DkmsOrder.of(
                packages,
                evidence.dkms().installing(ahead.installed(), request.kernel()),
                request.kernel())
            : new DkmsOrder(packages, Map.of());
    RebuildHint rule = same ? source.rule() : null;
    return new Job(
        new Job.Place(
                request.kernel(),
                buildTree().toString(),
                run.work().toString(),
                root.isHost() ? null : root.top().toString())
            .checked(),
        request.settings().withDistro(distro),
        bundle,
        order.packages(),
        own(rule),
        order.needs());
  }

  /** What an image says is to be run, is run here only if somebody here asks for that. */
  private Job.OwnCommand own(@Nullable RebuildHint rule) throws NotDoneException {
    RebuildHint.Command said = rule == null ? null : rule.command();
    if (said == null || !request.own().words().isEmpty()) {
      return request.own();
    }
    if (!root.isHost() && request.backend() == null) {
      throw new NotDoneException(
          "the image's own rules name a command to build with; add --dry-run --backend command to see"
              + " it, and --backend command alone to have it run here");
    }
    String results = request.own().results();
    Map<String, String> environment = new TreeMap<>(said.environment());
    environment.putAll(request.own().environment());
    return new Job.OwnCommand(
        said.words(), environment, results == null ? said.results() : results);
  }

  /** Where the build tree is, or where it would be if it were installed. */
  private Path buildTree() throws IOException {
    Path given = request.buildTree();
    if (given != null) {
      return given.toAbsolutePath().normalize();
    }
    String kernel = request.kernel();
    List<String> places =
        List.of(
            "/lib/modules/" + kernel + "/build",
            "/usr/lib/modules/" + kernel + "/build",
            "/usr/src/linux-headers-" + kernel,
            "/usr/src/kernels/" + kernel);
    for (String place : places) {
      Path tree = root.resolve(place);
      if (Files.isRegularFile(tree.resolve("Makefile"))) {
        return tree;
      }
    }
    return root.resolve("/lib/modules").resolve(kernel).resolve("build");
  }
}
