package dev.weaklink.compat;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of weak-modules2 from its environment variables; the generator can also be set in a file.
 *
 * @param verbose the level of verbosity, 0 to 3
 * @param logfile the file for messages, null for standard error
 * @param depmod the depmod to use, null for the default
 * @param dracut the dracut to use
 * @param generator the tool that makes initrds: dracut or the name of another tool
 * @param later whether initrds are made at the end of the package transaction
 * @param transactional whether initrds are made at the end of a transactional update
 * @param forced whether a package requires a new initrd in any case
 */
record SuseSettings(
        int verbose,
        boolean debug,
        @Nullable String logfile,
        @Nullable Path depmod,
        String dracut,
        String generator,
        boolean later,
        boolean transactional,
        boolean forced) {
    static final String DRACUT = "dracut";

    private static final String SYSCONFIG = "/etc/sysconfig/bootloader";
    private static final String GENERATOR = "INITRD_GENERATOR";
    private static final int MAX_SIZE = 1 << 20;

    static SuseSettings of(Map<String, String> environment, Root root) {
        String level = environment.getOrDefault("WM2_VERBOSE", "");
        String dracut = environment.getOrDefault("DRACUT", "");
        String needed = environment.getOrDefault("KMP_NEEDS_MKINITRD", "");
        String generator = environment.getOrDefault(GENERATOR, "");
        if (generator.isEmpty()) {
            generator = configured(root);
        }
        return new SuseSettings(
                level.length() == 1 && "0123".contains(level) ? level.charAt(0) - '0' : 0,
                "1".equals(environment.get("WM2_DEBUG")),
                environment.get("WM2_LOGFILE"),
                program(environment.get("DEPMOD")),
                dracut.isEmpty() ? "/usr/bin/dracut" : dracut,
                generator.isEmpty() ? DRACUT : generator,
                !environment.getOrDefault("INITRD_IN_POSTTRANS", "").isEmpty(),
                !environment.getOrDefault("TRANSACTIONAL_UPDATE", "").isEmpty(),
                !needed.isEmpty() && !needed.equals("0"));
    }

    private static @Nullable Path program(@Nullable String path) {
        try {
            return path != null && path.startsWith("/") && Files.isExecutable(Path.of(path)) ? Path.of(path) : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /**
     * Returns the generator from a line such as {@code INITRD_GENERATOR="dracut"}. The file is parsed as text and not
     * executed.
     */
    private static String configured(Root root) {
        String value = "";
        for (String line : new RootText(root).read(SYSCONFIG, MAX_SIZE).split("\n", -1)) {
            if (line.startsWith(GENERATOR + "=")) {
                value = line.substring(GENERATOR.length() + 1)
                        .replace("\"", "")
                        .replace("'", "")
                        .strip();
            }
        }
        return value;
    }
}
