package dev.weaklink.system.initramfs;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.initramfs.ImageSearch.ImageFile;
import dev.weaklink.system.initramfs.ImageSearch.SafeNames;
import dev.weaklink.system.initramfs.InitramfsImage.InitramfsModule;
import dev.weaklink.system.initramfs.RenewalCommand.ImageStyle;
import dev.weaklink.system.initramfs.RenewalCommand.RenewalTool;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Finds the initramfs images that a transaction makes out of date, and the commands that renew them. Only an existing
 * image that contains a changed module is renewed. The planner itself writes nothing.
 */
public final class InitramfsPlanner {
    private final boolean toolsRunHere;
    private final ImageSearch search;
    private final RenewalCommand renewal;
    private final Set<InitramfsStep> steps = new LinkedHashSet<>();
    private final Set<String> notes = new TreeSet<>();
    private final Set<String> problems = new TreeSet<>();

    private InitramfsPlanner(Root root, boolean toolsRunHere) {
        this.toolsRunHere = toolsRunHere;
        this.search = new ImageSearch(root);
        this.renewal = new RenewalCommand(root);
    }

    /**
     * Returns the steps for changed kernels. For another root directory, notes list the commands instead, because the
     * tools would inspect the host's kernel and devices.
     *
     * @param changed the names of changed modules by kernel release
     */
    public static InitramfsSteps steps(Root root, Map<String, Set<String>> changed) {
        return steps(root, changed, root.isHost());
    }

    static InitramfsSteps steps(Root root, Map<String, Set<String>> changed, boolean toolsRunHere) {
        InitramfsPlanner planner = new InitramfsPlanner(root, toolsRunHere);
        new TreeMap<>(changed).forEach(planner::planKernel);
        return planner.result();
    }

    private InitramfsSteps result() {
        return new InitramfsSteps(new ArrayList<>(steps), new ArrayList<>(notes), new ArrayList<>(problems));
    }

    private void planKernel(String kernel, Set<String> changed) {
        if (changed.isEmpty()) {
            return;
        }
        if (!SafeNames.isSafe(kernel)) {
            problems.add("kernel " + kernel
                    + ": invalid release, so its initramfs images cannot be found; renew the images by hand");
            return;
        }
        Set<String> names = new HashSet<>();
        for (String name : changed) {
            names.add(ModuleNames.normalized(name));
        }
        for (ImageFile image : search.imagesOf(kernel)) {
            planImage(kernel, image, names);
        }
    }

    private void planImage(String kernel, ImageFile image, Set<String> names) {
        List<String> command = renewal.of(kernel, image);
        try {
            InitramfsImage contents = InitramfsImage.read(image.host());
            String stale = firstStale(contents, kernel, image.style(), names);
            if (!stale.isEmpty()) {
                renew(kernel, image, command, stale);
            }
        } catch (UnreadableException e) {
            problems.add(image.inside()
                    + ": cannot determine whether it contains a changed module: "
                    + e.reason()
                    + "; to renew it, "
                    + instruction(image, command));
        }
    }

    /**
     * Returns the name of the first changed module in an initramfs image; empty if there is none. If an image is named
     * after a package, the package may have installed another kernel since. In such an image, a module counts only if
     * its path contains the kernel's release.
     */
    private static String firstStale(InitramfsImage contents, String kernel, ImageStyle style, Set<String> names) {
        boolean namedByPackage = style.isNamedByPackage();
        for (InitramfsModule module : contents.modules()) {
            if (names.contains(module.name()) && (!namedByPackage || module.isOf(kernel))) {
                return module.name();
            }
        }
        return "";
    }

    private void renew(String kernel, ImageFile image, List<String> command, String stale) {
        String holds = image.inside() + ": contains " + stale + ", which changes; ";
        if (command.isEmpty()) {
            problems.add(holds + instruction(image, command));
        } else if (!toolsRunHere) {
            notes.add(holds + "inside the root, " + instruction(image, command));
        } else {
            steps.add(new InitramfsStep(kernel, command));
        }
    }

    static String instruction(ImageFile image, List<String> command) {
        if (!command.isEmpty()) {
            return "run: " + String.join(" ", command);
        }
        List<String> programs =
                image.style().tools().stream().map(RenewalTool::program).toList();
        return "run the tool that made it (" + String.join(" and ", programs) + (programs.size() == 1 ? " is" : " are")
                + " not installed)";
    }

    /**
     * The planned steps for the initramfs images of changed kernels. Each message is one line; it may contain file
     * names and must be escaped before printing.
     *
     * @param steps the commands to run at the end of the transaction, sorted by kernel
     * @param notes the commands that the administrator may want to run inside another root directory
     * @param problems the images that the administrator has to check or renew
     */
    public record InitramfsSteps(List<InitramfsStep> steps, List<String> notes, List<String> problems) {
        public InitramfsSteps {
            steps = List.copyOf(steps);
            notes = List.copyOf(notes);
            problems = List.copyOf(problems);
        }
    }

    /**
     * A command that renews one kernel's initramfs, run once at the end of a transaction.
     *
     * @param command the program, absolute or to be found in the PATH, and its arguments; no shell is used
     */
    public record InitramfsStep(String kernel, List<String> command) {
        public InitramfsStep {
            command = List.copyOf(command);
            if (command.isEmpty()) {
                throw new IllegalArgumentException("no command for " + kernel);
            }
        }
    }
}
