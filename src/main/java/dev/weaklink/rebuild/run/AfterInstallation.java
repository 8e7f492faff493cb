package dev.weaklink.rebuild.run;

import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.PlanResult;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.ReloadForecast;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.initramfs.InitramfsPlanner;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsSteps;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Checks a kernel after modules were installed for it, and determines the remaining steps. */
public final class AfterInstallation {
    private AfterInstallation() {}

    /**
     * The state of the kernel after the installation.
     *
     * @param check the loader's verdicts on the installed modules
     * @param plan the plan for the kernel's links
     * @param modules the out-of-tree modules that were removed, added or replaced
     * @param initramfs lines about stale initramfs images: the commands that regenerate them, notes and problems
     */
    public record InstalledState(CheckReport check, PlanResult plan, SetDifference modules, List<String> initramfs) {
        public InstalledState {
            initramfs = List.copyOf(initramfs);
        }
    }

    public static InstalledState look(PreparedRebuild prepared, Manifest manifest, Installation.Installed installed)
            throws IOException {
        String kernel = prepared.job().place().kernel();
        @Nullable Path root = prepared.request().root();
        int jobs = prepared.request().jobs();
        Set<String> names = installed.names(manifest);
        CheckReport check = prepared.check(names);
        PlanResult plan = new LinkManager().plan(new PlanRequest(root, List.of(kernel), ReadOptions.uncached(jobs)));
        SetDifference modules = SetDifference.between(
                manifest.before(),
                Inventory.installed(prepared.root(), jobs),
                file -> file.file().contains("/" + kernel + "/") && names.contains(file.name()));
        return new InstalledState(check, plan, modules, initramfs(prepared.root(), Map.of(kernel, names)));
    }

    static List<String> initramfs(Root root, Map<String, Set<String>> modules) {
        InitramfsSteps steps = InitramfsPlanner.steps(root, modules);
        List<String> words = new ArrayList<>();
        for (InitramfsStep step : steps.steps()) {
            words.add("stale; run: " + String.join(" ", step.command()));
        }
        words.addAll(steps.notes());
        words.addAll(steps.problems());
        return words;
    }

    /**
     * Returns the next step that loads the installed modules; empty if no step is left. Only kernels in
     * {@code installed} count. The step is to boot {@code next}, else to reload the running kernel's modules or to
     * reboot, else to boot another kernel. If a reload would do, the step offers it before a boot of {@code next}.
     *
     * @param installed the releases of the kernels for which modules were installed
     * @param next the kernel that boots next; null if unknown
     */
    static String loading(Root root, Set<String> installed, @Nullable String next, int threads) {
        Set<String> kernels = new TreeSet<>(KernelReleaseOrder.INSTANCE.reversed());
        kernels.addAll(installed);
        String running = new RootText(root).runningKernel();
        String here = kernels.remove(running) ? reload(root, threads) : "";
        if (next != null && kernels.contains(next)) {
            return (here.startsWith("reload") ? here + ", or " : "") + "boot " + next;
        }
        return here.isEmpty() && !kernels.isEmpty() ? "boot " + String.join(" or ", kernels) : here;
    }

    private static String reload(Root root, int threads) {
        try {
            return reload(ReloadProbe.look(root, threads).forecast());
        } catch (IOException e) {
            return "reboot; the loaded modules are not known: " + IoReason.of(e);
        }
    }

    private static String reload(ReloadForecast forecast) {
        if (!forecast.isOutdated()) {
            return "";
        }
        if (forecast.canReload()) {
            return "reload " + String.join(", ", forecast.stale());
        }
        List<String> why = new ArrayList<>(forecast.hindrances());
        why.addAll(forecast.foreign());
        return "reboot" + (why.isEmpty() ? "" : "; a reload would fail: " + String.join("; ", why));
    }

    /**
     * The difference between two sets of files, sorted.
     *
     * @param missing the files that no longer exist
     * @param added the files that did not exist before, each with the module's srcversion
     * @param replaced the files that changed, each with the module's srcversion
     */
    public record SetDifference(List<String> missing, List<String> added, List<String> replaced) {
        public SetDifference {
            missing = List.copyOf(missing);
            added = List.copyOf(added);
            replaced = List.copyOf(replaced);
        }

        /**
         * Compares two sets of modules.
         *
         * @param isWritten tells which modules the installation wrote; an overwritten file counts as replaced even if
         *     its facts are the same
         */
        private static SetDifference between(
                List<BuiltModule> before, List<BuiltModule> after, Predicate<BuiltModule> isWritten) {
            Map<String, BuiltModule> left = new TreeMap<>();
            before.forEach(module -> left.put(module.file(), module));
            Set<String> added = new TreeSet<>();
            Set<String> replaced = new TreeSet<>();
            for (BuiltModule module : after) {
                BuiltModule earlier = left.remove(module.file());
                String words = (module.file() + " " + module.srcversion()).stripTrailing();
                if (earlier == null) {
                    added.add(words);
                } else if (!earlier.equals(module) || isWritten.test(module)) {
                    replaced.add(words);
                }
            }
            return new SetDifference(List.copyOf(left.keySet()), List.copyOf(added), List.copyOf(replaced));
        }
    }
}
