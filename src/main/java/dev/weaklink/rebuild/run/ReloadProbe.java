package dev.weaklink.rebuild.run;

import dev.weaklink.module.BuildIdReader;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.ReloadForecast;
import dev.weaklink.rebuild.ReloadForecast.LoadedModule;
import dev.weaklink.rebuild.ReloadForecast.Usage;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.LoadedModules;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.ModuleTree.ModuleFile;
import dev.weaklink.system.ModulesDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Predicts what a reload of the modules would change, and what prevents a reload; reloads nothing. */
public final class ReloadProbe {
    private static final String MODULES = "/proc/modules";
    private static final int LIMIT = 4 << 20;
    private static final Set<String> SERVICES = Set.of("opensm", "ibacm", "srp_daemon");

    private final Root root;
    private final RootText text;

    private ReloadProbe(Root root) {
        this.root = root;
        this.text = new RootText(root);
    }

    /**
     * Predicts a reload on the running kernel.
     *
     * @param root the root with /proc, /sys and the modules
     * @throws IOException if the running kernel or its modules are unknown
     */
    public static Seen look(Root root, int threads) throws IOException {
        ReloadProbe probe = new ReloadProbe(root);
        String release = probe.release();
        Map<String, String> outOfTree = new TreeMap<>();
        Map<String, String> own = new TreeMap<>();
        Set<String> gone = LoadedModules.outOfTree(root);
        ModuleTree tree = ModuleTree.scan(root, release);
        for (String name : tree.names()) {
            ModuleFile file = tree.chosen(name);
            if (file == null) {
                continue;
            }
            boolean isOwn = isOwn(file, tree);
            if (isOwn) {
                own.put(name, file.inside());
            }
            // A loaded out-of-tree module is compared too, even if modprobe would load an in-tree file now.
            if (gone.remove(name) || !isOwn) {
                outOfTree.put(name, file.inside());
            }
        }
        List<BuiltModule> installed = Inventory.of(files(root, outOfTree), threads);
        return new Seen(release, ReloadForecast.of(probe.loaded(), installed, gone, own, probe.usage()));
    }

    /**
     * Returns the running kernel's release.
     *
     * @throws IOException if the release, the kernel's installed modules or the loaded modules are unknown
     */
    private String release() throws IOException {
        String front = root.isHost() ? "" : root.toString();
        String release = text.runningKernel();
        if (release.isEmpty()) {
            throw new IOException(front + RootText.OSRELEASE + ": empty, so the running kernel is not known");
        }
        String kernel = "kernel " + release + " is running, but " + front;
        if (ModulesDirectory.find(root, release) == null) {
            throw new IOException(kernel + "/lib/modules/" + release + " does not exist; was that kernel removed?");
        }
        if (!text.isFile(MODULES)) {
            throw new IOException(kernel + MODULES + " does not exist, so the loaded modules are not known");
        }
        return release;
    }

    private static List<Path> files(Root root, Map<String, String> modules) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String inside : modules.values()) {
            files.add(root.resolve(inside));
        }
        return files;
    }

    public record Seen(String kernel, ReloadForecast forecast) {}

    private static boolean isOwn(ModuleFile file, ModuleTree tree) {
        return file.inside().startsWith(tree.directory().inside() + "/kernel/");
    }

    /**
     * Reads the loaded modules. A line of /proc/modules begins with the name, the size, the number of references, and
     * the holders. A comma follows each holder; "-" means that there are none.
     */
    private List<LoadedModule> loaded() {
        List<LoadedModule> loaded = new ArrayList<>();
        for (String line : text.read(MODULES, LIMIT).split("\n", -1)) {
            String[] fields = line.split(" ", 5);
            if (fields.length < 4) {
                continue;
            }
            String place = "/sys/module/" + fields[0];
            String srcversion = text.read(place + "/srcversion", 64).strip();
            byte[] note = text.bytes(place + "/notes/.note.gnu.build-id", BuildIdReader.MAX_NOTE);
            String id = Objects.requireNonNullElse(BuildIdReader.ofNote(note), "");
            loaded.add(new LoadedModule(fields[0], srcversion, id, number(fields[2]), holders(fields[3])));
        }
        return loaded;
    }

    private static int number(String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static List<String> holders(String field) {
        List<String> holders = new ArrayList<>();
        for (String name : field.split(",", -1)) {
            if (!name.isEmpty() && !name.equals("-") && !name.equals("[permanent]")) {
                holders.add(name);
            }
        }
        return holders;
    }

    private Usage usage() {
        Set<String> services = new TreeSet<>();
        Set<String> openers = new TreeSet<>();
        for (String pid : text.names("/proc")) {
            if (!Character.isDigit(pid.charAt(0))) {
                continue;
            }
            String name = text.read("/proc/" + pid + "/comm", 64).strip();
            if (SERVICES.contains(name)) {
                services.add(name);
            }
            if (hasDeviceOpen(pid)) {
                openers.add(name + " (process " + pid + ")");
            }
        }
        return new Usage(
                new ArrayList<>(services),
                new ArrayList<>(openers),
                virtualFunctions(),
                text.names("/sys/class/iscsi_session").size());
    }

    /**
     * Returns whether a process has an InfiniBand device open. Reads the links in /proc/PID/fd without following them.
     */
    private boolean hasDeviceOpen(String pid) {
        for (String descriptor : text.names("/proc/" + pid + "/fd")) {
            try {
                Path link = root.resolve("/proc/" + pid + "/fd").resolve(descriptor);
                if (Files.readSymbolicLink(link).startsWith("/dev/infiniband")) {
                    return true;
                }
            } catch (IOException | UnsupportedOperationException e) {
                continue;
            }
        }
        return false;
    }

    private List<String> virtualFunctions() {
        List<String> devices = new ArrayList<>();
        for (String device : text.names("/sys/bus/pci/devices")) {
            String count = text.read("/sys/bus/pci/devices/" + device + "/sriov_numvfs", 16)
                    .strip();
            if (number(count) > 0) {
                devices.add(device);
            }
        }
        return devices;
    }
}
