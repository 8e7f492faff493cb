package dev.weaklink.rebuild;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A prediction whether the installed modules can replace the loaded ones without a reboot. The prediction itself
 * reloads nothing.
 *
 * @param installed the number of installed modules
 * @param loaded the number of these modules that are loaded
 * @param stale the loaded modules of which another build is installed, sorted
 * @param gone the loaded out-of-tree modules without an installed file, sorted
 * @param unproven the loaded modules whose build cannot be compared with the installed build, sorted
 * @param hindrances the reasons why a reload would fail or cause damage, one sentence each, sorted; empty if
 *     {@code stale} is empty
 * @param foreign a sentence for each central in-tree RDMA module, such as ib_core, that modprobe would load although a
 *     vendor's RDMA modules are installed
 */
public record ReloadForecast(
        int installed,
        int loaded,
        List<String> stale,
        List<String> gone,
        List<String> unproven,
        List<String> hindrances,
        List<String> foreign) {
    /**
     * The modules that keep the vendor's start script openibd from unloading the RDMA modules: ko2iblnd if it is
     * loaded, each other module only if it is in use.
     */
    private static final Set<String> STORAGE =
            Set.of("ko2iblnd", "nvme_rdma", "nvmet_rdma", "rpcrdma", "xprtrdma", "svcrdma", "ib_isert", "ib_srpt");

    private static final List<String> CORE =
            List.of("ib_core", "ib_umad", "ib_uverbs", "mlx5_core", "mlx5_ib", "rdma_cm", "rdma_ucm", "ib_ipoib");

    public ReloadForecast {
        stale = List.copyOf(stale);
        gone = List.copyOf(gone);
        unproven = List.copyOf(unproven);
        hindrances = List.copyOf(hindrances);
        foreign = List.copyOf(foreign);
    }

    public boolean isOutdated() {
        return !stale.isEmpty() || !gone.isEmpty();
    }

    public boolean canReload() {
        return hindrances.isEmpty() && foreign.isEmpty() && gone.isEmpty();
    }

    /**
     * Predicts a reload.
     *
     * @param installed the out-of-tree files that modprobe would load on the running kernel, and the in-tree files that
     *     it would load in place of loaded out-of-tree modules
     * @param gone the loaded out-of-tree modules without an installed file
     * @param own the in-tree files that modprobe would load, by module
     */
    public static ReloadForecast of(
            List<LoadedModule> loaded,
            List<BuiltModule> installed,
            Set<String> gone,
            Map<String, String> own,
            Usage usage) {
        Map<String, LoadedModule> byName = new TreeMap<>();
        for (LoadedModule module : loaded) {
            byName.put(module.name(), module);
        }
        Set<String> stale = new TreeSet<>();
        Set<String> unproven = new TreeSet<>();
        int count = 0;
        for (BuiltModule module : installed) {
            LoadedModule running = byName.get(module.name());
            if (running != null) {
                count++;
                Set<String> other = switch (compare(running, module)) {
                    case SAME -> null;
                    case DIFFERENT -> stale;
                    case UNKNOWN -> unproven;
                };
                if (other != null) {
                    other.add(module.name());
                }
            }
        }
        Set<String> hindrances = new TreeSet<>();
        if (!stale.isEmpty()) {
            Set<String> reloaded = new TreeSet<>(stale);
            reloaded.addAll(unproven);
            hindrances.addAll(hindrances(reloaded, byName, BuiltModule.names(installed), usage));
        }
        return new ReloadForecast(
                installed.size(),
                count,
                new ArrayList<>(stale),
                new ArrayList<>(new TreeSet<>(gone)),
                new ArrayList<>(unproven),
                new ArrayList<>(hindrances),
                foreign(installed, own));
    }

    private enum Comparison {
        SAME,
        DIFFERENT,
        UNKNOWN
    }

    /**
     * Compares build-ids, which identify a build. If a build-id is missing, compares srcversions, which identify only
     * the source.
     */
    private static Comparison compare(LoadedModule running, BuiltModule file) {
        if (!running.buildId().isEmpty() && !file.buildId().isEmpty()) {
            return same(running.buildId().equals(file.buildId()));
        }
        return running.srcversion().isEmpty() || file.srcversion().isEmpty()
                ? Comparison.UNKNOWN
                : same(running.srcversion().equals(file.srcversion()));
    }

    private static Comparison same(boolean same) {
        return same ? Comparison.SAME : Comparison.DIFFERENT;
    }

    private static Set<String> hindrances(
            Set<String> stale, Map<String, LoadedModule> loaded, Set<String> installed, Usage usage) {
        Set<String> hindrances = new TreeSet<>();
        for (String name : withHolders(stale, loaded)) {
            LoadedModule module = loaded.get(name);
            if (module == null) {
                continue;
            }
            if (module.isBusy()) {
                hindrances.add(name + " is in use");
            }
            for (String holder : module.holders()) {
                if (!installed.contains(holder)) {
                    hindrances.add(name + " is in use by " + holder + ", which a reload would not unload");
                }
            }
        }
        addUsage(usage, loaded, hindrances);
        return hindrances;
    }

    private static Set<String> withHolders(Collection<String> names, Map<String, LoadedModule> loaded) {
        Set<String> all = new TreeSet<>();
        List<String> pending = new ArrayList<>(names);
        while (!pending.isEmpty()) {
            String name = pending.remove(pending.size() - 1);
            LoadedModule module = loaded.get(name);
            if (all.add(name) && module != null) {
                pending.addAll(module.holders());
            }
        }
        return all;
    }

    private static void addUsage(Usage usage, Map<String, LoadedModule> loaded, Set<String> hindrances) {
        for (String name : STORAGE) {
            LoadedModule module = loaded.get(name);
            if (module != null && (module.references() > 0 || name.equals("ko2iblnd"))) {
                hindrances.add(name + " is loaded for storage or a file system");
            }
        }
        for (String program : usage.programs()) {
            hindrances.add(program + " is running; stop it first");
        }
        for (String opener : usage.openers()) {
            hindrances.add(opener + " has a device below /dev/infiniband open");
        }
        for (String device : usage.virtualFunctions()) {
            hindrances.add(device + " has virtual functions");
        }
        if (usage.iscsiSessions() > 0 && loaded.containsKey("ib_iser")) {
            hindrances.add("there are iSCSI sessions, and ib_iser is loaded");
        }
    }

    /**
     * Returns sentences about in-tree RDMA modules that modprobe would load although a vendor's RDMA modules are
     * installed. The vendor's start script openibd handles this in three ways, depending on its version.
     */
    private static List<String> foreign(List<BuiltModule> installed, Map<String, String> own) {
        Set<String> names = BuiltModule.names(installed);
        List<String> foreign = new ArrayList<>();
        if (!names.contains("mlx_compat")) {
            return foreign;
        }
        for (String name : CORE) {
            String file = own.get(name);
            if (file != null) {
                foreign.add(name
                        + ": modprobe would load the in-tree module "
                        + file
                        + "; the start script openibd up to 5.8 prints 'belong to kernel which is not a part of"
                        + " MLNX_OFED', openibd 23.10 skips the module without a message, and later versions print"
                        + " 'Avoid loading inbox module: "
                        + name
                        + "'");
            }
        }
        return foreign;
    }

    /**
     * A loaded module, as in /proc/modules and /sys/module.
     *
     * @param name the module's name
     * @param srcversion the digest of the source; empty if unknown
     * @param buildId the build-id in hex; empty if unknown
     * @param references the number of users, modules included
     * @param holders the names of the modules that use the module
     */
    public record LoadedModule(String name, String srcversion, String buildId, int references, List<String> holders) {
        public LoadedModule {
            holders = List.copyOf(holders);
        }

        /** Returns whether the module has users other than modules: an interface, a mount, a process. */
        public boolean isBusy() {
            return references > holders.size();
        }
    }

    /**
     * The programs, devices and sessions that may use RDMA adapters.
     *
     * @param programs the programs that keep services of the RDMA software from stopping, such as opensm
     * @param openers the programs with an open file below /dev/infiniband
     * @param virtualFunctions the devices with virtual functions
     * @param iscsiSessions the number of iSCSI sessions, over any transport
     */
    public record Usage(List<String> programs, List<String> openers, List<String> virtualFunctions, int iscsiSessions) {
        public Usage {
            programs = List.copyOf(programs);
            openers = List.copyOf(openers);
            virtualFunctions = List.copyOf(virtualFunctions);
        }
    }
}
