package dev.weaklink.check;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.LoadedModules;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.initramfs.InitramfsImage;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds the modules that a machine uses: modules that are loaded, requested by its devices, listed by
 * modules-load.d(5), or packed into an initramfs of the kernel. If the root is not the running system, only the last
 * two kinds are known.
 */
final class UsedModules {
    private static final String BUSES = "/sys/bus";
    private static final List<String> BOOT_LISTS = List.of(
            "/etc/modules-load.d", "/run/modules-load.d", "/usr/local/lib/modules-load.d", "/usr/lib/modules-load.d");
    private static final int MODALIAS_LIMIT = 4 << 10;
    private static final int LIST_LIMIT = 1 << 20;
    private static final int ALIASES_LIMIT = 16 << 20;
    private static final int MOST_DEVICES = 10_000;

    private UsedModules() {}

    static Set<String> among(Set<String> names, Root root, String kernel) {
        Set<String> used = new TreeSet<>(LoadedModules.all(root));
        RootText text = new RootText(root);
        addAsked(names, text, kernel, used);
        addNamed(text, used);
        String release = kernel.substring(kernel.lastIndexOf('/') + 1);
        used.addAll(InitramfsImage.moduleNames(root, release));
        used.retainAll(names);
        return used;
    }

    /**
     * Adds the modules that devices request, by {@code modules.alias}. Its lines are {@code alias PATTERN MODULE}
     * (depmod.8), with a pattern of fnmatch(3).
     */
    private static void addAsked(Set<String> names, RootText text, String kernel, Set<String> used) {
        Set<String> devices = devices(text);
        if (devices.isEmpty()) {
            return;
        }
        for (String line : text.read(kernel + "/modules.alias", ALIASES_LIMIT).split("\n")) {
            String[] words = line.split(" ", 3);
            if (words.length == 3 && words[0].equals("alias")) {
                String name = ModuleNames.normalized(words[2]);
                if (names.contains(name) && !used.contains(name) && matchesOne(words[1], devices)) {
                    used.add(name);
                }
            }
        }
    }

    /**
     * Adds the modules that the system's configuration lists to be loaded at boot. A line is a comment or the name of a
     * module (modules-load.d.5); in Debian's /etc/modules, arguments may follow the name.
     */
    private static void addNamed(RootText text, Set<String> used) {
        for (String directory : BOOT_LISTS) {
            for (String file : text.names(directory)) {
                if (file.endsWith(".conf")) {
                    addLines(text.read(directory + "/" + file, LIST_LIMIT), used);
                }
            }
        }
        addLines(text.read("/etc/modules", LIST_LIMIT), used);
    }

    private static void addLines(String list, Set<String> used) {
        for (String line : list.split("\n")) {
            used.add(ModuleNames.normalized(line.strip().split("\\s", 2)[0]));
        }
    }

    private static Set<String> devices(RootText text) {
        Set<String> devices = new HashSet<>();
        for (String bus : text.names(BUSES)) {
            String directory = BUSES + "/" + bus + "/devices";
            List<String> names = text.names(directory);
            for (String device : names.subList(0, Math.min(names.size(), MOST_DEVICES))) {
                String modalias = text.read(directory + "/" + device + "/modalias", MODALIAS_LIMIT);
                devices.add(modalias.strip());
            }
        }
        devices.remove("");
        return devices;
    }

    private static boolean matchesOne(String glob, Set<String> devices) {
        StringBuilder expression = new StringBuilder();
        boolean inSet = false;
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            inSet = c == '[' || inSet && c != ']';
            boolean plain = inSet || c == ']' || Character.isLetterOrDigit(c);
            expression.append(plain ? "" : c == '*' ? "." : c == '?' ? "" : "\\");
            expression.append(c == '?' && !inSet ? '.' : c);
        }
        try {
            Pattern pattern = Pattern.compile(expression.toString());
            return devices.stream().anyMatch(pattern::matches);
        } catch (PatternSyntaxException e) {
            return false;
        }
    }
}
