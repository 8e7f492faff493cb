package dev.weaklink.compat;

import dev.weaklink.sys.StableId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parsed arguments of weak-modules.
 *
 * @param action the action, null if the arguments name none
 * @param kernel the kernel of add-kernel and remove-kernel, null for the running kernel
 * @param basedir the root directory to work on, null for the running system
 * @param dracut the dracut that renews the existing initramfs image of each changed kernel, null for the system's own
 *     tool
 * @param checkInitramfs the program to call instead of dracut for each changed kernel that has an initramfs image, or
 *     null
 * @param error the error in the arguments, or null
 */
record RedHatOptions(
        @Nullable RedHatAction action,
        @Nullable String kernel,
        boolean help,
        boolean deleteModules,
        boolean verbose,
        boolean dryRun,
        boolean initramfs,
        @Nullable String basedir,
        @Nullable String dracut,
        @Nullable String checkInitramfs,
        @Nullable String error) {

    /** The actions of weak-modules; if the arguments name several, the first in this order is carried out. */
    enum RedHatAction implements StableId {
        ADD_MODULES,
        REMOVE_MODULES,
        ADD_KERNEL,
        REMOVE_KERNEL
    }

    static final String USAGE = """
      usage: weak-modules [options] ACTION
      actions:
        --add-modules           link the modules whose paths are on standard input
        --remove-modules        remove links to paths on standard input that no longer exist
        --add-kernel [KERNEL]   on KERNEL, link compatible modules of other kernels
                                (default: uname -r)
        --remove-kernel [KERNEL]  remove all links of KERNEL (default: uname -r)
      options:
        --no-initramfs          do not regenerate initramfs images
        --verbose               print which modules are compatible, and which are not
        --dry-run               change nothing
        --basedir DIR           work on the system below DIR
        --dracut PATH           regenerate the initramfs of changed kernels with the dracut at PATH
        --check-initramfs-prog PROG  run 'PROG KERNEL' for changed kernels, in place of dracut
        --delete-modules        deprecated, no effect
        -h, --help              show this help
      """;

    private static final LongOptions SYNTAX = new LongOptions(
            Map.of('h', "help"),
            "help",
            "add-modules",
            "remove-modules",
            "add-kernel::",
            "remove-kernel::",
            "dry-run",
            "no-initramfs",
            "verbose",
            "delete-modules",
            "basedir:",
            "dracut:",
            "check-initramfs-prog:");

    static RedHatOptions parse(List<String> words) {
        LongOptions.Parsed parsed = SYNTAX.parse(words);
        Map<String, @Nullable String> given = new LinkedHashMap<>();
        for (LongOptions.Given option : parsed.options()) {
            given.put(option.name(), option.value());
        }
        RedHatAction action = null;
        for (RedHatAction candidate : RedHatAction.values()) {
            if (action == null && given.containsKey(candidate.id())) {
                action = candidate;
            }
        }
        String kernel = action == null ? null : given.get(action.id());
        if (kernel == null && !parsed.operands().isEmpty()) {
            kernel = parsed.operands().get(0);
        }
        return new RedHatOptions(
                action,
                kernel,
                given.containsKey("help"),
                given.containsKey("delete-modules"),
                given.containsKey("verbose"),
                given.containsKey("dry-run"),
                !given.containsKey("no-initramfs"),
                given.get("basedir"),
                given.get("dracut"),
                given.get("check-initramfs-prog"),
                parsed.error());
    }
}
