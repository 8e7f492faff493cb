package dev.weaklink.rebuild.run;

import dev.weaklink.format.json.JsonTree;
import dev.weaklink.rebuild.Hold.Decision;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.util.List;

/**
 * What was held when the repositories' lists were last looked at: {@link HoldReport#json}.
 *
 * @param kernels those that were offered
 */
public record KeptHold(List<Kernel> kernels) {
    static final String DIRECTORY = "/var/lib/weaklink";
    static final String FILE = DIRECTORY + "/hold.json";
    private static final int MAX_SIZE = 4 << 20;

    public KeptHold {
        kernels = List.copyOf(kernels);
    }

    /**
     * One of them.
     *
     * @param key as of {@link dev.weaklink.rebuild.Hold#key}
     * @param since when it was first held; empty if it is not
     * @param stored its name in the store; empty if it is not there
     */
    public record Kernel(String release, String key, boolean held, String since, String stored, List<String> refused) {
        /** That it is held, escaped. */
        public String line() {
            return "weaklink: "
                    + Escape.text(release)
                    + " is held back since "
                    + Escape.text(since)
                    + ", as it would not load "
                    + Escape.text(String.join(", ", refused))
                    + "; 'weaklink hold' says what lets it in";
        }
    }

    /** What is kept in a root; nothing if that cannot be read. */
    public static KeptHold read(Root root) {
        byte[] document = new RootText(root).bytes(FILE, MAX_SIZE);
        try {
            return document.length == 0 ? new KeptHold(List.of()) : of(document);
        } catch (IOException e) {
            return new KeptHold(List.of());
        }
    }

    public static KeptHold of(byte[] document) throws IOException {
        return new KeptHold(JsonTree.read(document).listIfAny("kernels", KeptHold::kernel));
    }

    private static Kernel kernel(JsonTree json) throws UnreadableException {
        return new Kernel(
                json.require("kernel"),
                json.require("kernel") + " " + json.require("version"),
                json.require("decision").equals(Decision.HELD.id()),
                json.hasText("since") ? json.require("since") : "",
                json.hasText("stored") ? json.require("stored") : "",
                json.textsIfAny(json.textsIfAny("holding").isEmpty() ? "refused" : "holding"));
    }

    /** Those that are held. */
    public List<Kernel> held() {
        return kernels.stream().filter(Kernel::held).toList();
    }
}
