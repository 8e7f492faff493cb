package dev.weaklink.rebuild;

import dev.weaklink.rebuild.Diagnosis.Cause;
import dev.weaklink.sys.ShellWord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the line in a failed build's logs that shows the cause. A line with stronger evidence takes precedence; among
 * lines with equal evidence, the last log counts, and in this log the first line.
 */
public final class LogDigest {
    private static final int MAX_LINE = 500;
    private static final String UNMET = "nmet build dependencies:";

    private final Job.BuildPlace place;
    private final Platform platform;

    public LogDigest(Job.BuildPlace place, Platform platform) {
        this.place = place;
        this.platform = platform;
    }

    /**
     * Returns the cause of a failure.
     *
     * @param logs the build's output, then the logs; a log that another log names comes after that log
     * @param status the exit status
     */
    public Diagnosis read(List<LogText> logs, int status) {
        for (LogPattern.Strength strength : LogPattern.Strength.values()) {
            for (int i = logs.size() - 1; i >= 0; i--) {
                Diagnosis found = read(logs.get(i), strength);
                if (found != null) {
                    return found;
                }
            }
        }
        return unknown(logs, status);
    }

    private static Diagnosis unknown(List<LogText> logs, int status) {
        String next = "exit status " + status + ", and no log says why; look at the end of the log";
        for (int i = logs.size() - 1; i >= 0; i--) {
            String line = lastLine(logs.get(i));
            if (!line.isEmpty()) {
                return new Diagnosis(Cause.UNKNOWN, line, logs.get(i).file(), next);
            }
        }
        return new Diagnosis(Cause.UNKNOWN, "", "", next);
    }

    private @Nullable Diagnosis read(LogText log, LogPattern.Strength strength) {
        for (int i = 0; i < log.lines().size(); i++) {
            String line = log.lines().get(i);
            LogPattern pattern = LogPattern.matching(line);
            if (pattern != null && pattern.strength() == strength) {
                Cause cause = pattern.cause();
                String said = shortened(said(log.lines(), i));
                return new Diagnosis(cause, said, log.file(), next(cause, log.lines(), i));
            }
        }
        return null;
    }

    private static String said(List<String> lines, int at) {
        String line = lines.get(at).strip();
        boolean goesOn = line.endsWith(":") && at + 1 < lines.size();
        return goesOn ? line + " " + lines.get(at + 1).strip() : line;
    }

    private String next(Cause cause, List<String> lines, int at) {
        String proposed = cause == Cause.MISSING_PACKAGE ? proposed(lines, at) : null;
        return proposed != null ? proposed : NextStep.of(cause, place, platform);
    }

    /**
     * Returns the step that installs a missing program or package: the distribution's command, a command from the log,
     * or a sentence. Returns null if no step is known.
     */
    private @Nullable String proposed(List<String> lines, int at) {
        String tool = tool(lines.get(at));
        String program = tool.isEmpty() ? LogPattern.missingProgram(lines.get(at)) : tool;
        if (!program.isEmpty()) {
            String name = Packages.with(program, platform);
            name = name.isEmpty() ? tool : name;
            String install = name.isEmpty() ? null : installing(List.of(name));
            String what = (tool.isEmpty() ? "the program " : "") + ShellWord.of(program);
            return (install == null ? "install " + what : install)
                    + (program.startsWith("createrepo") ? "; or do without a repository: --skip-repo" : "");
        }
        List<String> unmet = unmet(lines.get(at));
        if (!unmet.isEmpty()) {
            return installing(unmet);
        }
        for (int i = at; i < Math.min(lines.size() - 1, at + 20); i++) {
            if (lines.get(i).strip().equals("Run:")) {
                return lines.get(i + 1).strip();
            }
        }
        List<String> wanted = new ArrayList<>();
        for (int i = at + 1; i < lines.size() && lines.get(i).contains(" is needed by "); i++) {
            String name = lines.get(i).strip();
            wanted.add(name.substring(0, name.indexOf(' ')));
        }
        return wanted.isEmpty() ? null : installing(wanted);
    }

    /**
     * Returns the installation command; null if the distribution's command is unknown. Names from a log are quoted, so
     * that a shell treats each as one word.
     */
    private @Nullable String installing(List<String> packages) {
        List<String> words = platform.install(packages);
        return words == null
                ? null
                : String.join(" ", words.stream().map(ShellWord::of).toList());
    }

