package dev.weaklink.check;

import dev.weaklink.check.SignatureCheck.GivenCertificates;
import dev.weaklink.check.SignatureCheck.SignatureInterest;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.ModuleArguments;
import dev.weaklink.system.ModuleSource;
import dev.weaklink.system.cache.FactsCache;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The modules and kernels of a check, which are read at the same time. */
record CheckInput(ModuleArguments arguments, ModuleFacts modules, List<OpenedKernel> kernels) {
    /**
     * A kernel to judge modules on.
     *
     * @param causes the source of causes, null if the request asks for no causes
     */
    record OpenedKernel(TrustedKeys keys, CauseSource.@Nullable TargetCauses causes) {
        CheckTarget target() {
            return keys.target();
        }
    }

    /**
     * Opens the kernels and reads the modules of a request.
     *
     * @param found the modules; null for the modules that the request names
     * @param problems receives problems with arguments, kernels and certificates
     */
    static CheckInput read(
            CheckRequest request,
            Root root,
            @Nullable List<ModuleSource> found,
            Progress progress,
            List<InputProblem> problems) {
        GivenPackages packages = packages(request, progress);
        List<InputProblem> ofTargets = new ArrayList<>();
        List<InputProblem> ofCertificates = new ArrayList<>();
        List<EncodedCertificate> given = GivenCertificates.read(request.certificates(), ofCertificates);
        KeySearch search = new KeySearch(given, request.root() == null ? root : null);
        BackgroundTask<List<TrustedKeys>> opening =
                BackgroundTask.start(() -> search.on(open(request, root, packages, ofTargets)));
        ModuleArguments arguments = found == null
                ? named(request, root, packages, problems)
                : new ModuleArguments(found, List.of(), List.of());
        problems.addAll(arguments.problems());
        progress.start(arguments.modules().size(), "modules");
        // Unpacking a kernel image takes longer than reading thousands of modules, so no second thread reads meanwhile.
        ModuleFacts reading = ModuleFacts.start(
                ModuleFacts.inputs(arguments.modules()), request.reading(), search, opening::await, progress::step);
        BackgroundTask<List<CauseSource.TargetCauses>> explaining =
                BackgroundTask.start(() -> causes(request, root, opening.get(), reading));
        reading.finish();
        List<TrustedKeys> targets = opening.get();
        problems.addAll(ofTargets);
        problems.addAll(ofCertificates);
        List<CauseSource.TargetCauses> causes = explaining.get();
        List<OpenedKernel> kernels = new ArrayList<>();
        for (int i = 0; i < targets.size(); i++) {
            kernels.add(new OpenedKernel(targets.get(i), causes.isEmpty() ? null : causes.get(i)));
        }
        return new CheckInput(arguments, reading, kernels);
    }

    private static GivenPackages packages(CheckRequest request, Progress progress) {
        List<String> given = new ArrayList<>(request.modules());
        given.addAll(request.kernels());
        GivenPackages packages = request.reading().packages();
        packages.readAll(given, progress);
        return packages;
    }

    static List<CheckTarget> open(
            CheckRequest request, Root root, GivenPackages packages, List<InputProblem> problems) {
        MachinePolicy machine = request.root() == null ? MachinePolicy.read(root) : null;
        List<CheckTarget> targets = new ArrayList<>();
        FactsCache cache = request.reading().cache();
        for (FoundKernel files :
                FoundKernel.findToOpen(root, request.store(), request.kernels(), packages, cache, problems)) {
            CheckTarget target = files.open(request.loader(), request.reading(), problems);
            if (target != null) {
                targets.add(machine == null ? target : target.on(machine));
            }
        }
        return targets;
    }

    private static ModuleArguments named(
            CheckRequest request, Root root, GivenPackages packages, List<InputProblem> problems) {
        return ModuleArguments.expand(
                request.modules(),
                request.stdin(),
                root,
                releases(request, root, problems),
                packages,
                request.reading().cache() != FactsCache.NONE);
    }

    /**
     * Returns the kernels in whose directories bare module names are looked up: the requested installed kernels, else
     * the newest installed kernel, if any.
     */
    private static List<String> releases(CheckRequest request, Root root, List<InputProblem> problems) {
        try {
            List<String> installed = InstalledKernels.list(root);
            List<String> asked = new ArrayList<>();
            for (String kernel : request.kernels()) {
                String release = InstalledKernels.named(kernel, root, installed);
                if (release != null) {
                    asked.add(release);
                }
            }
            String newest = InstalledKernels.newest(root, installed);
            return asked.isEmpty() && newest != null ? List.of(newest) : asked;
        } catch (IOException e) {
            problems.add(new InputProblem(root.top().toString(), "kernels cannot be listed: " + e.getMessage()));
            return List.of();
        }
    }

    /**
     * Returns a source of causes for each target; empty unless the request asks for causes. Also starts to read the
     * types for the first target in the background, because that takes longer than checking modules.
     *
     * @param modules the modules to judge; other threads may still be reading them
     */
    private static List<CauseSource.TargetCauses> causes(
            CheckRequest request, Root root, List<TrustedKeys> targets, ModuleFacts modules) {
        List<CauseSource.TargetCauses> causes = new ArrayList<>();
        if (request.explain()) {
            targets.forEach(keys -> causes.add(request.reading().causesOn(root, request.store(), keys.target())));
            causes.stream().findFirst().ifPresent(first -> first.readAhead(modules.builtFor()));
        }
        return causes;
    }

    /**
     * A filter for the modules whose signature matters on at least one target, called while modules are being read.
     * While the targets are not open yet, every module matches: digesting too many modules is cheaper than
     * decompressing some modules twice. With a single open target, the first match starts the search for the target's
     * keys, which unpacks the kernel image.
     */
    private static final class KeySearch implements Predicate<KernelModule> {
        private final List<EncodedCertificate> given;
        private final @Nullable Root machine;
        private final AtomicBoolean begun = new AtomicBoolean();
        private volatile @Nullable List<Interest> open;

        private record Interest(TrustedKeys keys, SignatureInterest modules) {}

        KeySearch(List<EncodedCertificate> given, @Nullable Root machine) {
            this.given = given;
            this.machine = machine;
        }

        List<TrustedKeys> on(List<CheckTarget> targets) {
            List<TrustedKeys> keys = new ArrayList<>();
            List<Interest> interests = new ArrayList<>();
            for (CheckTarget target : targets) {
                keys.add(target.keys(given, machine));
                interests.add(new Interest(keys.get(keys.size() - 1), SignatureInterest.of(target, !given.isEmpty())));
            }
            open = interests;
            return keys;
        }

        @Override
        public boolean test(KernelModule module) {
            List<Interest> targets = open;
            boolean matters = targets == null;
            for (int i = 0; targets != null && i < targets.size(); i++) {
                matters |= targets.get(i).modules().test(module);
            }
            // Several kernels' images would be in memory at the same time, so only a single target starts early.
            if (matters && targets != null && targets.size() == 1 && begun.compareAndSet(false, true)) {
                BackgroundTask.start(targets.get(0).keys()::ring);
            }
            return matters;
        }
    }
}
