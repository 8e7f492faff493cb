package dev.weaklink.fleet;

import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodeInventory.Signature;
import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.sys.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The out-of-tree modules for one kernel, on nodes with one signature policy.
 *
 * @param kernel the kernel release
 * @param modules the modules, sorted by path
 * @param digest the SHA-256 of all reported facts, 64 hexadecimal digits; equal on all nodes with the same modules for
 *     this kernel, regardless of their policy
 * @param policy the nodes' signature policy
 */
public record ModuleSet(String kernel, List<Module> modules, String digest, NodePolicy policy) {
    private static final Comparator<Module> ORDER = Comparator.comparing(Module::path)
            .thenComparing(Module::name)
            .thenComparing(module -> String.valueOf(module.digest()));

    private static final String[] PLACES = {"/updates/", "/extra/", "/weak-updates/"};

    /** The number that precedes a signature in a digest, in place of a length. No string has this length. */
    private static final int SIGNED = -2;

    /**
     * The order of preference for files of one module: by listing in modules.dep (listed, unknown, not listed), then by
     * directory (updates, extra, weak-updates, elsewhere), then by path.
     */
    private static final Comparator<Module> BEST =
            Comparator.comparing(ModuleSet::use).thenComparing(ModuleSet::place).thenComparing(Module::path);

    public static ModuleSet of(String kernel, List<Module> reported, NodePolicy policy) {
        List<Module> modules = new ArrayList<>(reported);
        modules.sort(ORDER);
        return new ModuleSet(kernel, List.copyOf(modules), digest(modules), policy);
    }

    /**
     * Returns whether this is a combined set: the out-of-tree modules in the kernel's directory, and those that only
     * the running kernel has.
     */
    public boolean isJoined() {
        return modules.stream().anyMatch(module -> !module.kernel().equals(kernel));
    }

    /**
     * Returns the preferred file of each module name, sorted by name. Dangling links are left out. Files that
     * modules.dep does not list are the last choice. They are included because tools that link modules ignore
     * modules.dep.
     */
    public List<Module> chosen() {
        TreeMap<String, Module> best = new TreeMap<>();
        for (Module module : modules) {
            if (!module.isDangling()) {
                best.merge(module.name(), module, (a, b) -> BEST.compare(a, b) <= 0 ? a : b);
            }
        }
        return new ArrayList<>(best.values());
    }

    private static int use(Module module) {
        Boolean used = module.used();
        return used == null ? 1 : used ? 0 : 2;
    }

    private static int place(Module module) {
        for (int i = 0; i < PLACES.length; i++) {
            if (module.path().contains(PLACES[i])) {
                return i;
            }
        }
        return PLACES.length;
    }

    List<Defect> defects() {
        List<Defect> defects = new ArrayList<>(ProductParts.defects(chosen()));
        for (Module module : modules) {
            if (module.isDangling()) {
                defects.add(new Defect(Defect.ModuleDefectKind.DANGLING_LINK, module.name(), module.path()));
            } else if (Boolean.FALSE.equals(module.used())) {
                defects.add(new Defect(Defect.ModuleDefectKind.NOT_USED, module.name(), module.path()));
            }
        }
        return defects;
    }

    /** Returns the hash of the digest, which covers all modules. */
    @Override
    public int hashCode() {
        return digest.hashCode();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ModuleSet that
                && policy == that.policy
                && digest.equals(that.digest)
                && kernel.equals(that.kernel);
    }

    private static String digest(List<Module> modules) {
        MessageDigest digest = Sha256.start();
        for (Module module : modules) {
            add(digest, module.name());
            add(digest, module.path());
            add(digest, module.used() == null ? null : module.used().toString());
            add(digest, module.link());
            add(digest, module.file());
            add(digest, module.digest());
            add(digest, module.version());
            add(digest, module.srcversion());
            add(digest, module.vermagic());
            add(digest, module.crcs());
            add(digest, module.signature());
        }
        return Sha256.hex(digest);
    }

    /**
     * Adds a string to a digest with its length, so that different sequences of strings have different digests; null
     * has length -1.
     */
    private static void add(MessageDigest digest, @Nullable String text) {
        byte[] bytes = text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
        int length = text == null ? -1 : bytes.length;
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, length));
        digest.update(bytes);
    }

    private static void add(MessageDigest digest, @Nullable Signature signature) {
        if (signature != null) {
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, SIGNED));
            add(digest, signature.kind());
            add(digest, signature.signer());
            add(digest, signature.key());
        }
    }

    private static final class ProductParts {
        /** The names of OFED's modules whose MODULE_VERSION is always the version of OFED. */
        private static final List<String> OF_OFED =
                List.of("mlx4_core", "mlx4_en", "mlx4_ib", "mlx5_core", "mlx5_ib", "mlx_compat", "mlxfw");

        private static final List<String> PLACES = List.of("/updates/", "/extra/");

        private ProductParts() {}

        static List<Defect> defects(List<Module> chosen) {
            Map<String, Map<String, List<String>>> releases = new TreeMap<>();
            Map<String, List<String>> versions = new TreeMap<>();
            for (Module module : chosen) {
                String unit = unit(module.file() == null ? module.path() : module.file());
                String release = release(module.vermagic());
                if (unit != null && release != null) {
                    add(releases.computeIfAbsent(unit, key -> new TreeMap<>()), release, module.name());
                }
                if (OF_OFED.contains(module.name()) && module.version() != null) {
                    add(versions, module.version(), module.name());
                }
            }
            List<Defect> defects = new ArrayList<>();
            releases.forEach((unit, parts) -> addIfSeveral(unit, "built for ", parts, defects));
            addIfSeveral("OFED", "", versions, defects);
            return defects;
        }

        private static void add(Map<String, List<String>> parts, String build, String module) {
            parts.computeIfAbsent(build, key -> new ArrayList<>()).add(module);
        }

        private static void addIfSeveral(
                String subject, String word, Map<String, List<String>> parts, List<Defect> defects) {
            if (parts.size() < 2) {
                return;
            }
            List<String> words = new ArrayList<>();
            parts.forEach((build, modules) -> words.add(word + build + ": " + String.join(" ", modules)));
            defects.add(new Defect(Defect.ModuleDefectKind.HALF_UPDATED, subject, String.join("; ", words)));
        }

        /**
         * Returns the name of the package's own directory below updates, extra or weak-updates; null if the file is in
         * no such directory. The directory dkms does not count, because all DKMS packages share it.
         */
        private static @Nullable String unit(String path) {
            for (String place : PLACES) {
                int at = path.indexOf(place);
                int end = at < 0 ? -1 : path.indexOf('/', at + place.length());
                if (end > 0) {
                    String unit = path.substring(at + place.length(), end);
                    return unit.equals("dkms") ? null : unit;
                }
            }
            return null;
        }

        private static @Nullable String release(@Nullable String vermagic) {
            int blank = vermagic == null ? -1 : vermagic.indexOf(' ');
            return vermagic == null || blank <= 0 ? null : vermagic.substring(0, blank);
        }
    }
}