    /** Returns the packages that dpkg-checkbuilddeps reports as missing; of alternatives, only the first. */
    private static List<String> unmet(String line) {
        int start = line.indexOf(UNMET);
        if (start < 0) {
            return List.of();
        }
        Set<String> packages = new LinkedHashSet<>();
        boolean alternative = false;
        String asked = line.substring(start + UNMET.length()).replaceAll("[(][^)]*[)]", "");
        for (String word : asked.strip().split(" +")) {
            if (!alternative && !word.equals("|")) {
                packages.add(Packages.real(word.replaceFirst(":.*", "")));
            }
            alternative = word.equals("|");
        }
        packages.removeIf(name -> !name.matches("[a-z0-9][a-z0-9.+-]+"));
        return new ArrayList<>(packages);
    }

    /**
     * Returns the program that a line such as {@code 'bzip2' is not installed!} names, or libelf for kbuild's message
     * about libelf-dev; otherwise an empty string.
     */
    private static String tool(String line) {
        if (line.contains("please install libelf-dev")) {
            return "libelf";
        }
        int end = line.indexOf("' is not installed!");
        int start = end < 0 ? -1 : line.lastIndexOf('\'', end - 1);
        return start < 0 ? "" : line.substring(start + 1, end);
    }

    private static String shortened(String line) {
        String bare = line.strip();
        return bare.length() > MAX_LINE ? bare.substring(0, MAX_LINE) + "..." : bare;
    }

    private static String lastLine(LogText log) {
        List<String> lines = log.lines();
        for (int i = lines.size() - 1; i >= 0; i--) {
            if (!lines.get(i).isBlank()) {
                return shortened(lines.get(i));
            }
        }
        return "";
    }

    /**
     * A pattern of a log line that shows the cause of a failure.
     *
     * @param text a text in the line
     * @param and a second text that must follow the first in the same line; may be empty
     * @param cause the cause that the line shows
     * @param strength the strength of the evidence
     */
    private record LogPattern(String text, String and, Cause cause, Strength strength) {
        /** The strength of the evidence, the strongest first. */
        enum Strength {
            CAUSE,
            /** A program was not found, but its caller may do without it. */
            MISSING_PROGRAM,
            /** The line only shows that something failed; another line may show the cause. */
            FAILURE
        }

        private static final String PERL = "Can't exec \"";

        private static final LogPattern PROGRAM =
                new LogPattern("", "", Cause.MISSING_PACKAGE, Strength.MISSING_PROGRAM);

