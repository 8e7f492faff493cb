package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.NodeSet;
import dev.weaklink.sys.UnreadableException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The reasons why nodes gave no inventory, according to the output of the transport programs. */
final class MissingNodes {
    private static final String NOTHING = "not in the input";
    private static final String CONTRADICTED = "contradictory answers";

    private static final int MAX_UNEXPECTED = 1 << 18;

    /**
     * The number of recorded messages after which further messages are ignored. A message about several nodes counts
     * once for each node. Bounds the work caused by one node's output.
     */
    private static final long MAX_SAID = 1L << 20;

    /** The maximum number of recorded names that may not be node names, such as a word before a colon. */
    private static final int MAX_GUESSED = 1 << 16;

    private final Set<String> expected;
    private final Set<String> answered = new HashSet<>();
    private final Map<String, Why> nodes = new HashMap<>();
    private int guessed;
    private long said;

    MissingNodes(Set<String> expected) {
        this.expected = expected;
    }

    boolean expects(String node) {
        return expected.contains(node);
    }

    boolean isComplete() {
        return !expected.isEmpty();
    }

    /**
     * Records a message about nodes.
     *
     * @param certain whether the names are known to be node names
     */
    void add(List<String> names, Failure failure, boolean certain) {
        for (String name : said < MAX_SAID ? names : List.<String>of()) {
            said++;
            if (nodes.containsKey(name) || isKept(name, certain)) {
                Why before = nodes.getOrDefault(name, Why.NOTHING);
                nodes.put(name, before.and(failure, certain));
            }
        }
    }

    private boolean isKept(String name, boolean certain) {
        return expected.contains(name)
                || nodes.size() < MAX_UNEXPECTED && (certain || expected.isEmpty() && guessed++ < MAX_GUESSED);
    }

    void answered(String node) {
        nodes.remove(node);
        answered.add(node);
    }

    /** Records that a node gave two different inventories, so that neither is used. */
    void contradicted(String node) {
        nodes.put(node, new Why(CONTRADICTED, null, null, true, true));
    }

    @Nullable
    String failure(String node) {
        Why why = nodes.get(node);
        return why != null && why.failed ? why.words() : null;
    }

    SortedMap<String, String> all() {
        SortedMap<String, String> all = new TreeMap<>();
        for (String node : expected) {
            if (!answered.contains(node)) {
                all.put(node, NOTHING);
            }
        }
        nodes.forEach((node, why) -> {
            if (why.certain || expected.contains(node)) {
                all.put(node, why.words());
            }
        });
        return all;
    }

