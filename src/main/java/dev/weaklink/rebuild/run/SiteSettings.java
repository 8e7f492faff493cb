package dev.weaklink.rebuild.run;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.Similar;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings in {@code /etc/weaklink/weaklink.conf}. The file contains lines {@code KEY = VALUE} and comments, as in
 * {@code src/main/dist/etc/weaklink/weaklink.conf}.
 *
 * @param bundles the installation images of Mellanox; weaklink uses the first image that fits
 * @param install whether weaklink installs the results of rebuilds
 * @param work the parent directory for work directories; null for each run's own directory
 * @param limit the time limit of each program of a build
 * @param rebuilds whether the hooks start rebuilds
 * @param hold whether weaklink holds kernels that would not load a driver in use
 * @param trials whether a kernel that a repository offers waits for trial builds of DKMS packages; only with
 *     {@code hold}
 * @param keepsBuilds whether weaklink keeps the modules of trial builds, to install them later
 * @param trialWait the longest time that a kernel waits for a trial build
 * @param obsolete the lines with keys that weaklink no longer supports
 */
public record SiteSettings(
        List<Path> bundles,
        boolean install,
        @Nullable Path work,
        Duration limit,
        boolean rebuilds,
        boolean hold,
        boolean trials,
        boolean keepsBuilds,
        Duration trialWait,
        List<InputProblem> obsolete) {
    /**
     * The environment variable that names a file to read instead of {@code /etc/weaklink/weaklink.conf}. weaklink reads
     * that file from the host even if it works on another root.
     */
    public static final String VARIABLE = "WEAKLINK_CONFIG";

    public static final String PLACE = "/etc/weaklink/weaklink.conf";
    private static final int MAX_SIZE = 1 << 20;
    private static final int DEFAULT_MINUTES = 120;
    private static final int DEFAULT_TRIAL_HOURS = 6;
    private static final String OBSOLETE = "hold-for-rebuild";
    private static final List<String> YES_OR_NO = List.of("yes", "no");

    /**
     * The keys with their allowed words. If a key's list is empty, its value is a path or a number. The script
     * {@code src/main/dist/kernel-hook} reads some of these keys, too.
     */
    static final SortedMap<String, List<String>> KEYS = new TreeMap<>(Map.ofEntries(
            Map.entry("bundle", List.of()),
            Map.entry("gate", List.of("warn", "block", "off")),
            Map.entry("hold", YES_OR_NO),
            Map.entry("hooks", List.of("apply", "report", "off")),
            Map.entry("hooks-initramfs", YES_OR_NO),
            Map.entry("hooks-program", List.of()),
            Map.entry("hooks-timeout", List.of()),
            Map.entry("install", YES_OR_NO),
            Map.entry("rebuild", List.of("no", "background")),
            Map.entry("time-limit", List.of()),
            Map.entry("trial", List.of("yes", "keep", "no")),
            Map.entry("trial-wait", List.of()),
            Map.entry("work", List.of())));

    public SiteSettings {
        bundles = List.copyOf(bundles);
        obsolete = List.copyOf(obsolete);
    }

    /**
     * Reads the settings. If the file does not exist, all settings have their defaults.
     *
     * @throws NotDoneException if a line is invalid, or if a file below another root sets a path
     */
    public static SiteSettings read(Root root, Map<String, String> environment) throws NotDoneException, IOException {
        return read(root, environment, root.isHost());
    }

    /**
     * Reads only the time limit of each program of a build. The file may contain paths even if it is below another
     * root, because they are not used.
     */
    public static Duration limit(Root root, Map<String, String> environment) throws NotDoneException, IOException {
        return read(root, environment, true).limit;
    }

    private static SiteSettings read(Root root, Map<String, String> environment, boolean acceptsPaths)
            throws NotDoneException, IOException {
        String named = environment.getOrDefault(VARIABLE, "");
        boolean trusted = acceptsPaths || !named.isEmpty();
        Path file = named.isEmpty() ? root.resolve(PLACE) : Path.of(named);
        SettingsParser lines = new SettingsParser(named.isEmpty() ? PLACE : named, trusted);
        int number = 0;
        for (String line : RootText.read(file, MAX_SIZE).split("\n", -1)) {
            lines.take(++number, line.strip());
        }
        return new SiteSettings(
                lines.bundles,
                lines.install,
                lines.work,
                lines.limit,
                lines.rebuilds,
                lines.hold,
                lines.trials,
                lines.keepsBuilds,
                lines.trialWait,
                lines.obsolete);
    }

    private static final class SettingsParser {
        private final String name;
        private final boolean trusted;
        private final List<Path> bundles = new ArrayList<>();
        private boolean install = true;
        private @Nullable Path work;
        private boolean rebuilds;
        private boolean hold;
        private boolean trials = true;
        private boolean keepsBuilds;
        private Duration trialWait = Duration.ofHours(DEFAULT_TRIAL_HOURS);
        private Duration limit = Duration.ofMinutes(DEFAULT_MINUTES);
        private final List<InputProblem> obsolete = new ArrayList<>();
        private String place = "";

        SettingsParser(String name, boolean trusted) {
            this.name = name;
            this.trusted = trusted;
        }

        void take(int number, String line) throws NotDoneException {
            if (line.isEmpty() || line.startsWith("#")) {
                return;
            }
            place = name + ":" + number + ": ";
            int equals = line.indexOf('=');
            String key = equals < 0 ? line : line.substring(0, equals).strip();
            String value = equals < 0 ? "" : line.substring(equals + 1).strip();
            if (key.equals(OBSOLETE)) {
                obsolete.add(new InputProblem(
                        name + ":" + number,
                        "'" + key + "' is no longer supported and is ignored, because trial builds replaced it;"
                                + " remove the line",
                        true));
                return;
            }
            List<String> words = KEYS.get(key);
            if (words == null) {
                throw new NotDoneException(place + "unknown key '" + key + "'" + Similar.question(key, KEYS.keySet()));
            }
            if (!words.isEmpty()) {
                requireOneOf(words, key, value);
            }
            switch (key) {
                case "bundle" -> bundles.add(path(key, value));
                case "hold" -> hold = value.equals("yes");
                case "trial" -> {
                    trials = !value.equals("no");
                    keepsBuilds = value.equals("keep");
                }
                case "trial-wait" -> trialWait = Duration.ofHours(number(key, value, "hours"));
                case "rebuild" -> rebuilds = value.equals("background");
                case "install" -> install = value.equals("yes");
                case "time-limit" -> limit = Duration.ofMinutes(number(key, value, "minutes"));
                case "work" -> work = path(key, value);
                default -> {}
            }
        }

        private Path path(String key, String value) throws NotDoneException {
            try {
                Path path = Path.of(value);
                if (!path.isAbsolute()) {
                    throw new NotDoneException(place + key + " takes an absolute path");
                }
                if (!trusted) {
                    throw new NotDoneException(place
                            + "with --root, weaklink does not accept "
                            + key
                            + " in this file; write a settings file on this machine and set "
                            + VARIABLE
                            + " to its path");
                }
                return path;
            } catch (InvalidPathException e) {
                throw new NotDoneException(place + key + " takes an absolute path");
            }
        }

        private void requireOneOf(List<String> words, String key, String value) throws NotDoneException {
            if (!words.contains(value)) {
                int last = words.size() - 1;
                String others = String.join(", ", words.subList(0, last));
                throw new NotDoneException(
                        place + key + " takes " + others + " or " + words.get(last) + ", not '" + value + "'");
            }
        }

        private int number(String key, String value, String unit) throws NotDoneException {
            try {
                int number = Integer.parseInt(value);
                if (number >= 1) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // reported below like any other invalid value
            }
            throw new NotDoneException(
                    place + key + " takes a whole number of " + unit + ", 1 or more, not '" + value + "'");
        }
    }
}