        /** The patterns in order of precedence. */
        private static final List<LogPattern> ALL = List.of(
                sure("No space left on device", Cause.SPACE),
                sure("Not enough disk space in the", Cause.SPACE),
                sure("You must be root to run", Cause.NOT_ROOT),
                sure("You must be root to", Cause.NOT_ROOT),
                sure("Linux Distribution (", ") is not supported", Cause.UNSUPPORTED_DISTRIBUTION),
                sure(" is not a supported ", " directory", Cause.NOT_AN_IMAGE),
                sure("OFED tgz package not found under", Cause.NO_SOURCES),
                sure("tar: ", "nexpected EOF in archive", Cause.BROKEN_ARCHIVE),
                sure("tar: This does not look like a tar archive", Cause.BROKEN_ARCHIVE),
                sure("gzip: stdin: ", "nexpected end of file", Cause.BROKEN_ARCHIVE),
                sure("gzip: stdin: not in gzip format", Cause.BROKEN_ARCHIVE),
                sure("gzip: stdin: invalid compressed data", Cause.BROKEN_ARCHIVE),
                sure("bzip2: Compressed file ends unexpectedly", Cause.BROKEN_ARCHIVE),
                sure("xz: (stdin): ", "nexpected end of input", Cause.BROKEN_ARCHIVE),
                sure("' is not installed!", Cause.MISSING_PACKAGE),
                sure("mkisofs command not found", Cause.MISSING_PACKAGE),
                sure("One or more required packages", Cause.MISSING_PACKAGE),
                sure("Failed build dependencies:", Cause.MISSING_PACKAGE),
                sure("nmet build dependencies:", Cause.MISSING_PACKAGE),
                sure("missing BUILD_DEPENDS", Cause.MISSING_PACKAGE),
                sure("directory is not defined", Cause.USAGE),
                sure("Unsupported option", Cause.USAGE),
                sure("Unsupported installation option", Cause.USAGE),
                sure("Killed by user", Cause.KILLED),
                sure("*** [", "] Terminated", Cause.KILLED),
                sure("Killed signal terminated program", Cause.MEMORY),
                sure("Cannot allocate memory", Cause.MEMORY),
                sure("virtual memory exhausted", Cause.MEMORY),
                sure("cc1: out of memory", Cause.MEMORY),
                sure("LLVM ERROR: out of memory", Cause.MEMORY),
                sure("ld: ", "memory exhausted", Cause.MEMORY),
                // printed by perl, which runs scripts of kbuild
                sure("Out of memory!", Cause.MEMORY),
                sure("Out of memory in perl", Cause.MEMORY),
                // The kernel kills a process with SIGKILL when memory runs out.
                sure("*** [", "] Killed", Cause.MEMORY),
                sure("ambiguous python shebang", Cause.POLICY),
                sure("Arch dependent binaries in noarch package", Cause.POLICY),
                sure("contains an invalid rpath", Cause.POLICY),
                sure("Installed (but unpackaged) file(s) found", Cause.POLICY),
                sure("QA_RPATHS", Cause.POLICY),
                sure("cannot find", "kernel headers", Cause.MISSING_HEADERS),
                sure("kernel headers", "cannot be found", Cause.MISSING_HEADERS),
                sure("Your kernel headers for kernel", Cause.MISSING_HEADERS),
                sure("Unable to find the headers", Cause.MISSING_HEADERS),
                sure("/build: No such file or directory", Cause.MISSING_HEADERS),
                sure("include/generated/autoconf.h", "missing", Cause.MISSING_HEADERS),
                sure("Kernel source directory", "not found", Cause.MISSING_HEADERS),
                sure("Key was rejected by service", Cause.SIGNING),
                sure("BUILD_EXCLUSIVE", Cause.NOT_FOR_THIS_KERNEL),
                sure("does not match this kernel", Cause.NOT_FOR_THIS_KERNEL),
                sure("tools/objtool/objtool", ": not found", Cause.BROKEN_BUILD_TREE),
                sure("tools/objtool/objtool", ": No such file", Cause.BROKEN_BUILD_TREE),
                sure("tools/bpf/resolve_btfids/resolve_btfids", ": not found", Cause.BROKEN_BUILD_TREE),
                sure("scripts/basic/fixdep", ": not found", Cause.BROKEN_BUILD_TREE),
                sure("scripts/basic/fixdep", ": No such file", Cause.BROKEN_BUILD_TREE),
                sure("scripts/mod/modpost", ": not found", Cause.BROKEN_BUILD_TREE),
                sure("scripts/mod/modpost", ": No such file", Cause.BROKEN_BUILD_TREE),
                sure("/scripts/Makefile.build: No such file", Cause.BROKEN_BUILD_TREE),
                sure("gcc", "command not found", Cause.MISSING_COMPILER),
                sure("make: gcc", "No such file or directory", Cause.MISSING_COMPILER),
                sure("gcc", ": not found", Cause.MISSING_COMPILER),
                sure(" make: command not found", Cause.MISSING_COMPILER),
                sure(" make: not found", Cause.MISSING_COMPILER),
                sure("out of memory allocating ", Cause.MEMORY),
                sure("inaccessible plugin file", Cause.MISSING_PACKAGE),
                sure("please install libelf-dev", Cause.MISSING_PACKAGE),
                // printed by zfs, config/kernel.m4; the text after "configure: error:" differs
                sure("make sure the kernel devel package", Cause.MISSING_HEADERS),
                weak("configure: error:", Cause.UNKNOWN),
                weak("dpkg-source: error:", Cause.POLICY),
                weak("dpkg-buildpackage: error:", Cause.UNKNOWN),
                weak("dh_", ": error: ", Cause.UNKNOWN),
                sure("unrecognized command-line option", Cause.OTHER_COMPILER),
                sure("unrecognized command line option", Cause.OTHER_COMPILER),
                sure("unrecognized argument in option", Cause.OTHER_COMPILER),
                sure("error: unknown warning option", Cause.OTHER_COMPILER),
                sure("clang: error: no such file", Cause.API_CHANGE),
                sure("clang: error: ", Cause.OTHER_COMPILER), // of options; errors in a source begin with its path
                sure("incompatible gcc/plugin versions", Cause.OTHER_COMPILER),
                sure(": fatal error: ", Cause.API_CHANGE),
                sure(": error: ", Cause.API_CHANGE),
                sure("ERROR: modpost:", Cause.API_CHANGE),
                sure("Invalid dkms.conf", Cause.BAD_CONFIGURATION),
                sure("dkms.conf: Error!", Cause.BAD_CONFIGURATION),
                sure("Failed to create ", Cause.SPACE),
                weak("Usage: ", Cause.USAGE),
                weak("*** ERROR:", Cause.POLICY),
                // weak evidence: kbuild continues without signing out-of-tree modules
                // (scripts/Makefile.modinst:cmd_sign)
                weak("sign-file", "No such file or directory", Cause.SIGNING),
                weak("- SSL error:", Cause.SIGNING),
                // one of the packages with a kernel's headers is missing
                sure("No rule to make target '/usr/src/linux-", Cause.MISSING_HEADERS),
                sure("No rule to make target '/usr/src/kernels/", Cause.MISSING_HEADERS),
                weak("*** No rule to make target", Cause.API_CHANGE),
                weak("Build of ", " failed for: ", Cause.UNKNOWN), // printed by dkms
                weak(": command not found", Cause.MISSING_PACKAGE),
                weak("sh: ", ": not found", Cause.MISSING_PACKAGE),
                weak("error: Bad exit status from", Cause.UNKNOWN),
                weak("*** [", Cause.UNKNOWN),
                weak("Error! Bad return status", Cause.UNKNOWN),
                weak("Failed to build ", Cause.UNKNOWN),
                weak("Failed executing", Cause.UNKNOWN),
                weak("Error:", Cause.UNKNOWN),
                weak("ERROR:", Cause.UNKNOWN));