    /**
     * Parses a failure message of clush, pdsh, srun or ssh. Returns null if the line is not such a message, names no
     * usable node, or comes after {@link #MAX_SAID} messages.
     *
     * @param isAbout whether the line is part of a known node's output; then ssh's messages are ignored, because ssh
     *     may name the node differently
     */
    @Nullable
    Failure named(String line, boolean isAbout) {
        if (said >= MAX_SAID) {
            return null;
        }
        for (Pattern pattern : ASKING) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.matches()) {
                return Failure.of(matcher.group("node"), matcher.group("why"));
            }
        }
        for (Pattern pattern : isAbout ? List.<Pattern>of() : SSH) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.matches()) {
                String node = matcher.group("node");
                return isAddress(node) && !expects(node) ? null : Failure.of(node, matcher.group("why"));
            }
        }
        return null;
    }

    /**
     * Returns whether the name looks like a network address. ssh may print the address of a node that the transport
     * program addressed by its name.
     */
    private static boolean isAddress(String name) {
        return name.indexOf(':') >= 0 || name.chars().noneMatch(Character::isLetter);
    }

    /** The messages of clush, pdsh and srun. They contain the names by which these programs address the nodes. */
    private static final List<Pattern> ASKING = List.of(
            Pattern.compile("clush: (?<node>\\S+)(?: \\(\\d+\\))?: (?<why>.*)"),
            Pattern.compile("pdsh@[^:\\s]+: (?<node>[^:\\s]+): (?<why>.*)"),
            Pattern.compile("srun: error: (?<node>\\S+): tasks? [^:]*: (?<why>.*)"));

    /** The messages of ssh. They contain the HostName of ssh_config, which may differ from the node's name. */
    private static final List<Pattern> SSH = List.of(
            Pattern.compile("ssh: connect to host (?<node>\\S+) port \\d+: (?<why>.*)"),
            Pattern.compile("ssh: (?<why>Could not resolve hostname) (?<node>\\S+): .*"),
            Pattern.compile("(?:[^\\s@]+@)?(?<node>[^\\s:@]+): (?<why>Permission denied \\(.*)"),
            Pattern.compile("Connection to (?<node>\\S+) (?<why>closed by remote host.*)"));

    /**
     * The known facts about a node that did not answer.
     *
     * @param certain whether the name is certainly a node's
     * @param failed whether the transport reported a failure, or the node's inventory is damaged or contradictory
     */
    private record Why(
            @Nullable String cause,
            @Nullable String exit,
            @Nullable String text,
            boolean certain,
            boolean failed) {
        static final Why NOTHING = new Why(null, null, null, false, false);

        Why and(Failure failure, boolean isCertain) {
            boolean known = certain || isCertain;
            boolean hasFailed = failed || failure.isProof();
            return switch (failure.kind()) {
                case CAUSE -> new Why(cause == null ? failure.text() : cause, exit, text, known, hasFailed);
                case EXIT -> new Why(cause, failure.text(), text, known, hasFailed);
                // A later line replaces an earlier line: banners come first, and the error message of the command comes
                // last.
                case TEXT -> new Why(cause, exit, failure.text().isEmpty() ? text : failure.text(), known, hasFailed);
            };
        }

        String words() {
            if (cause != null) {
                return cause;
            }
            return exit == null || text == null
                    ? exit != null ? exit : text != null ? text : MissingNodes.NOTHING
                    : exit + ": " + text;
        }
    }

    /**
     * A message about nodes that gave no inventory.
     *
     * @param nodes the nodes named in the message; may be empty
     * @param text the message; a known cause or an exit status has the same wording for all nodes
     */
    record Failure(List<String> nodes, FailureKind kind, String text) {
        enum FailureKind {
            TEXT,
            EXIT,
            CAUSE
        }

        static final Failure CUT_SHORT = new Failure(List.of(), FailureKind.CAUSE, "inventory truncated");
        static final Failure DAMAGED = new Failure(List.of(), FailureKind.CAUSE, "inventory damaged");

        /**
         * The parts of messages of ssh (sshconnect.c, strerror), clush, sudo, shells, Ansible and Salt, each with the
         * reason that weaklink prints.
         */
        private static final List<Map.Entry<String, String>> CAUSES = List.of(
                Map.entry("weaklink-collect: not found", "weaklink-collect not found"),
                Map.entry("weaklink-collect: command not found", "weaklink-collect not found"),
                Map.entry("weaklink-collect: No such file", "weaklink-collect not found"),
                Map.entry("No such file or directory: b'weaklink", "weaklink-collect not found"),
                Map.entry("Connection refused", "connection refused"),
                Map.entry("No route to host", "no route to host"),
                Map.entry("Network is unreachable", "network is unreachable"),
                Map.entry("Could not resolve hostname", "host name cannot be resolved"),
                Map.entry("Name or service not known", "host name cannot be resolved"),
                Map.entry("Host key verification failed", "host key verification failed"),
                Map.entry("Permission denied", "permission denied"),
                Map.entry("timed out", "timed out"),
                Map.entry("command timeout", "timed out"),
                Map.entry("Connection reset by", "connection closed"),
                Map.entry("Connection closed by", "connection closed"),
                Map.entry("closed by remote host", "connection closed"),
                Map.entry("a password is required", "sudo asks for a password"),
                Map.entry("Minion did not return", "minion did not return"));

        private static final Pattern EXIT = Pattern.compile("(?:[Ee]xited with exit code|rc=|exit status) ?(\\d{1,3})");
        private static final Pattern SIGNAL = Pattern.compile("killed by signal (\\d{1,2})");

        /** The warnings of ssh about connections that succeed (sshconnect.c, clientloop.c). */
        private static final Pattern WARNING =
                Pattern.compile("(?:\\*\\* )?(?i:warning): .*|\\*\\* .*|Pseudo-terminal will not be .*");

        static Failure of(String text) {
            for (Map.Entry<String, String> cause : CAUSES) {
                if (text.contains(cause.getKey())) {
                    return new Failure(List.of(), FailureKind.CAUSE, cause.getValue());
                }
            }
            Matcher exit = EXIT.matcher(text);
            if (exit.find()) {
                return new Failure(List.of(), FailureKind.EXIT, "exit code " + exit.group(1));
            }
            Matcher signal = SIGNAL.matcher(text);
            String words = text.strip();
            return signal.find()
                    ? new Failure(List.of(), FailureKind.EXIT, "killed by signal " + signal.group(1))
                    : new Failure(
                            List.of(),
                            FailureKind.TEXT,
                            NodeCollector.shortened(words.substring(words.lastIndexOf('\n') + 1)));
        }

        private static @Nullable Failure of(String set, String why) {
            try {
                Failure failure = of(why);
                return new Failure(NodeSet.expand(set), failure.kind, failure.text);
            } catch (UnreadableException e) {
                return null;
            }
        }

        private boolean isProof() {
            return this == CUT_SHORT || this == DAMAGED || kind != FailureKind.TEXT && !nodes.isEmpty();
        }

        static boolean isWarning(String text) {
            return WARNING.matcher(text).matches();
        }
    }
}
