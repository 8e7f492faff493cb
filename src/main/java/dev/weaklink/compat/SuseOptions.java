package dev.weaklink.compat;

import dev.weaklink.sys.StableId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parsed arguments of weak-modules2.
 *
 * @param action the action, null if the arguments name none
 * @param subject the package or kernel of the action, null if the arguments name none
 * @param help the requested usage or help text, or null
 * @param verbose the number of {@code --verbose} options
 * @param basedir the root directory to work on, null for the running system
 * @param logfile the file for messages, null for standard error
 * @param error the error in the arguments, or null
 */
record SuseOptions(
        @Nullable SuseAction action,
        @Nullable String subject,
        @Nullable String help,
        int verbose,
        boolean debug,
        boolean dryRun,
        @Nullable String basedir,
        @Nullable String logfile,
        @Nullable String error) {

    /** The actions of weak-modules2; if the arguments name several, the last is carried out. */
    enum SuseAction implements StableId {
        ADD_KERNEL,
        REMOVE_KERNEL,
        ADD_KMP,
        REMOVE_KMP,
        ADD_KERNEL_MODULES,
        REMOVE_KERNEL_MODULES;

        boolean isForRunningKernel() {
            return this == ADD_KERNEL || this == REMOVE_KERNEL;
        }
    }

    static final String USAGE = """
      Usage:
          weak-modules2 --add-kmp kmp-name-version-release
          weak-modules2 --remove-kmp kmp-name-version-release < module-list
          weak-modules2 --add-kernel [kernel-release]
          weak-modules2 --remove-kernel [kernel-release]
          weak-modules2 --add-kernel-modules kernel-release < module-list
          weak-modules2 --remove-kernel-modules kernel-release < module-list
          weak-modules2 --verbose ...
          weak-modules2 --dry-run ...
      """;

    static final String HELP = """
      weak-modules2 [options] ACTION
      actions:
        --add-kmp NVR             link the modules of an installed kernel module package (KMP);
                                  NVR is its name-version-release
        --remove-kmp NVR          remove the links of a removed KMP, and link another version;
                                  standard input lists the paths of the KMP's modules
        --add-kernel [K]          on K, link compatible KMPs of its flavor (default: uname -r)
        --remove-kernel [K]       remove all links of kernel K (default: uname -r)
        --add-kernel-modules K    like --add-kernel, after modules were added to kernel K
        --remove-kernel-modules K like --add-kernel, after modules were removed from kernel K
      options:
        -v, --verbose             print what is done; twice: also why something is not done
        --debug                   print why KMPs are not linked
        --dry-run                 change nothing
        --logfile FILE            append messages to FILE (if relative, below /var/log)
        --basedir DIR             work on the system below DIR
        --usage                   print the usage
        -h, --help                print this help
      """;

    private static final LongOptions SYNTAX = new LongOptions(
            Map.of('h', "help", 'v', "verbose"),
            "add-kernel::",
            "remove-kernel::",
            "add-kmp::",
            "remove-kmp::",
            "add-kernel-modules::",
            "remove-kernel-modules::",
            "usage",
            "help",
            "verbose",
            "dry-run",
            "debug",
            "logfile:",
            "basedir:");

    static SuseOptions parse(List<String> words) {
        LongOptions.Parsed parsed = SYNTAX.parse(words);
        Map<String, @Nullable String> given = new LinkedHashMap<>();
        SuseAction action = null;
        String subject = null;
        int verbose = 0;
        for (LongOptions.Given option : parsed.options()) {
            given.put(option.name(), option.value());
            verbose += option.name().equals("verbose") ? 1 : 0;
            SuseAction named = StableId.of(option.name(), List.of(SuseAction.values()));
            action = named == null ? action : named;
            subject = named == null ? subject : option.value();
        }
        List<String> operands = parsed.operands();
        String error = parsed.error();
        String help = given.containsKey("help") ? HELP : given.containsKey("usage") ? USAGE : null;
        if (error == null && help == null) {
            error = misuse(action, operands.size() + (subject == null ? 0 : 1));
        }
        return new SuseOptions(
                action,
                subject == null && !operands.isEmpty() ? operands.get(0) : subject,
                help,
                verbose,
                given.containsKey("debug"),
                given.containsKey("dry-run"),
                given.get("basedir"),
                given.get("logfile"),
                error);
    }

    private static @Nullable String misuse(@Nullable SuseAction action, int subjects) {
        if (action == null) {
            return "ERROR: Please specify one of the --add-* or --remove-* options";
        }
        if (action.isForRunningKernel()) {
            return subjects > 1 ? "ERROR: Too many arguments to --" + action.id() : null;
        }
        return subjects == 1 ? null : "ERROR: Option --" + action.id() + " requires exactly one argument";
    }
}