        private static LogPattern sure(String text, Cause cause) {
            return new LogPattern(text, "", cause, Strength.CAUSE);
        }

        private static LogPattern sure(String text, String and, Cause cause) {
            return new LogPattern(text, and, cause, Strength.CAUSE);
        }

        private static LogPattern weak(String text, Cause cause) {
            return weak(text, "", cause);
        }

        private static LogPattern weak(String text, String and, Cause cause) {
            return new LogPattern(text, and, cause, Strength.FAILURE);
        }

        static @Nullable LogPattern matching(String line) {
            LogPattern found = null;
            for (LogPattern pattern : ALL) {
                int at = line.indexOf(pattern.text);
                if (found == null && at >= 0 && line.indexOf(pattern.and, at) >= 0) {
                    found = pattern;
                }
            }
            boolean isWeak = found == null || found.strength == Strength.FAILURE;
            return isWeak && !missingProgram(line).isEmpty() ? PROGRAM : found;
        }

        /**
         * Returns the program that a shell, env(1) or Perl did not find, as in {@code FILE: 37: NAME: not found};
         * otherwise an empty string.
         */
        static String missingProgram(String line) {
            String text = line.strip();
            int perl = text.indexOf(PERL);
            if (perl >= 0 && text.startsWith(": No such file", text.indexOf('"', perl + PERL.length()) + 1)) {
                return name(text.substring(perl + PERL.length(), text.indexOf('"', perl + PERL.length())));
            }
            for (String ending : List.of(": command not found", ": not found", ": No such file or directory")) {
                int end = text.length() - ending.length();
                int start = text.endsWith(ending) ? text.lastIndexOf(": ", end - 1) : -1;
                if (start > 0) {
                    String who = text.substring(0, start);
                    boolean isShell = who.endsWith("sh") || Character.isDigit(who.charAt(start - 1));
                    boolean says = ending.contains("No such") ? who.endsWith("env") : isShell;
                    return says ? name(text.substring(start + 2, end)) : "";
                }
            }
            return "";
        }

        private static String name(String quoted) {
            String bare = quoted.replaceAll("^['\u2018]|['\u2019]$", "");
            return bare.length() < 100 && bare.matches("[A-Za-z0-9][A-Za-z0-9._+-]*") ? bare : "";
        }
    }

    /**
     * A log, or the output of a build.
     *
     * @param file the log's path; empty for the output
     * @param lines the lines, without control sequences
     */
    public record LogText(String file, List<String> lines) {
        public LogText {
            lines = List.copyOf(lines);
        }
    }
}
