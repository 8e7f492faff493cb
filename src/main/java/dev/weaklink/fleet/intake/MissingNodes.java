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

/** Why nodes gave no inventory, as what asked them printed it. */
final class MissingNodes {
    private static final String NOTHING = "not in the input";
    private static final String CONTRADICTED = "contradictory answers";

    /** Nodes that nobody expects are kept up to here. */
    private static final int MAX_UNEXPECTED = 1 << 18;

    /** How often something is taken in about a node: what one prints must not cost hours. */
    private static final long MAX_SAID = 1L << 20;

    /** How many words with a colon behind them are kept as possible names. */
    private static final int MAX_GUESSED = 1 << 16;

    private final Set<String> expected;
    private final Set<String> answered = new HashSet<>();
    private final Map<String, Why> nodes = new HashMap<>();
    private int guessed;
    private long said;

    /** {@code expected}: nodes that should answer; empty if that is not known. */
    MissingNodes(Set<String> expected) {
        this.expected = expected;
    }

    /** Whether this is one of the nodes that should answer. */
    boolean expects(String node) {
        return expected.contains(node);
    }

    /** Whether it is known which nodes should answer. */
    boolean isComplete() {
        return !expected.isEmpty();
    }

    /** Takes in what was printed about nodes; {@code certain}: whether these are names of nodes. */
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

    /** Counts a node as answered, whatever else was printed about it. */
    void answered(String node) {
        nodes.remove(node);
        answered.add(node);
    }

    /** Counts a node as one of which nothing is known, since it gave two different inventories. */
    void contradicted(String node) {
        nodes.put(node, new Why(CONTRADICTED, null, null, true, true));
    }

    /** Returns why a node cannot have answered, or null if nothing says so. */
    @Nullable
    String failure(String node) {
        Why why = nodes.get(node);
        return why != null && why.failed ? why.words() : null;
    }

    /** Who did not answer, and why. */
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
     * What a line says that names nodes as only a message of clush, pdsh, srun or ssh does; null if it is none.
     *
     * @param isAbout whether it stands where a node's output does: ssh knows it by another name
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

    /** Whether this is an address: who asked knows the node by its name. */
    private static boolean isAddress(String name) {
        return name.indexOf(':') >= 0 || name.chars().noneMatch(Character::isLetter);
    }

    /** clush, pdsh and srun name nodes as they were asked. */
    private static final List<Pattern> ASKING = List.of(
            Pattern.compile("clush: (?<node>\\S+)(?: \\(\\d+\\))?: (?<why>.*)"),
            Pattern.compile("pdsh@[^:\\s]+: (?<node>[^:\\s]+): (?<why>.*)"),
            Pattern.compile("srun: error: (?<node>\\S+): tasks? [^:]*: (?<why>.*)"));

    /** ssh names hosts as its configuration does. */
    private static final List<Pattern> SSH = List.of(
            Pattern.compile("ssh: connect to host (?<node>\\S+) port \\d+: (?<why>.*)"),
            Pattern.compile("ssh: (?<why>Could not resolve hostname) (?<node>\\S+): .*"),
            Pattern.compile("(?:[^\\s@]+@)?(?<node>[^\\s:@]+): (?<why>Permission denied \\(.*)"),
            Pattern.compile("Connection to (?<node>\\S+) (?<why>closed by remote host.*)"));

    /**
     * What is known of a node.
     *
     * @param certain whether it is certain that this is a node's name
     * @param failed whether the program that asked the node said that it failed, or its inventory was damaged
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
                // The last line is what a command failed with; a banner comes before.
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
     * What is printed about a node that gives no inventory.
     *
     * @param nodes those it is about; empty if the text names none
     * @param text of a cause and an exit status in words that are the same for all nodes
     */
    record Failure(List<String> nodes, Kind kind, String text) {
        enum Kind {
            /** Anything: a banner, or a message that is not known here. */
            TEXT,
            /** How the command ended. */
            EXIT,
            /** Why there can be no inventory. */
            CAUSE
        }

        static final Failure CUT_SHORT = new Failure(List.of(), Kind.CAUSE, "inventory truncated");
        static final Failure DAMAGED = new Failure(List.of(), Kind.CAUSE, "inventory damaged");

        /** As ssh (sshconnect.c, and strerror), sudo, shells and Salt write them. */
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

        /** What ssh says of connections that it makes (sshconnect.c, clientloop.c). */
        private static final Pattern WARNING =
                Pattern.compile("(?:\\*\\* )?(?i:warning): .*|\\*\\* .*|Pseudo-terminal will not be .*");

        /** What a text without a node's name says. */
        static Failure of(String text) {
            for (Map.Entry<String, String> cause : CAUSES) {
                if (text.contains(cause.getKey())) {
                    return new Failure(List.of(), Kind.CAUSE, cause.getValue());
                }
            }
            Matcher exit = EXIT.matcher(text);
            if (exit.find()) {
                return new Failure(List.of(), Kind.EXIT, "exit code " + exit.group(1));
            }
            Matcher signal = SIGNAL.matcher(text);
            String words = text.strip();
            return signal.find()
                    ? new Failure(List.of(), Kind.EXIT, "killed by signal " + signal.group(1))
                    : new Failure(
                            List.of(),
                            Kind.TEXT,
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

        /** Returns whether a node of which this was printed cannot have answered. */
        private boolean isProof() {
            return this == CUT_SHORT || this == DAMAGED || kind != Kind.TEXT && !nodes.isEmpty();
        }

        /** Whether a text is a warning, after which nodes answer as well as without. */
        static boolean isWarning(String text) {
            return WARNING.matcher(text).matches();
        }
    }
}
