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

/** Looks at a kernel once modules were installed for it, and says what remains to be done. */
public final class AfterInstallation {
    private AfterInstallation() {}

    /**
     * How things stand then.
     *
     * @param check the loader's answer to what is installed under the names that were built
     * @param plan what should happen with the kernel's links now
     * @param modules out-of-tree modules that went, came and are others now
     * @param initramfs images that hold another build of what was installed, and what renews them
     */
    public record State(CheckReport check, PlanResult plan, SetDifference modules, List<String> initramfs) {
        public State {
            initramfs = List.copyOf(initramfs);
        }
    }

    /**
     * Looks.
     *
     * @throws IOException if the root cannot be read
     */
    public static State look(PreparedRebuild prepared, Manifest manifest, Installation.Installed installed)
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
        return new State(check, plan, modules, initramfs(prepared.root(), Map.of(kernel, names)));
    }

    /** Images that hold another build of what was installed, and what renews them. */
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
     * The one step that gets modules loaded that were installed: to boot the kernel that boots next if it has any, else
     * to reload those of the kernel that runs, else to boot one that has.
     *
     * @param next the kernel that boots next; null if that is not known
     * @return empty if nothing is left to do
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
            return "reboot; which modules are loaded is unknown: " + IoReason.of(e);
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
     * What two sets of files differ by, sorted.
     *
     * @param missing files that were there before and are not now
     * @param added files that were not there before
     * @param replaced files that are others now
     */
    public record SetDifference(List<String> missing, List<String> added, List<String> replaced) {
        public SetDifference {
            missing = List.copyOf(missing);
            added = List.copyOf(added);
            replaced = List.copyOf(replaced);
        }

        /** {@code isWritten} tells which were written though they may look the same. */
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
