package dev.weaklink.hold;

import dev.weaklink.format.json.JsonTree;
import dev.weaklink.hold.Hold.HoldDecision;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The report of the last hold run, as {@link HoldReport#json} writes it. */
public record KeptHold(List<ReportedKernel> kernels) {
    static final String DIRECTORY = "/var/lib/weaklink";
    static final String FILE = DIRECTORY + "/hold.json";
    private static final int MAX_SIZE = 4 << 20;

    public KeptHold {
        kernels = List.copyOf(kernels);
    }

    /**
     * An offered kernel in the report.
     *
     * @param key the kernel's {@link dev.weaklink.system.offers.OfferedKernel#key}
     * @param since the date since which the kernel has been held without a break; empty if it is not held
     * @param stored the kernel's name in the store; empty if the store does not contain it
     * @param refused the modules because of which the kernel is held; if there are none, all refused modules
     * @param trials the trial builds of the DKMS packages whose modules the kernel refuses
     */
    public record ReportedKernel(
            String release,
            String key,
            boolean held,
            String since,
            String stored,
            List<String> refused,
            List<KeptAnswer> trials) {
        public ReportedKernel {
            refused = List.copyOf(refused);
            trials = List.copyOf(trials);
        }

        /**
         * Returns an escaped line, without a line break, that tells people that the kernel is held, and the reason.
         *
         * @param root the {@code --root} option of the printed command, escaped; empty for the host
         */
        public String line(String root) {
            return "weaklink: "
                    + Escape.text(release)
                    + " is held back since "
                    + Escape.text(since)
                    + Escape.text(reason())
                    + "; 'weaklink hold"
                    + root
                    + "' shows what would release it";
        }

        private String reason() {
            for (KeptAnswer trial : trials) {
                if (trial.result() != null && trial.result().isFailure() && !trial.replaced()) {
                    String words =
                            trial.result() == TrialResult.DOES_NOT_COMPILE ? " does not compile" : " would not load";
                    return ": " + trial.product() + words + ": " + trial.line();
                }
            }
            for (KeptAnswer trial : trials) {
                if (trial.result() == null && !trial.overdue()) {
                    return ": the trial build of " + trial.product() + " has not ended";
                }
            }
            return ": it would not load " + (refused.isEmpty() ? "a module in use" : String.join(", ", refused));
        }

        /**
         * Returns the time at which the kernel began to wait for a package's trial build; null if the trial build has a
         * result or does not exist.
         */
        @Nullable
        String awaited(String product) {
            for (KeptAnswer trial : trials) {
                if (trial.product().equals(product)) {
                    return trial.awaited();
                }
            }
            return null;
        }
    }

    /**
     * A {@link dev.weaklink.hold.Hold.TrialAnswer} as stored in the report.
     *
     * @param result the outcome; null if there is none yet
     * @param line the reason of a failure, such as the compiler's first error; empty if there is none
     * @param awaited the time at which the kernel began to wait for a result; null if there is a result
     * @param overdue whether the kernel no longer waits for the result, because the time limit is over
     * @param replaced whether the modules of an offered newer source would load
     */
    public record KeptAnswer(
            String product,
            @Nullable TrialResult result,
            String line,
            @Nullable String awaited,
            boolean overdue,
            boolean replaced) {}

    /**
     * Returns the report that is stored below a root directory, or an empty report if the file does not exist or cannot
     * be read.
     */
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

    private static ReportedKernel kernel(JsonTree json) throws UnreadableException {
        return new ReportedKernel(
                json.require("kernel"),
                json.require("kernel") + " " + json.require("version"),
                json.require("decision").equals(HoldDecision.HELD.id()),
                json.hasText("since") ? json.require("since") : "",
                json.hasText("stored") ? json.require("stored") : "",
                json.textsIfAny(json.textsIfAny("holding").isEmpty() ? "refused" : "holding"),
                json.listIfAny("trials", KeptHold::trial));
    }

    private static KeptAnswer trial(JsonTree json) throws UnreadableException {
        return new KeptAnswer(
                json.require("product"),
                json.hasText("result") ? json.constant("result", TrialResult.values()) : null,
                json.hasText("line") ? json.require("line") : "",
                json.text("awaited"),
                json.isTrue("overdue"),
                json.hasObject("newer")
                        && TrialResult.LOADS.id().equals(json.object("newer").text("result")));
    }

    public List<ReportedKernel> held() {
        return kernels.stream().filter(ReportedKernel::held).toList();
    }
}
