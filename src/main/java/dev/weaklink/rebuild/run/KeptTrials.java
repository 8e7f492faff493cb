package dev.weaklink.rebuild.run;

import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.format.json.JsonTree;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.Sha256;
import dev.weaklink.system.offers.OfferedKernel;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The results of trial builds, one JSON file each below /var/lib/weaklink/trials; src/main/resources/schema/trial.json
 * describes the files.
 */
public final class KeptTrials {
    static final String PLACE = "/var/lib/weaklink/trials";

    static final String LOCK = PLACE + "/.lock";

    private static final String ENDING = ".json";
    private static final int LIMIT = 1 << 20;
    private static final int MOST = 500;

    private final Root root;

    public KeptTrials(Root root) {
        this.root = root;
    }

    /**
     * Returns the trial of a package for a kernel, if source, headers and compiler have not changed since the trial.
     *
     * @param product the DKMS package as {@code NAME/VERSION}
     * @return null if there is no such trial
     */
    public @Nullable Trial current(String product, String kernel) throws IOException {
        Path source = source(product);
        Path tree = root.resolve("/lib/modules/" + kernel + "/build");
        if (!Files.isDirectory(source) || !Files.isDirectory(tree)) {
            return null;
        }
        List<Trial> ofThese = new ArrayList<>(readable());
        ofThese.removeIf(one -> !one.product().equals(product) || !one.kernel().equals(kernel));
        // The digest is computed only if there is a result to compare with.
        String inputs = ofThese.isEmpty() ? "" : TrialInputs.digest(product, kernel, source, tree, root.top());
        for (Trial one : ofThese) {
            if (one.inputs().equals(inputs)) {
                return one;
            }
        }
        return null;
    }

    /**
     * Returns the latest trial for an offered kernel with the present source and compiler.
     *
     * @param offer the offered kernel's key ({@link OfferedKernel#key})
     * @param release the kernel's release; trials with installed or given headers of this release count, too. Empty to
     *     ignore such trials, because another build of the kernel may have the same release
     * @param source the digest of the present source and compiler
     * @return null if there is no such trial
     */
    @Nullable
    public Trial offered(String offer, String release, String product, String source) throws IOException {
        for (Trial one : readable()) {
            // The source of a trial with an offered package may have been installed since.
            boolean isMeant = one.offer().equals(offer)
                    || one.offer().startsWith(offer + Trial.WITH)
                    || one.offer().isEmpty() && one.kernel().equals(release);
            if (isMeant && one.product().equals(product) && one.source().equals(source)) {
                return one;
            }
        }
        return null;
    }

    /**
     * Returns the latest trial from the source in an offered package; null if there is none.
     *
     * @param offer the key of the offered kernel and package ({@link TrialInputs#offer(OfferedKernel, OfferedPackage)})
     * @param name the DKMS package without its version
     */
    public @Nullable Trial ofOffer(String offer, String name) throws IOException {
        for (Trial one : readable()) {
            if (one.offer().equals(offer) && one.product().startsWith(name + "/")) {
                return one;
            }
        }
        return null;
    }

    /**
     * Returns the latest valid result of a package for a kernel; null if there is none. The kernel need not be
     * installed.
     */
    public @Nullable Trial latest(String product, String kernel) throws IOException {
        for (Trial one : readable()) {
            if (one.product().equals(product) && one.kernel().equals(kernel) && isValid(one)) {
                return one;
            }
        }
        return null;
    }

    public List<Trial> valid() throws IOException {
        List<Trial> valid = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (Trial one : readable()) {
            if (!seen.contains(one.kernel() + " " + one.product()) && isValid(one)) {
                seen.add(one.kernel() + " " + one.product());
                valid.add(one);
            }
        }
        valid.sort(
                Comparator.comparing(Trial::kernel, KernelReleaseOrder.INSTANCE).thenComparing(Trial::product));
        return valid;
    }

    /**
     * Returns whether the source and the compiler are the same as in the trial. Compares the headers, too, if headers
     * of the kernel are installed and the trial recorded its inputs.
     */
    boolean isValid(Trial trial) {
        try {
            Path source = source(trial.product());
            Path tree = root.resolve("/lib/modules/" + trial.kernel() + "/build");
            boolean comparesHeaders = !trial.inputs().isEmpty() && Files.isDirectory(tree);
            return comparesHeaders
                    ? trial.inputs()
                            .equals(TrialInputs.digest(trial.product(), trial.kernel(), source, tree, root.top()))
                    : trial.source().equals(TrialInputs.source(trial.product(), source));
        } catch (IOException e) {
            return false;
        }
    }

    public Path source(String product) throws IOException {
        return root.resolve("/usr/src/" + product.replace('/', '-'));
    }

    /** Returns the kept results, the latest first; empty if this process has no permission to read them. */
    public List<Trial> readable() throws IOException {
        try {
            return all();
        } catch (AccessDeniedException e) {
            return List.of();
        }
    }

    public List<Trial> all() throws IOException {
        Path place = root.resolve(PLACE);
        List<Trial> trials = new ArrayList<>();
        for (String name : RootText.names(place)) {
            Path file = place.resolve(name);
            if (name.endsWith(ENDING)
                    && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    && Files.size(file) <= LIMIT) {
                Trial trial = read(Files.readAllBytes(file));
                if (trial != null) {
                    trials.add(trial);
                }
            }
        }
        trials.sort(Comparator.comparing(Trial::tried).reversed().thenComparing(Trial::product));
        return trials;
    }

    private static @Nullable Trial read(byte[] document) {
        try {
            JsonTree json = JsonTree.read(document);
            return new Trial(
                    json.require("product"),
                    json.require("kernel"),
                    json.constant("result", TrialResult.values()),
                    json.require("line"),
                    json.require("next"),
                    json.texts("modules"),
                    json.require("tried"),
                    json.require("inputs"),
                    json.require("offer"),
                    json.require("source"));
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Keeps a result. Replaces an earlier result of the same product, kernel, inputs and offer, and removes the oldest
     * results beyond 500.
     */
    public void keep(Trial trial) throws IOException {
        Path place = root.resolve(PLACE);
        DurableFiles.createDirectories(place);
        DurableFiles.replacePrivate(place.resolve(name(trial)), bytes(trial));
        List<Trial> all = all();
        for (Trial old : all.subList(Math.min(MOST, all.size()), all.size())) {
            Files.deleteIfExists(place.resolve(name(old)));
        }
    }

    private static String name(Trial trial) {
        if (trial.offer().isEmpty()) {
            return trial.inputs() + ENDING;
        }
        MessageDigest digest = Sha256.start();
        String key = String.join("\n", trial.product(), trial.kernel(), trial.offer(), trial.inputs());
        digest.update(key.getBytes(StandardCharsets.UTF_8));
        return Sha256.hex(digest) + ENDING;
    }

    private static byte[] bytes(Trial trial) {
        return JsonOutput.line(object(
                "schema", "weaklink.trial/1",
                "product", trial.product(),
                "kernel", trial.kernel(),
                "result", trial.result().id(),
                "line", trial.line(),
                "next", trial.next(),
                "modules", trial.modules(),
                "tried", trial.tried(),
                "inputs", trial.inputs(),
                "offer", trial.offer(),
                "source", trial.source()));
    }
}
