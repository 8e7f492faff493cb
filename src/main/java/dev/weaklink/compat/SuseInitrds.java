package dev.weaklink.compat;

import dev.weaklink.compat.SuseDialect.SuseLog;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.initramfs.InitramfsImage;
import dev.weaklink.system.initramfs.InitramfsImage.InitramfsModule;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides who regenerates each initrd: this run at its end, SUSE's scripts at the end of the package transaction, or
 * the administrator. A flag file makes SUSE's scripts do so.
 */
final class SuseInitrds {
    private static final String FLAGS = "/run/regenerate-initrd";
    private static final String ALL = "all";
    private static final String REGENERATE = "/usr/lib/module-init-tools/regenerate-initrd-posttrans";
    private static final List<String> IMAGES =
            List.of("vmlinuz", "image", "vmlinux", "linux", "bzImage", "uImage", "Image", "zImage");

    private final Root root;
    private final SuseSettings settings;
    private final SuseLog log;
    private final boolean toolsRunHere;
    private final List<InitramfsStep> steps = new ArrayList<>();
    private final List<String> flags = new ArrayList<>();

    /**
     * Creates an instance. For another root directory, no initrd tools run, because they would inspect the host's
     * kernel and devices.
     */
    SuseInitrds(Root root, SuseSettings settings, SuseLog log) {
        this(root, settings, log, root.isHost());
    }

    SuseInitrds(Root root, SuseSettings settings, SuseLog log, boolean toolsRunHere) {
        this.root = root;
        this.settings = settings;
        this.log = log;
        this.toolsRunHere = toolsRunHere;
    }

    List<InitramfsStep> steps() {
        return steps;
    }

    /**
     * Plans a new initrd for each kernel that needs one after packages have changed.
     *
     * @param modules the names of changed modules by kernel
     * @param removal true if a package is being removed; an initrd is then deferred only in a transactional update, or
     *     if a flag file already requests it
     */
    void plan(Map<String, Set<String>> modules, boolean removal) throws IOException {
        for (Map.Entry<String, Set<String>> changed : modules.entrySet()) {
            if (needs(changed.getKey(), changed.getValue())) {
                renew(changed.getKey(), removal);
            }
        }
    }

    void planWhole(Collection<String> kernels) throws IOException {
        for (String kernel : kernels) {
            renew(kernel, false);
        }
    }

    private boolean needs(String kernel, Set<String> changed) throws IOException {
        Path image = root.resolve("/boot/initrd-" + kernel);
        if (settings.forced() || !Files.exists(image)) {
            return true;
        }
        if (!Collections.disjoint(DracutDrivers.of(root), changed)) {
            return true;
        }
        try {
            for (InitramfsModule module : InitramfsImage.read(image).modules()) {
                if (changed.contains(ModuleNames.normalized(module.name()))) {
                    return true;
                }
            }
            return false;
        } catch (UnreadableException e) {
            log.say("WARNING: /boot/initrd-" + kernel + ": " + e.reason() + "; regenerating it");
            return true;
        }
    }

    private void renew(String kernel, boolean removal) throws IOException {
        if (kernel.contains("kdump")) {
            // mkdumprd makes kdump initrds on demand
            return;
        }
        if (!hasImage(kernel)) {
            log.say("WARNING: kernel image for " + kernel + " not found!");
            return;
        }
        boolean later = removal ? settings.later() && isFlagged(kernel) : settings.later();
        if (later || settings.transactional()) {
            flags.add(kernel);
            log.note("touch " + FLAGS + "/" + kernel);
            return;
        }
        List<String> command = command(kernel);
        boolean complete = exists("/etc/fstab") && !exists("/.buildenv");
        if (!toolsRunHere || !complete || !Files.isExecutable(Path.of(command.get(0)))) {
            askFor(command);
            return;
        }
        if (!settings.generator().equals(SuseSettings.DRACUT)) {
            flags.add(kernel);
        }
        log.note(String.join(" ", command));
        steps.add(new InitramfsStep(kernel, command));
    }

    /**
     * Returns the command that makes the initrd. For generators other than dracut, SUSE's posttrans script makes it.
     */
    private List<String> command(String kernel) {
        return settings.generator().equals(SuseSettings.DRACUT)
                ? List.of(settings.dracut(), "-f", "/boot/initrd-" + kernel, kernel)
                : List.of(REGENERATE);
    }

    private void askFor(List<String> command) {
        log.say("Please run \"" + String.join(" ", command) + "\" as soon as your system is complete.");
    }

    /** Tells the administrator which commands to run, because the transaction failed, probably before it ran them. */
    void askForSteps() {
        for (InitramfsStep step : steps) {
            askFor(step.command());
        }
    }

    private boolean isFlagged(String kernel) throws IOException {
        return exists(FLAGS + "/" + kernel) || exists(FLAGS + "/" + ALL);
    }

    private boolean hasImage(String kernel) throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(root, kernel);
        for (String name : IMAGES) {
            if (exists("/boot/" + name + "-" + kernel)
                    || directory != null && Files.exists(directory.host().resolve(name))) {
                return true;
            }
        }
        return false;
    }

    private boolean exists(String inside) throws IOException {
        return Files.exists(root.resolve(inside));
    }

    void leaveFlags() throws IOException {
        for (String kernel : flags) {
            Path directory = root.resolve(FLAGS);
            DurableFiles.createDirectories(directory);
            try {
                Files.createFile(directory.resolve(kernel));
            } catch (FileAlreadyExistsException e) {
                // an earlier run has requested the initrd already
            }
        }
    }

    /**
     * The modules that dracut.conf(5) adds to every initrd. The configuration files are shell scripts, but are parsed
     * line by line as text; nothing of them is executed.
     */
    private static final class DracutDrivers {
        private static final String[] DIRECTORIES = {"/etc/dracut.conf.d", "/usr/lib/dracut/dracut.conf.d"};
        private static final String[] SETTINGS = {"add_drivers+=", "force_drivers+="};
        private static final int MAX_SIZE = 1 << 20;

        private final RootText text;
        private final Set<String> names = new TreeSet<>();

        private DracutDrivers(RootText text) {
            this.text = text;
        }

        static Set<String> of(Root root) {
            DracutDrivers drivers = new DracutDrivers(new RootText(root));
            drivers.file("/etc/dracut.conf");
            for (String directory : DIRECTORIES) {
                for (String name : drivers.text.names(directory)) {
                    if (name.endsWith(".conf")) {
                        drivers.file(directory + "/" + name);
                    }
                }
            }
            return drivers.names;
        }

        private void file(String inside) {
            for (String line : text.read(inside, MAX_SIZE).split("\n", -1)) {
                line(line.strip());
            }
        }

        private void line(String line) {
            for (String setting : SETTINGS) {
                if (line.startsWith(setting)) {
                    String value =
                            line.substring(setting.length()).replace('"', ' ').replace('\'', ' ');
                    for (String name : value.split(" ", -1)) {
                        if (!name.isBlank()) {
                            names.add(ModuleNames.ofFile(name.strip()));
                        }
                    }
                }
            }
        }
    }
}
